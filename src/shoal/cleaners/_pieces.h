/* What is a piece of text like? Its words, signs, links: counted character by character. */
#include "_names.h"

typedef struct {
    const Name *name;
    uint32_t hash; /* of the name, as written: an end tag closes its like */
    int parent;
    int depth;
    int into;
    uint32_t signature; /* of its own name and class, and those above it */
    float weight; /* what its name, class, id and role say, by the lexicon; */
    float total, least, most; /* and those of all elements down to it */
    int buckets, bucket_count; /* of these words, for training */
    int first, end; /* its pieces */
    int repeats, model; /* how many elements look like it, and the first of them */
    float words, link_words, paragraph_words, good_words;
} Element;

typedef struct {
    Py_ssize_t start, end; /* in the source */
    int element; /* the block it stands in */
    int into;
    float inline_weight;
    int words, link_words, bold_words, chars, digits, capitals, punctuation, commas, stops, marks;
    int links, images, inputs, breaks, upper_words, title_words, longest;
    int buckets, bucket_count;
    uint32_t hash; /* of its words */
    Py_UCS4 last;
    int is_dropped;
    float word_sum, word_least, word_most;
    /* from the second pass */
    int copies, copy, text_first, like, like_first;
    float like_words, like_link_words;
    float words_before;
} Piece;

typedef struct {
    Html html;
    const float *element_lexicon, *word_lexicon; /* or NULL */
    Element *elements;
    int element_count, element_room;
    Piece *pieces;
    int piece_count, piece_room;
    uint16_t *buckets;
    int bucket_count, bucket_room;
    int wants_buckets;
    int stack[MOST_DEPTH];
    int depth, ignored; /* open elements, and those too deep to be kept */
    int block; /* the innermost open block element */
    int into;
    int is_open; /* a piece is being read */
    Piece piece;
    Py_ssize_t boundary; /* where the last one ended */
    int images, inputs;
    uint32_t word, last_word; /* hash of the word being read, 0: none; and of the one before */
    int word_chars, word_is_upper;
    int run; /* characters since the last space */
    int wide; /* those of scripts without spaces */
    int breaks; /* line breaks since the last text */
    uint32_t title[TITLE_WORDS];
    int title_count;
    int failed;
} Pass;

#define AT(index) PyUnicode_READ(kind, pass->html.page, index)

static void *grown(Pass *pass, void *items, int count, int *room, size_t size)
{
    if (count < *room)
        return items;
    int wanted = *room ? *room * 2 : 256;
    void *larger = PyMem_RawRealloc(items, (size_t)wanted * size);
    if (larger == NULL) {
        pass->failed = 1;
        return items;
    }
    *room = wanted;
    return larger;
}

static void add_bucket(Pass *pass, uint32_t hash)
{
    pass->buckets = grown(pass, pass->buckets, pass->bucket_count, &pass->bucket_room,
                          sizeof *pass->buckets);
    if (!pass->failed)
        pass->buckets[pass->bucket_count++] = (uint16_t)(hash % WORD_BUCKETS);
}

/* ---- pieces ---- */

static void begin_piece(Pass *pass, Py_ssize_t at)
{
    pass->is_open = 1;
    memset(&pass->piece, 0, sizeof pass->piece);
    pass->piece.start = at;
    pass->piece.element = pass->block;
    pass->piece.into = pass->into;
    pass->piece.is_dropped = (pass->into & IN_DROPPED) != 0;
    pass->piece.images = pass->images;
    pass->piece.inputs = pass->inputs;
    pass->piece.links = (pass->into & IN_LINK) != 0;
    pass->piece.buckets = pass->bucket_count;
    pass->piece.hash = 2166136261u;
    pass->images = pass->inputs = 0;
    int top = pass->depth ? pass->stack[pass->depth - 1] : -1;
    for (float *weight = &pass->piece.inline_weight; top > pass->block;
         top = pass->elements[top].parent)
        *weight += pass->elements[top].weight;
}

static void look_up(Pass *pass, uint32_t hash)
{
    Piece *piece = &pass->piece;
    if (piece->bucket_count >= MOST_BUCKETS)
        return;
    piece->bucket_count++;
    if (pass->wants_buckets)
        add_bucket(pass, hash);
    if (pass->word_lexicon != NULL) {
        float weight = pass->word_lexicon[hash % WORD_BUCKETS];
        piece->word_sum += weight;
        piece->word_least = fminf(piece->word_least, weight);
        piece->word_most = fmaxf(piece->word_most, weight);
    }
}

static void end_word(Pass *pass)
{
    if (pass->word == 0)
        return;
    Piece *piece = &pass->piece;
    uint32_t hash = pass->word;
    pass->word = 0;
    piece->words++;
    piece->upper_words += pass->word_is_upper && pass->word_chars > 1;
    piece->link_words += (pass->into & IN_LINK) != 0;
    piece->bold_words += (pass->into & IN_BOLD) != 0;
    piece->hash = (piece->hash ^ hash) * 16777619u;
    for (int i = 0; i < pass->title_count; i++)
        if (pass->title[i] == hash) {
            piece->title_words++;
            break;
        }
    look_up(pass, hash);
    if (piece->words > 1)
        look_up(pass, (pass->last_word * 31) ^ hash); /* two words together */
    pass->last_word = hash;
}

