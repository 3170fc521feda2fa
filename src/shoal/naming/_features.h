/* What is seen of a word and its neighbours? Features, each a hash of 32 bits.
 *
 * Most are of one word as seen from a place up to two words away: their weights are summed once for
 * each word and remembered. The rest are of several words at once.
 */
#ifndef SHOAL_ENTITY_FEATURES_H
#define SHOAL_ENTITY_FEATURES_H

#define REACH 2
#define MOST_OF_WORD 40
#define MOST_OF_PLACE 48
#define MOST_PHRASE 5

/* An open table from a hash to a number; 0 is no number. Most of what is looked up is not there, and
 * of that a small table of bits says so in most cases. */
typedef struct {
    uint32_t key, value;
} Pair;

typedef struct {
    Pair *pairs;
    uint64_t *some;
    uint32_t mask;
} Table;

#define SOME_BITS 21

static uint32_t mixed(uint32_t hash)
{
    hash ^= hash >> 16;
    hash *= 0x7feb352du;
    hash ^= hash >> 15;
    hash *= 0x846ca68bu;
    return hash ^ (hash >> 16);
}

static uint32_t joined(uint32_t kind, uint32_t first, uint32_t second)
{
    return mixed(mixed(kind * 0x9e3779b1u + first) + second * 0x85ebca6bu + 1);
}

static int make_table(Table *table, uint32_t count)
{
    uint32_t slots = 16;
    while (slots < count * 2)
        slots *= 2;
    table->pairs = PyMem_RawCalloc(slots, sizeof *table->pairs);
    table->some = PyMem_RawCalloc(1u << (SOME_BITS - 6), sizeof *table->some);
    table->mask = slots - 1;
    return table->pairs == NULL || table->some == NULL ? -1 : 0;
}

static void put_in(Table *table, uint32_t key, uint32_t value)
{
    uint32_t at = key & table->mask, bit = key >> (32 - SOME_BITS);
    while (table->pairs[at].value)
        at = (at + 1) & table->mask;
    table->pairs[at] = (Pair){key, value};
    table->some[bit >> 6] |= (uint64_t)1 << (bit & 63);
}

static uint32_t value_of(const Table *table, uint32_t key)
{
    uint32_t bit = key >> (32 - SOME_BITS);
    if (!(table->some[bit >> 6] >> (bit & 63) & 1))
        return 0;
    for (uint32_t at = key & table->mask; table->pairs[at].value; at = (at + 1) & table->mask)
        if (table->pairs[at].key == key)
            return table->pairs[at].value;
    return 0;
}

static void forget_all(Table *table)
{
    memset(table->pairs, 0, ((size_t)table->mask + 1) * sizeof *table->pairs);
    memset(table->some, 0, (1u << (SOME_BITS - 6)) * sizeof *table->some);
}

/* All that is asked of a word as such. */
typedef struct {
    uint32_t cased, lower, shape, kind, known;
    uint32_t first, last; /* hashes of its beginnings and ends are made when asked for */
} Word;

enum { LOWERCASE = 1, CAPITAL, CAPITALS, MIXED, NUMBER, SIGN, OUTSIDE };

static uint32_t hash_chars(const Py_UCS4 *text, int32_t count, int lowers)
{
    uint32_t hash = 0x811c9dc5u;
    for (int32_t at = 0; at < count; at++) {
        Py_UCS4 c = lowers ? lower_of(text[at]) : text[at];
        c = c == 0x2019 ? '\'' : c;
        hash = (hash ^ (is_digit(c) ? '0' : c)) * 0x01000193u;
    }
    return mixed(hash);
}

static uint32_t class_of(Py_UCS4 c)
{
    if (is_upper(c))
        return 'X';
    if (is_letter(c))
        return 'x';
    if (is_digit(c))
        return '0';
    return c < 128 ? c : '?';
}

static void look_at(Word *word, const Py_UCS4 *text, int32_t chars, const Table *lexicon)
{
    uint32_t shape = 0x811c9dc5u, last = 0;
    int32_t uppers = 0, letters = 0, digits = 0, run = 0;
    for (int32_t at = 0; at < chars; at++) {
        uint32_t each = class_of(text[at]);
        uppers += each == 'X';
        letters += each == 'X' || each == 'x';
        digits += each == '0';
        run = each == last ? run + 1 : 0;
        if (run < 2)
            shape = (shape ^ each) * 0x01000193u;
        last = each;
    }
    word->shape = mixed(shape);
    word->cased = hash_chars(text, chars, 0);
    word->lower = hash_chars(text, chars, 1);
    word->known = value_of(lexicon, word->lower);
    if (!letters)
        word->kind = digits ? NUMBER : SIGN;
    else if (!uppers)
        word->kind = LOWERCASE;
    else if (uppers == letters && letters > 1)
        word->kind = CAPITALS;
    else
        word->kind = uppers == 1 && is_upper(text[0]) ? CAPITAL : MIXED;
}

/* The lexicon says of a word: its cluster (9 bits and 1), how it is mostly written (3), and the
 * lists that it stands in (12). */
#define CLUSTER_OF(known) ((known) & 0x3ff)
#define CASE_OF(known) (((known) >> 10) & 7)
#define LISTS_OF(known) (((known) >> 13) & 0xfff)

