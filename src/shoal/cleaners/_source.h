/* Where do elements begin and end in a page's source? One pass, without a tree of nodes: elements know
 * their parents, and which pieces stand in them. What is kept of a page is bounded. */
#include "_pieces.h"

static void settle_top(Pass *pass)
{
    int top = pass->depth ? pass->stack[pass->depth - 1] : 0;
    pass->into = pass->elements[top].into;
    while (top > 0 && !(pass->elements[top].name->flags & BLOCK))
        top = pass->elements[top].parent;
    pass->block = top;
}

static void close_to(Pass *pass, int depth, Py_ssize_t at)
{
    end_word(pass);
    for (int i = pass->depth - 1; i >= depth; i--)
        if (pass->elements[pass->stack[i]].name->flags & (BLOCK | DROPPED)) {
            end_piece(pass, at);
            break;
        }
    for (int i = pass->depth - 1; i >= depth; i--)
        pass->elements[pass->stack[i]].end = pass->piece_count;
    pass->depth = depth;
    settle_top(pass);
}

static int is_one_of(int tag, const unsigned char *tags)
{
    for (; *tags; tags++)
        if (*tags == tag)
            return 1;
    return 0;
}

/* Closes an open element of one of these kinds, unless one of those stands between. */
static void close_nearest(Pass *pass, const unsigned char *kinds, const unsigned char *within,
                          Py_ssize_t at)
{
    for (int i = pass->depth - 1; i >= 0; i--) {
        int tag = pass->elements[pass->stack[i]].name->tag;
        if (is_one_of(tag, kinds)) {
            close_to(pass, i, at);
            return;
        }
        if (is_one_of(tag, within))
            return;
    }
}

/* End tags that may be left out (WHATWG 13.1.2.4). */
static void imply_ends(Pass *pass, const Name *name, Py_ssize_t at)
{
    static const unsigned char paragraphs[] = {P, 0}, items[] = {LI, 0}, lists[] = {UL, OL, TABLE, 0},
                               terms[] = {DT, DD, 0}, definitions[] = {DL, TABLE, 0},
                               cells[] = {TD, TH, 0}, rows[] = {TR, 0}, groups[] = {TBODY, 0},
                               tables[] = {TABLE, 0}, row_or_table[] = {TR, TABLE, 0},
                               buttons[] = {BUTTON, TD, TH, TABLE, 0}, anchors[] = {A, 0},
                               options[] = {OPTION, 0}, selects[] = {SELECT, 0};
    switch (name->tag) {
    case LI: close_nearest(pass, items, lists, at); break;
    case DT: case DD: close_nearest(pass, terms, definitions, at); break;
    case TD: case TH: close_nearest(pass, cells, row_or_table, at); break;
    case TR: close_nearest(pass, rows, tables, at); break;
    case TBODY: close_nearest(pass, groups, tables, at); break;
    case A: close_nearest(pass, anchors, tables, at); break;
    case OPTION: close_nearest(pass, options, selects, at); break;
    default: break;
    }
    if ((name->flags & BLOCK) && !(pass->into & IN_DROPPED))
        close_nearest(pass, paragraphs, buttons, at);
}

/* Attribute values that matter, as ranges of the source. */
typedef struct {
    Py_ssize_t from[6], to[6];
    int is_hidden, has_href, is_closed;
} Attributes;
enum { CLASS, ID, ROLE, STYLE, ITEM, TYPE };

static void weigh(Pass *pass, Element *element, uint32_t hash)
{
    if (element->bucket_count >= MOST_BUCKETS)
        return;
    element->bucket_count++;
    if (pass->wants_buckets)
        add_bucket(pass, hash % BUCKETS);
    if (pass->element_lexicon != NULL)
        element->weight += pass->element_lexicon[hash % BUCKETS];
}

static void mark_comments(Element *element, uint32_t hash)
{
    for (size_t i = 0; i < sizeof COMMENT_WORDS / sizeof *COMMENT_WORDS; i++)
        if (hash == comment_hashes[i])
            element->into |= IN_COMMENTS;
}

