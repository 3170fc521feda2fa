/* Where are a page's tags, and where does each end? The HTML tokenizer (WHATWG 13.2.5), flat.
 *
 * Every module in C that reads HTML includes this one, so that they agree on what is a tag, a comment
 * or a script. Only what the tokens are stands here; what they mean is for the module. Nothing is
 * kept, nothing recurses and nothing is allocated: a token is a few places of the page. The page is
 * read in the width in which Python holds it (`kind`: 1, 2 or 4 bytes a character); all is inline,
 * and the compiler makes one copy for each width.
 */
#ifndef SHOAL_HTML_H
#define SHOAL_HTML_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef struct {
    const void *page;
    Py_ssize_t length;
} Html;

#define HTML_AT(index) PyUnicode_READ(kind, html->page, index)

/* ---- characters and words ---- */

ALWAYS_INLINE int is_space(Py_UCS4 c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

ALWAYS_INLINE int is_letter(Py_UCS4 c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

ALWAYS_INLINE Py_UCS4 lower(Py_UCS4 c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

/* The first place of a character from `from` on; the page's length when there is none. */
ALWAYS_INLINE Py_ssize_t find(const Html *html, int kind, Py_UCS4 wanted, Py_ssize_t from)
{
    if (kind == 1) {
        const char *start = (const char *)html->page + from;
        const char *found = memchr(start, (int)wanted, (size_t)(html->length - from));
        return found ? from + (found - start) : html->length;
    }
    while (from < html->length && HTML_AT(from) != wanted)
        from++;
    return from;
}

ALWAYS_INLINE int starts_with(const Html *html, int kind, const char *word, Py_ssize_t from)
{
    for (; *word; word++, from++)
        if (from >= html->length || HTML_AT(from) != (Py_UCS4)*word)
            return 0;
    return 1;
}

/* Whether the name between two places is this one, in whatever case. */
ALWAYS_INLINE int is_name(const Html *html, int kind, Py_ssize_t from, Py_ssize_t to,
                          const char *name, Py_ssize_t length)
{
    if (to - from != length)
        return 0;
    for (Py_ssize_t i = 0; i < length; i++)
        if (lower(HTML_AT(from + i)) != (Py_UCS4)name[i])
            return 0;
    return 1;
}

/* FNV-1a: of a name in the page, in whatever case, and the same of one that is known. */
#define FNV_START 2166136261u
#define FNV_PRIME 16777619u

ALWAYS_INLINE uint32_t hash_in_page(const Html *html, int kind, Py_ssize_t from, Py_ssize_t to)
{
    uint32_t hash = FNV_START;
    for (; from < to; from++)
        hash = (hash ^ lower(HTML_AT(from))) * FNV_PRIME;
    return hash;
}

static inline uint32_t hash_of(const char *name, Py_ssize_t length)
{
    uint32_t hash = FNV_START;
    for (Py_ssize_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * FNV_PRIME;
    return hash;
}

/* ---- what a `<` begins ---- */

enum { START_TAG, END_TAG, CDATA, NO_TEXT, LESS_THAN };

typedef struct {
    int type; /* LESS_THAN: it is the sign itself; NO_TEXT: a comment, a doctype, an instruction */
    Py_ssize_t from, to; /* the name of a tag, the text of CDATA, the sign */
    Py_ssize_t end; /* where the page goes on; for a tag: where its attributes begin */
} Markup;

/* Where a comment that begins at `from` ends. */
ALWAYS_INLINE Py_ssize_t after_comment(const Html *html, int kind, Py_ssize_t from)
{
    Py_ssize_t at = from + 4;
    if (starts_with(html, kind, ">", at))
        return at + 1;
    if (starts_with(html, kind, "->", at))
        return at + 2;
    for (; (at = find(html, kind, '-', at)) < html->length; at++) {
        if (starts_with(html, kind, "-->", at))
            return at + 3;
        if (starts_with(html, kind, "--!>", at))
            return at + 4;
    }
    return html->length;
}

ALWAYS_INLINE Markup cdata_at(const Html *html, int kind, Py_ssize_t start)
{
    Py_ssize_t from = start + 9, at = from;
    while ((at = find(html, kind, ']', at)) < html->length && !starts_with(html, kind, "]]>", at))
        at++;
    return (Markup){CDATA, from, at, at < html->length ? at + 3 : at};
}

/* What the `<` at `start` begins. CDATA is known only in foreign elements. */
ALWAYS_INLINE Markup markup_at(const Html *html, int kind, Py_ssize_t start, int is_foreign)
{
    Py_ssize_t at = start + 1;
    int is_end = at < html->length && HTML_AT(at) == '/';
    Py_ssize_t name = at + is_end;
    if (name < html->length && is_letter(HTML_AT(name))) {
        for (at = name; at < html->length; at++)
            if (is_space(HTML_AT(at)) || HTML_AT(at) == '/' || HTML_AT(at) == '>')
                break;
        return (Markup){is_end ? END_TAG : START_TAG, name, at, at};
    }
    if (starts_with(html, kind, "<!--", start))
        return (Markup){NO_TEXT, at, at, after_comment(html, kind, start)};
    if (is_foreign && starts_with(html, kind, "<![CDATA[", start))
        return cdata_at(html, kind, start);
    if (at < html->length && (is_end || HTML_AT(at) == '!' || HTML_AT(at) == '?')) {
        Py_ssize_t end = find(html, kind, '>', at);
        return (Markup){NO_TEXT, at, at, end + (end < html->length)};
    }
    return (Markup){LESS_THAN, start, at, at};
}

/* How many foreign elements (svg, math) are open behind the tag of one. */
ALWAYS_INLINE int foreign_after(int open, int is_end, int closes_itself)
{
    return is_end ? open - (open > 0) : open + !closes_itself;
}

/* ---- attributes ---- */

typedef struct {
    Py_ssize_t name, name_end;
    Py_ssize_t value, value_end; /* without its quotes */
} Attribute;

/* The attribute at `*at` or behind it, with `*at` behind that. 1: there is one; 0: the tag ended,
 * and `*closes_itself` says whether by `/>`; -1: the tag has no end. */
ALWAYS_INLINE int next_attribute(const Html *html, int kind, Py_ssize_t *place, Attribute *found,
                                 int *closes_itself)
{
    Py_ssize_t at = *place, gap;
    int slashed = 0;
    while (at < html->length && (is_space(HTML_AT(at)) || HTML_AT(at) == '/'))
        slashed = HTML_AT(at++) == '/';
    if (at >= html->length)
        return -1;
    if (HTML_AT(at) == '>') {
        *closes_itself = slashed;
        *place = at + 1;
        return 0;
    }
    found->name = at;
    at += HTML_AT(at) == '=';
    while (at < html->length && !is_space(HTML_AT(at)) && HTML_AT(at) != '/' &&
           HTML_AT(at) != '>' && HTML_AT(at) != '=')
        at++;
    found->name_end = found->value = found->value_end = at;
    for (gap = at; gap < html->length && is_space(HTML_AT(gap)); gap++)
        ;
    if (gap < html->length && HTML_AT(gap) == '=') {
        for (at = gap + 1; at < html->length && is_space(HTML_AT(at)); at++)
            ;
        if (at < html->length && (HTML_AT(at) == '"' || HTML_AT(at) == '\'')) {
            found->value = at + 1;
            found->value_end = find(html, kind, HTML_AT(at), at + 1);
            if (found->value_end >= html->length)
                return -1;
            at = found->value_end + 1;
        } else {
            found->value = at;
            while (at < html->length && !is_space(HTML_AT(at)) && HTML_AT(at) != '>')
                at++;
            found->value_end = at;
        }
    }
    *place = at;
    return 1;
}

/* ---- elements whose content is no markup ---- */

/* Whether `<name` or, for an end tag, `</name` stands there, with nothing more to the name. */
ALWAYS_INLINE int is_tag(const Html *html, int kind, Py_ssize_t at, int is_end, const char *name,
                         Py_ssize_t length)
{
    if (is_end && !starts_with(html, kind, "</", at))
        return 0;
    at += 1 + is_end;
    if (at + length >= html->length || !is_name(html, kind, at, at + length, name, length))
        return 0;
    Py_UCS4 next = HTML_AT(at + length);
    return is_space(next) || next == '/' || next == '>';
}

/* Where the content of a script that begins at `at` ends: a script in a comment within it ends only
 * itself. */
ALWAYS_INLINE Py_ssize_t end_of_script(const Html *html, int kind, Py_ssize_t at)
{
    int is_comment = 0, is_nested = 0;
    for (; at < html->length; at++) {
        if (!is_comment) {
            at = find(html, kind, '<', at);
            if (at >= html->length)
                break;
        }
        Py_UCS4 c = HTML_AT(at);
        if (c == '-' && starts_with(html, kind, "-->", at)) {
            is_comment = is_nested = 0;
            at += 2;
        } else if (c != '<') {
            continue;
        } else if (starts_with(html, kind, "<!--", at)) {
            is_comment = 1;
            at += 1; /* `<!-->` is a whole comment */
        } else if (is_tag(html, kind, at, 0, "script", 6)) {
            is_nested = is_comment;
        } else if (is_tag(html, kind, at, 1, "script", 6)) {
            if (!is_nested)
                return at;
            is_nested = 0;
        }
    }
    return html->length;
}

/* Where the content of a raw element that begins at `at` ends: at its own end tag, or nowhere. */
ALWAYS_INLINE Py_ssize_t end_of_raw(const Html *html, int kind, const char *name,
                                    Py_ssize_t length, Py_ssize_t at)
{
    if (length == 6 && memcmp(name, "script", 6) == 0)
        return end_of_script(html, kind, at);
    while ((at = find(html, kind, '<', at)) < html->length &&
           !is_tag(html, kind, at, 1, name, length))
        at++;
    return at;
}

#endif