/* The features of a word for the place that it stands `offset` words behind. */
static int word_features(uint32_t *out, const Word *word, const Py_UCS4 *text, int32_t chars,
                         int offset)
{
    int n = 0;
    uint32_t place = (uint32_t)(offset + REACH) << 8;
    uint32_t cluster = CLUSTER_OF(word->known);
    out[n++] = joined(place | 1, word->lower, 0);
    if (offset >= -1 && offset <= 1) {
        out[n++] = joined(place | 2, word->shape, 0);
        out[n++] = joined(place | 3, word->kind, CASE_OF(word->known));
    } else {
        out[n++] = joined(place | 3, word->kind, 0);
    }
    if (cluster) {
        uint32_t path = cluster - 1;
        out[n++] = joined(place | 4, path, 0);
        out[n++] = joined(place | 5, path >> 2, 0);
        out[n++] = joined(place | 6, path >> 5, 0);
        if (offset == 0)
            out[n++] = joined(place | 7, path, word->kind);
    } else {
        out[n++] = joined(place | 8, word->kind, 0);
    }
    if (offset >= -1 && offset <= 1) {
        uint32_t lists = LISTS_OF(word->known);
        for (uint32_t bit = 0; bit < 12; bit++)
            if (lists >> bit & 1)
                out[n++] = joined(place | 9, bit, word->kind == LOWERCASE);
    }
    if (chars > MOST_TOKEN_CHARS)
        return n;
    if (offset == 0) {
        out[n++] = joined(place | 10, word->cased, 0);
        for (int32_t length = 1; length <= 4 && length <= chars; length++) {
            out[n++] = joined(place | 11, hash_chars(text, length, 1), (uint32_t)length);
            out[n++] = joined(place | 12, hash_chars(text + chars - length, length, 1),
                              (uint32_t)length);
        }
    } else if (offset >= -1 && offset <= 1 && chars >= 3) {
        out[n++] = joined(place | 12, hash_chars(text + chars - 3, 3, 1), 3);
    }
    return n;
}

/* How the words of a sentence are written. */
enum { USUAL, HEADLINE, ALL_CAPITALS, ALL_LOWERCASE };

typedef struct {
    uint8_t kinds;  /* of the phrases that it stands in: a bit for each list */
    uint8_t begins, ends;
} InPhrase;

#define MOSTLY_LOWERCASE 2 /* CASE_OF what has a capital in hardly any place */
#define LISTS_OF_NAMES 0x3f

/* A capital that may be a name's. The first word of a sentence has one anyway. */
static int has_capital(const Word *at)
{
    if (at->kind != CAPITAL)
        return at->kind == CAPITALS || at->kind == MIXED;
    return at[-1].kind != OUTSIDE || CASE_OF(at->known) != MOSTLY_LOWERCASE ||
           (LISTS_OF(at->known) & LISTS_OF_NAMES);
}

/* Whether a name may stand at a place. Elsewhere none is looked for. */
static int may_name(const Word *at, const InPhrase *marked, int style)
{
    if (marked->kinds || style == ALL_LOWERCASE || has_capital(at) || has_capital(at + 1))
        return 1;
    return at[-1].kind != OUTSIDE && has_capital(at - 1);
}

/* The features of a place that are of several words; `words` and `marked` may be asked two places
 * beyond both ends. */
static int place_features(uint32_t *out, const Word *words, const InPhrase *marked, int style,
                          int is_first)
{
    int n = 0;
    const Word *at = words;
    if (!may_name(at, marked, style))
        return 0;
    uint32_t before = CLUSTER_OF(at[-1].known), own = CLUSTER_OF(at->known);
    uint32_t after = CLUSTER_OF(at[1].known);
    out[n++] = joined(0x1001, at[-1].lower, at->lower);
    out[n++] = joined(0x1002, at->lower, at[1].lower);
    out[n++] = joined(0x1003, at[-1].lower, at[1].lower);
    out[n++] = joined(0x1004, at[-1].kind * 64 + at->kind * 8 + at[1].kind, 0);
    out[n++] = joined(0x1005, at[-1].lower, at->kind);
    out[n++] = joined(0x1006, at[1].lower, at->kind);
    out[n++] = joined(0x1007, (before + 3) >> 2, (own + 3) >> 2);
    out[n++] = joined(0x1008, (own + 3) >> 2, (after + 3) >> 2);
    out[n++] = joined(0x1009, at->kind * 8 + CASE_OF(at->known), (uint32_t)(style * 2 + is_first));
    out[n++] = joined(0x100a, at[-2].lower, at[-1].lower);
    out[n++] = joined(0x100b, at[1].lower, at[2].lower);
    out[n++] = joined(0x100c, at->kind * 8 + at[1].kind, at[-1].lower);
    out[n++] = joined(0x100d, before, at->kind);
    out[n++] = joined(0x100e, after, at->kind);
    for (uint32_t bit = 0; bit < 8; bit++)
        if (marked->kinds >> bit & 1) {
            uint32_t where = (marked->begins >> bit & 1) * 2u + (marked->ends >> bit & 1);
            out[n++] = joined(0x1010 + bit, where, at->kind == LOWERCASE);
            out[n++] = joined(0x1020 + bit, where * 2 + (style == ALL_LOWERCASE), own);
        }
    return n;
}
#endif