/* The names of a class or id, and the words in each: `post-body` is post, body and post-body. */
ALWAYS_INLINE uint32_t add_words(Pass *pass, int kind, Py_ssize_t from, Py_ssize_t to,
                                 Element *element, uint32_t signature)
{
    uint32_t word = 0, name = 0;
    int was_lower = 0, chars = 0, words = 0;
    for (Py_ssize_t at = from; at <= to; at++) {
        Py_UCS4 c = at < to ? AT(at) : ' ';
        int is_upper = c >= 'A' && c <= 'Z';
        int is_part = is_upper || (c >= 'a' && c <= 'z');
        if (word != 0 && (!is_part || (is_upper && was_lower))) {
            if (chars > 1) {
                weigh(pass, element, word);
                mark_comments(element, word);
            }
            signature = (signature ^ word) * 16777619u;
            name = ((name ? name : 2166136261u) ^ word) * 16777619u;
            words++;
            word = 0;
        }
        if (name != 0 && is_blank(c)) {
            if (words > 1)
                weigh(pass, element, name);
            name = 0;
            words = 0;
        }
        was_lower = c >= 'a' && c <= 'z';
        if (!is_part)
            continue;
        if (word == 0) {
            word = 2166136261u;
            chars = 0;
        }
        if (chars++ < 20)
            word = (word ^ (is_upper ? c + 32 : c)) * 16777619u;
        word += word == 0;
    }
    return signature;
}

ALWAYS_INLINE int has_word(const Pass *pass, int kind, Py_ssize_t from, Py_ssize_t to,
                           const char *word)
{
    Py_ssize_t size = (Py_ssize_t)strlen(word);
    for (Py_ssize_t at = from; at + size <= to; at++) {
        Py_ssize_t i = 0;
        while (i < size && (Py_UCS4)word[i] == (AT(at + i) | 32))
            i++;
        if (i == size)
            return 1;
    }
    return 0;
}

ALWAYS_INLINE void open_element(Pass *pass, int kind, const Name *name, uint32_t hash,
                                const Attributes *attributes, Py_ssize_t at)
{
    imply_ends(pass, name, at);
    if (name->flags & (BLOCK | DROPPED))
        end_piece(pass, at);
    else
        end_word(pass);
    if (name->tag == IMG)
        pass->images++;
    if (name->tag == INPUT)
        pass->inputs++;
    if (name->tag == BR) {
        pass->breaks++;
        if (pass->is_open)
            pass->piece.breaks++;
    }
    if ((name->flags & VOID) || attributes->is_closed)
        return;
    if (name->tag == A && pass->is_open)
        pass->piece.links++;
    if (pass->depth >= MOST_DEPTH || pass->element_count >= MOST_ELEMENTS) {
        pass->ignored++;
        return;
    }
    pass->elements = grown(pass, pass->elements, pass->element_count, &pass->element_room,
                           sizeof *pass->elements);
    if (pass->failed)
        return;
    int parent = pass->depth ? pass->stack[pass->depth - 1] : 0;
    const Element *above = &pass->elements[parent];
    Element *element = &pass->elements[pass->element_count];
    memset(element, 0, sizeof *element);
    element->name = name;
    element->hash = hash;
    element->parent = parent;
    element->depth = above->depth + 1;
    element->into = above->into | name->into;
    element->first = element->end = pass->piece_count;
    element->buckets = pass->bucket_count;
    if (name->tag == A && attributes->has_href)
        element->into |= IN_LINK;
    uint32_t own = (2166136261u ^ hash) * 16777619u;
    weigh(pass, element, hash);
    own = add_words(pass, kind, attributes->from[CLASS], attributes->to[CLASS], element, own);
    add_words(pass, kind, attributes->from[ID], attributes->to[ID], element, 0);
    add_words(pass, kind, attributes->from[ROLE], attributes->to[ROLE], element, 0);
    add_words(pass, kind, attributes->from[ITEM], attributes->to[ITEM], element, 0);
    if (attributes->is_hidden ||
        has_word(pass, kind, attributes->from[STYLE], attributes->to[STYLE], "display:none") ||
        has_word(pass, kind, attributes->from[STYLE], attributes->to[STYLE], "display: none") ||
        has_word(pass, kind, attributes->from[STYLE], attributes->to[STYLE], "visibility:hidden"))
        element->into |= IN_HIDDEN;
    above = &pass->elements[parent];
    element->signature = (above->signature ^ own) * 16777619u;
    element->total = above->total + element->weight;
    element->least = fminf(above->least, element->weight);
    element->most = fmaxf(above->most, element->weight);
    pass->stack[pass->depth++] = pass->element_count++;
    if (pass->is_open)
        pass->piece.inline_weight += element->weight;
    settle_top(pass);
}