static void end_piece(Pass *pass, Py_ssize_t at)
{
    end_word(pass);
    pass->breaks = pass->run = 0;
    if (!pass->is_open)
        return;
    pass->is_open = 0;
    Piece *piece = &pass->piece;
    piece->words += pass->wide / 2;
    piece->link_words += (pass->into & IN_LINK) != 0 ? pass->wide / 2 : 0;
    pass->wide = 0;
    piece->end = at;
    if (piece->chars == 0 || piece->is_dropped || pass->piece_count >= MOST_PIECES)
        return;
    pass->pieces =
        grown(pass, pass->pieces, pass->piece_count, &pass->piece_room, sizeof *pass->pieces);
    if (!pass->failed)
        pass->pieces[pass->piece_count++] = *piece;
}

ALWAYS_INLINE int is_wide(Py_UCS4 c)
{
    return c >= 0x0E00 && (c <= 0x0EFF || (c >= 0x1000 && c <= 0x109F) ||
                           (c >= 0x1780 && c <= 0x17FF) || (c >= 0x2E80 && c <= 0xD7FF) ||
                           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3FFFF));
}

ALWAYS_INLINE int is_alphanumeric(Py_UCS4 c)
{
    if (c < 128)
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    return Py_UNICODE_ISALNUM(c);
}

ALWAYS_INLINE int is_blank(Py_UCS4 c)
{
    return c < 128 ? c == ' ' || (c >= 9 && c <= 13) : Py_UNICODE_ISSPACE(c);
}

static void take_sign(Piece *piece, Py_UCS4 c)
{
    switch (c) {
    case '.': case '!': case '?': case 0x3002: case 0xFF01: case 0xFF1F: case 0x061F: case 0x0964:
        piece->stops++;
        piece->punctuation++;
        break;
    case ',': case ';': case 0x3001: case 0xFF0C: case 0x060C: case 0xFF1B:
        piece->commas++;
        piece->punctuation++;
        break;
    case '|': case 0xBB: case 0x203A: case 0x2022: case '/': case '>': case 0xB7: case 0xA9:
    case 0x2192: case 0x25B6: case '+': case '#': case '@':
        piece->marks++;
        break;
    case '$': case 0x20AC: case 0xA3: case 0xA5: case '%':
        piece->capitals |= 1 << 30;
        break;
    default:
        piece->punctuation += c == ':' || c == '"' || c == '\'' || c == '(' || c == ')' ||
                              c == 0x2019 || c == 0x201C || c == 0x201D || c == '-';
    }
}

/* How many characters a reference such as `&amp;` has; 0: it is none. `*c` becomes what it stands
 * for as far as it matters here: a letter, a space, a sign. */
ALWAYS_INLINE int reference(const Pass *pass, int kind, Py_ssize_t at, Py_ssize_t to, Py_UCS4 *c)
{
    char name[12];
    int length = 0;
    for (Py_ssize_t i = at + 1; i < to && length < 11; i++) {
        Py_UCS4 next = AT(i);
        if (next == ';') {
            name[length] = 0;
            if (length == 0)
                return 0;
            if (name[0] == '#') {
                long number = name[1] == 'x' || name[1] == 'X' ? strtol(name + 2, NULL, 16)
                                                               : strtol(name + 1, NULL, 10);
                *c = number > 0 && number < 0x110000 ? (Py_UCS4)number : ' ';
            } else if (strcmp(name, "nbsp") == 0) {
                *c = ' ';
            } else if (strcmp(name, "copy") == 0) {
                *c = 0xA9;
            } else if (strcmp(name, "raquo") == 0) {
                *c = 0xBB;
            } else {
                const char *ends[] = {"acute", "grave", "uml", "circ", "tilde", "cedil", "lig"};
                *c = '\'';
                for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
                    size_t size = strlen(ends[e]);
                    if ((size_t)length == size + 1 && strcmp(name + 1, ends[e]) == 0)
                        *c = (Py_UCS4)name[0];
                }
            }
            return length + 2;
        }
        if (next > 127 || !(is_alphanumeric(next) || (next == '#' && length == 0)))
            return 0;
        name[length++] = (char)next;
    }
    return 0;
}

ALWAYS_INLINE void take_text(Pass *pass, int kind, Py_ssize_t from, Py_ssize_t to)
{
    for (Py_ssize_t at = from; at < to; at++) {
        Py_UCS4 c = AT(at);
        Py_ssize_t here = at;
        if (c == '&') {
            int length = reference(pass, kind, at, to, &c);
            at += length ? length - 1 : 0;
        }
        if (is_blank(c)) {
            end_word(pass);
            pass->run = 0;
            continue;
        }
        if (pass->breaks > 1) /* two line breaks part paragraphs */
            end_piece(pass, here);
        if (!pass->is_open)
            begin_piece(pass, here);
        pass->breaks = 0;
        Piece *piece = &pass->piece;
        piece->chars++;
        piece->last = c;
        if (++pass->run > piece->longest)
            piece->longest = pass->run;
        if (is_alphanumeric(c)) {
            int is_upper = c < 128 ? c >= 'A' && c <= 'Z' : Py_UNICODE_ISUPPER(c);
            if (pass->word == 0) {
                pass->word = 2166136261u;
                pass->word_chars = 0;
                pass->word_is_upper = 1;
                piece->capitals += is_upper;
            }
            Py_UCS4 folded = c < 128 ? (is_upper ? c + 32 : c) : Py_UNICODE_TOLOWER(c);
            if (pass->word_chars++ < 24)
                pass->word = (pass->word ^ folded) * 16777619u;
            pass->word += pass->word == 0;
            pass->word_is_upper &= is_upper;
            piece->digits += c >= '0' && c <= '9';
            if (is_wide(c)) {
                pass->wide++;
                if (pass->word_chars >= 2)
                    end_word(pass), pass->wide -= 2;
            }
        } else {
            end_word(pass);
            take_sign(piece, c);
        }
    }
}
