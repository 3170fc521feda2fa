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

ALWAYS_INLINE int is_attribute(const Html *html, int kind, const Attribute *found, const char *name)
{
    return is_name(html, kind, found->name, found->name_end, name, (Py_ssize_t)strlen(name));
}

ALWAYS_INLINE Py_ssize_t read_attributes(const Pass *pass, int kind, Py_ssize_t at,
                                         Attributes *found)
{
    static const char *const wanted[] = {"class", "id", "role", "style", "itemprop", "type"};
    const Html *html = &pass->html;
    Attribute each;
    int more;
    memset(found, 0, sizeof *found);
    while ((more = next_attribute(html, kind, &at, &each, &found->is_closed)) > 0) {
        for (int i = 0; i < 6; i++)
            if (is_attribute(html, kind, &each, wanted[i]) && found->to[i] == 0) {
                found->from[i] = each.value;
                found->to[i] = each.value_end;
            }
        if (is_attribute(html, kind, &each, "href"))
            found->has_href = each.value_end > each.value && AT(each.value) != '#';
        else if (is_attribute(html, kind, &each, "hidden"))
            found->is_hidden = 1;
        else if (is_attribute(html, kind, &each, "aria-hidden") && each.value_end - each.value >= 4)
            found->is_hidden |= is_name(html, kind, each.value, each.value + 4, "true", 4);
    }
    return more < 0 ? -1 : at;
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
    const Html *html = &pass->html;
    Py_ssize_t at = 0;
    int foreign = 0;
    Attributes attributes;
    while (at < html->length && !pass->failed) {
        Py_ssize_t start = find(html, kind, '<', at);
        take_text(pass, kind, at, start);
        if (start >= html->length)
            break;
        Markup markup = markup_at(html, kind, start, foreign > 0);
        at = markup.end;
        if (markup.type > END_TAG) {
            if (markup.type != NO_TEXT)
                take_text(pass, kind, markup.from, markup.to);
            continue;
        }
        int is_end = markup.type == END_TAG;
        uint32_t hash = hash_in_page(html, kind, markup.from, markup.to);
        const Name *known = name_of(html, kind, &markup, hash);
        hash ^= 0x5bd1e995u; /* a `<nav>` is not the word nav */
        at = read_attributes(pass, kind, at, &attributes);
        if (at < 0)
            break;
        if (known->flags & FOREIGN)
            foreign = foreign_after(foreign, is_end, attributes.is_closed);
        if (known->flags & RAW) {
            Py_ssize_t inner = at;
            if (is_end || (foreign && attributes.is_closed))
                continue;
            at = end_of_raw(html, kind, known->name, (Py_ssize_t)strlen(known->name), at);
            if (known->tag == TITLE && pass->title_count == 0 && !(pass->into & IN_DROPPED))
                take_title(pass, kind, inner, at);
            end_word(pass);
        } else if (is_end) {
            close_element(pass, known, hash, start);
        } else {
            open_element(pass, kind, known, hash, &attributes, start);
        }
    }
    close_to(pass, 0, html->length);
    end_piece(pass, html->length);
}