static void close_element(Pass *pass, const Name *name, uint32_t hash, Py_ssize_t at)
{
    if (name->flags & VOID) {
        if (name->tag == BR)
            pass->breaks++;
        return;
    }
    if (pass->ignored > 0 && pass->depth >= MOST_DEPTH) {
        pass->ignored--;
        return;
    }
    if (name->tag == BODY)
        return; /* what follows still belongs to the page */
    for (int i = pass->depth - 1; i >= 0; i--) {
        const Element *open = &pass->elements[pass->stack[i]];
        if (open->hash == hash) {
            close_to(pass, i, at);
            return;
        }
        /* A stray end tag of formatting closes no block, and that of a block no cell. */
        if ((name->flags & INLINE) && (open->name->flags & BLOCK))
            return;
        if (open->name->tag == TABLE || (name->tag != TABLE && open->name->tag == TD))
            if (name->tag != TABLE && name->tag != DIV)
                return;
    }
}

/* ---- the source ---- */

ALWAYS_INLINE Py_ssize_t find(const Pass *pass, int kind, Py_UCS4 wanted, Py_ssize_t from)
{
    if (kind == 1) {
        const char *start = (const char *)pass->page + from;
        const char *found = memchr(start, (int)wanted, (size_t)(pass->length - from));
        return found ? from + (found - start) : pass->length;
    }
    while (from < pass->length && AT(from) != wanted)
        from++;
    return from;
}

ALWAYS_INLINE int matches(const Pass *pass, int kind, Py_ssize_t at, const char *word)
{
    for (; *word; word++, at++)
        if (at >= pass->length || (AT(at) | (*word >= 'a' ? 32 : 0)) != (Py_UCS4)*word)
            return 0;
    return 1;
}

ALWAYS_INLINE Py_ssize_t after_comment(const Pass *pass, int kind, Py_ssize_t at)
{
    if (matches(pass, kind, at + 4, ">"))
        return at + 5;
    for (at += 2; (at = find(pass, kind, '-', at)) < pass->length; at++)
        if (matches(pass, kind, at, "-->"))
            return at + 3;
    return pass->length;
}

/* Where the end tag of a raw element begins. A script in a comment in a script is not looked for:
 * it is rare, and only features hang on it. */
ALWAYS_INLINE Py_ssize_t end_of_raw(const Pass *pass, int kind, const char *name, Py_ssize_t at)
{
    for (; (at = find(pass, kind, '<', at)) < pass->length; at++)
        if (at + 1 < pass->length && AT(at + 1) == '/' && matches(pass, kind, at + 2, name))
            return at;
    return pass->length;
}

