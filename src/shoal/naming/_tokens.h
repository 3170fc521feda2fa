/* How is a text parted into words, and these into sentences?
 *
 * A word keeps the full stops of an abbreviation and the apostrophe of a name; every other sign is a
 * word of its own, so that each name begins and ends where a word does. Places count characters.
 */
#ifndef SHOAL_TOKENS_H
#define SHOAL_TOKENS_H

#define MOST_TOKEN_CHARS 100

typedef struct {
    int32_t start, end;
    int32_t is_first; /* of a sentence */
} Token;

typedef struct {
    const Py_UCS4 *text;
    int32_t length;
    Token *tokens;
    int32_t count, room;
} Tokens;

static int is_letter(Py_UCS4 c)
{
    if (c < 128)
        return (c | 32) >= 'a' && (c | 32) <= 'z';
    return Py_UNICODE_ISALPHA(c);
}

static int is_digit(Py_UCS4 c)
{
    return c >= '0' && c <= '9';
}

static int is_upper(Py_UCS4 c)
{
    return c < 128 ? c >= 'A' && c <= 'Z' : Py_UNICODE_ISUPPER(c);
}

static int is_of_word(Py_UCS4 c)
{
    if (c < 128)
        return is_letter(c) || is_digit(c) || c == '_';
    return Py_UNICODE_ISALNUM(c) || (c >= 0x300 && c < 0x370);
}

static int is_space(Py_UCS4 c)
{
    return c < 128 ? c == ' ' || (c >= 9 && c <= 13) : Py_UNICODE_ISSPACE(c);
}

static int is_apostrophe(Py_UCS4 c)
{
    return c == '\'' || c == 0x2019;
}

static Py_UCS4 lower_of(Py_UCS4 c)
{
    if (c < 128)
        return c >= 'A' && c <= 'Z' ? c + 32 : c;
    return Py_UNICODE_TOLOWER(c);
}

static const char *const ABBREVIATIONS[] = {
    "inc",  "corp", "co",   "ltd", "jr",  "sr",  "dr",  "mr",   "mrs",  "ms",   "st",   "gov",
    "sen",  "rep",  "gen",  "lt",  "col", "sgt", "capt", "prof", "rev",  "hon",  "ave",  "blvd",
    "bros", "vs",   "mt",   "ft",  "dept", "univ", "assn", "jan", "feb",  "mar",  "apr",  "jun",
    "jul",  "aug",  "sep",  "sept", "oct", "nov", "dec", "fla", "calif", "mass", "tenn", "etc",
};

static int is_abbreviation(const Py_UCS4 *word, int32_t chars)
{
    for (size_t each = 0; each < sizeof ABBREVIATIONS / sizeof *ABBREVIATIONS; each++) {
        const char *known = ABBREVIATIONS[each];
        int32_t at = 0;
        while (at < chars && known[at] && lower_of(word[at]) == (Py_UCS4)known[at])
            at++;
        if (at == chars && !known[at])
            return 1;
    }
    return 0;
}

/* The place behind what follows an apostrophe if it is an ending ('s, 'll), else 0. */
static int32_t ending(const Py_UCS4 *text, int32_t at, int32_t length)
{
    int32_t end = at;
    while (end < length && end < at + 3 && is_letter(text[end]))
        end++;
    if (end < length && is_of_word(text[end]))
        return 0;
    Py_UCS4 first = end > at ? lower_of(text[at]) : 0, last = lower_of(text[end > at ? end - 1 : at]);
    if (end - at == 1)
        return first == 's' || first == 't' || first == 'd' || first == 'm' ? end : 0;
    if (end - at == 2)
        return (first == 'l' && last == 'l') || ((first == 'r' || first == 'v') && last == 'e')
                   ? end : 0;
    return 0;
}

static int32_t to_space(const Py_UCS4 *text, int32_t at, int32_t length)
{
    while (at < length && !is_space(text[at]))
        at++;
    return at;
}

/* The place behind the word that begins with a letter or digit at `start`. */
static int32_t word_end(const Py_UCS4 *text, int32_t start, int32_t length)
{
    int32_t at = start, run = start;
    for (;;) {
        while (at < length && is_of_word(text[at]))
            at++;
        if (at + 1 >= length)
            break;
        Py_UCS4 sign = text[at], next = text[at + 1];
        if (sign == ':' && next == '/' && at + 2 < length && text[at + 2] == '/')
            return to_space(text, at, length);
        if (sign == '@' && is_of_word(next)) { /* an address of mail */
            while (at < length && (is_of_word(text[at]) || text[at] == '@' || text[at] == '-' ||
                                   (text[at] == '.' && at + 1 < length && is_of_word(text[at + 1]))))
                at++;
            return at;
        }
        int is_joined = 0;
        if (sign == '.' && is_of_word(next)) /* U.S, 3.5, example.org; no two sentences */
            is_joined = at - run == 1 || !is_upper(next) || is_digit(text[at - 1]);
        else if (is_apostrophe(sign) && is_letter(next))
            is_joined = !ending(text, at + 1, length);
        else if (sign == '&')
            is_joined = is_upper(next) && is_upper(text[at - 1]);
        else if (sign == ',')
            is_joined = is_digit(next) && is_digit(text[at - 1]);
        if (!is_joined)
            break;
        run = ++at;
    }
    if (at < length && text[at] == '.' && is_letter(text[at - 1])) {
        int is_initial = at - run == 1 && (run > start || is_upper(text[run]));
        if (is_initial || (run == start && is_abbreviation(text + start, at - start)))
            return at + 1;
    }
    return at;
}

static int add_token(Tokens *all, int32_t start, int32_t end, int is_first)
{
    if (all->count == all->room) {
        int32_t room = all->room ? all->room * 2 : 1024;
        Token *tokens = PyMem_RawRealloc(all->tokens, (size_t)room * sizeof *tokens);
        if (tokens == NULL)
            return -1;
        all->tokens = tokens;
        all->room = room;
    }
    all->tokens[all->count++] = (Token){start, end, is_first};
    return 0;
}

static int ends_sentence(Py_UCS4 c)
{
    return c == '.' || c == '!' || c == '?';
}

/* `splits`: whether a full stop ends a sentence; a line always does. */
static int part_text(Tokens *all, int splits)
{
    const Py_UCS4 *text = all->text;
    int32_t at = 0, length = all->length;
    int is_first = 1, has_ended = 0;
    while (at < length) {
        Py_UCS4 c = text[at];
        if (is_space(c)) {
            is_first |= c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029;
            at++;
            continue;
        }
        int32_t end;
        if (is_of_word(c)) {
            end = word_end(text, at, length);
        } else if ((c == '@' || c == '#') && at + 1 < length && is_of_word(text[at + 1])) {
            for (end = at + 1; end < length && is_of_word(text[end]);)
                end++;
        } else if (is_apostrophe(c) && at + 1 < length && ending(text, at + 1, length)) {
            end = ending(text, at + 1, length);
        } else {
            for (end = at + 1; end < length && text[end] == c;)
                end++;
        }
        int is_apart = at > 0 && is_space(text[at - 1]);
        if (splits && has_ended && is_apart && (is_upper(c) || is_digit(c) || !is_of_word(c)))
            is_first = 1;
        if (add_token(all, at, end, is_first) < 0)
            return -1;
        has_ended = ends_sentence(c) || (has_ended && !is_of_word(c) && !is_apart);
        is_first = 0;
        at = end;
    }
    return 0;
}
#endif