ALWAYS_INLINE Py_ssize_t read_attributes(const Pass *pass, int kind, Py_ssize_t at,
                                         Attributes *found)
{
    static const char *const wanted[] = {"class", "id", "role", "style", "itemprop", "type"};
    memset(found, 0, sizeof *found);
    for (;;) {
        int slashed = 0;
        while (at < pass->length && (is_blank(AT(at)) || AT(at) == '/'))
            slashed = AT(at++) == '/';
        if (at >= pass->length)
            return -1;
        if (AT(at) == '>') {
            found->is_closed = slashed;
            return at + 1;
        }
        Py_ssize_t name = at, name_end, value, value_end;
        at += AT(at) == '=';
        while (at < pass->length && !is_blank(AT(at)) && AT(at) != '/' && AT(at) != '>' &&
               AT(at) != '=')
            at++;
        name_end = value = value_end = at;
        Py_ssize_t gap = at;
        while (gap < pass->length && is_blank(AT(gap)))
            gap++;
        if (gap < pass->length && AT(gap) == '=') {
            for (at = gap + 1; at < pass->length && is_blank(AT(at)); at++)
                ;
            if (at < pass->length && (AT(at) == '"' || AT(at) == '\'')) {
                value = at + 1;
                value_end = find(pass, kind, AT(at), value);
                if (value_end >= pass->length)
                    return -1;
                at = value_end + 1;
            } else {
                value = at;
                while (at < pass->length && !is_blank(AT(at)) && AT(at) != '>')
                    at++;
                value_end = at;
            }
        }
        Py_ssize_t length = name_end - name;
        for (int i = 0; i < 6; i++)
            if (length == (Py_ssize_t)strlen(wanted[i]) && matches(pass, kind, name, wanted[i]) &&
                found->to[i] == 0) {
                found->from[i] = value;
                found->to[i] = value_end;
            }
        if (length == 4 && matches(pass, kind, name, "href"))
            found->has_href = value_end > value && AT(value) != '#';
        else if (length == 6 && matches(pass, kind, name, "hidden"))
            found->is_hidden = 1;
        else if (length == 11 && matches(pass, kind, name, "aria-hidden"))
            found->is_hidden |= matches(pass, kind, value, "true");
    }
}

ALWAYS_INLINE void take_title(Pass *pass, int kind, Py_ssize_t from, Py_ssize_t to)
{
    uint32_t word = 0;
    for (; from <= to && pass->title_count < TITLE_WORDS; from++) {
        Py_UCS4 c = from < to ? AT(from) : ' ';
        if (is_alphanumeric(c)) {
            word = word ? word : 2166136261u;
            word = (word ^ (c < 128 ? (c >= 'A' && c <= 'Z' ? c + 32 : c)
                                    : Py_UNICODE_TOLOWER(c))) * 16777619u;
            word += word == 0;
        } else if (word != 0) {
            pass->title[pass->title_count++] = word;
            word = 0;
        }
    }
}

ALWAYS_INLINE void read_page(Pass *pass, int kind)
{
    Py_ssize_t at = 0;
    Attributes attributes;
    char name[LONGEST_NAME + 1];
    while (at < pass->length && !pass->failed) {
        Py_ssize_t start = find(pass, kind, '<', at);
        take_text(pass, kind, at, start);
        if (start >= pass->length)
            break;
        at = start + 1;
        int is_end = at < pass->length && AT(at) == '/';
        at += is_end;
        Py_UCS4 first = at < pass->length ? AT(at) : 0;
        if (!((first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z'))) {
            if (matches(pass, kind, start, "<!--"))
                at = after_comment(pass, kind, start);
            else if (is_end || first == '!' || first == '?') {
                at = find(pass, kind, '>', at);
                at += at < pass->length;
            } else
                take_text(pass, kind, start, at);
            continue;
        }
        int length = 0;
        uint32_t hash = 2166136261u;
        for (; at < pass->length && !is_blank(AT(at)) && AT(at) != '/' && AT(at) != '>'; at++) {
            Py_UCS4 c = AT(at) >= 'A' && AT(at) <= 'Z' ? AT(at) + 32 : AT(at);
            hash = (hash ^ c) * 16777619u;
            if (length < LONGEST_NAME)
                name[length++] = c < 128 ? (char)c : '?';
        }
        hash ^= 0x5bd1e995u; /* a `<nav>` is not the word nav */
        const Name *known = name_of(name, (size_t)length);
        at = read_attributes(pass, kind, at, &attributes);
        if (at < 0)
            break;
        if (known->flags & RAW) {
            Py_ssize_t inner = at;
            if (is_end)
                continue;
            at = end_of_raw(pass, kind, known->name, at);
            if (known->tag == TITLE && pass->title_count == 0 && !(pass->into & IN_DROPPED))
                take_title(pass, kind, inner, at);
            end_word(pass);
        } else if (is_end) {
            close_element(pass, known, hash, start);
        } else {
            open_element(pass, kind, known, hash, &attributes, start);
        }
    }
    close_to(pass, 0, pass->length);
    end_piece(pass, pass->length);
}
