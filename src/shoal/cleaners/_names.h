/* What kinds of elements are there, and what does each do to the text in it? */
#include "html.h"

#include <math.h>

#define MOST_ELEMENTS 300000
#define MOST_PIECES 50000
#define MOST_DEPTH 250
#define MOST_BUCKETS 64 /* of the words of one element's class, or of one piece, that are looked at */
#define BUCKETS 16384 /* of the lexicon of elements, and of that of words */
#define WORD_BUCKETS 32768
#define LEXICON (BUCKETS + WORD_BUCKETS)
#define TITLE_WORDS 32

enum {
    OTHER, P, DIV, LI, H1, H2, H3, H4, H5, H6, TD, TH, TR, TABLE, TBODY, UL, OL, DL, DT, DD, QUOTE, PRE,
    CAPTION, FIGURE, SECTION, ARTICLE, MAIN, ASIDE, NAV, HEADER, FOOTER, FORM, BUTTON, SUMMARY,
    ADDRESS, BODY, NOSCRIPT, A, SPAN, BOLD, BR, IMG, INPUT, SELECT, OPTION, TITLE, LABEL, DIALOG,
    CODE, HEAD,
};
enum { BLOCK = 1, VOID = 2, RAW = 4, DROPPED = 8, INLINE = 16, FOREIGN = 32 };
/* What an element puts its text into. */
enum {
    IN_NAV = 1, IN_HEADER = 2, IN_FOOTER = 4, IN_ASIDE = 8, IN_MAIN = 16, IN_ARTICLE = 32,
    IN_FORM = 64, IN_TABLE = 128, IN_LIST = 256, IN_QUOTE = 512, IN_FIGURE = 1024, IN_PRE = 2048,
    IN_NOSCRIPT = 4096, IN_HIDDEN = 8192, IN_BUTTON = 16384, IN_LINK = 32768, IN_HEADING = 65536,
    IN_DEFINITIONS = 131072, IN_DIALOG = 262144, IN_BOLD = 524288, IN_DROPPED = 1 << 20,
    IN_COMMENTS = 1 << 21,
};
#define PLACES 19 /* the first of these, which are features */

typedef struct {
    char name[12];
    unsigned char tag, flags;
    int into;
} Name;

static const Name NAMES[] = {
    {"p", P, BLOCK, 0}, {"div", DIV, BLOCK, 0}, {"li", LI, BLOCK, 0},
    {"h1", H1, BLOCK, IN_HEADING}, {"h2", H2, BLOCK, IN_HEADING}, {"h3", H3, BLOCK, IN_HEADING},
    {"h4", H4, BLOCK, IN_HEADING}, {"h5", H5, BLOCK, IN_HEADING}, {"h6", H6, BLOCK, IN_HEADING},
    {"td", TD, BLOCK, 0}, {"th", TH, BLOCK, 0}, {"tr", TR, BLOCK, 0},
    {"table", TABLE, BLOCK, IN_TABLE}, {"tbody", TBODY, BLOCK, 0}, {"thead", TBODY, BLOCK, 0},
    {"tfoot", TBODY, BLOCK, 0}, {"ul", UL, BLOCK, IN_LIST}, {"ol", OL, BLOCK, IN_LIST},
    {"menu", UL, BLOCK, IN_LIST}, {"dir", UL, BLOCK, IN_LIST}, {"dl", DL, BLOCK, IN_DEFINITIONS},
    {"dt", DT, BLOCK, 0}, {"dd", DD, BLOCK, 0}, {"blockquote", QUOTE, BLOCK, IN_QUOTE},
    {"pre", PRE, BLOCK, IN_PRE}, {"listing", PRE, BLOCK, IN_PRE}, {"xmp", PRE, BLOCK, IN_PRE},
    {"figcaption", CAPTION, BLOCK, 0}, {"caption", CAPTION, BLOCK, 0},
    {"figure", FIGURE, BLOCK, IN_FIGURE}, {"section", SECTION, BLOCK, 0},
    {"article", ARTICLE, BLOCK, IN_ARTICLE}, {"main", MAIN, BLOCK, IN_MAIN},
    {"aside", ASIDE, BLOCK, IN_ASIDE}, {"nav", NAV, BLOCK, IN_NAV},
    {"header", HEADER, BLOCK, IN_HEADER}, {"footer", FOOTER, BLOCK, IN_FOOTER},
    {"form", FORM, BLOCK, IN_FORM}, {"fieldset", FORM, BLOCK, 0}, {"legend", LABEL, BLOCK, 0},
    {"button", BUTTON, BLOCK, IN_BUTTON}, {"details", DIV, BLOCK, 0},
    {"summary", SUMMARY, BLOCK, 0}, {"dialog", DIALOG, BLOCK, IN_DIALOG},
    {"address", ADDRESS, BLOCK, 0}, {"center", DIV, BLOCK, 0}, {"hgroup", DIV, BLOCK, 0},
    {"search", FORM, BLOCK, IN_FORM}, {"body", BODY, BLOCK, 0}, {"head", HEAD, BLOCK, 0},
    {"html", BODY, BLOCK, 0}, {"hr", OTHER, BLOCK | VOID, 0}, {"frameset", DIV, BLOCK, 0},
    {"noscript", NOSCRIPT, BLOCK, IN_NOSCRIPT}, {"a", A, INLINE, 0}, {"span", SPAN, INLINE, 0},
    {"b", BOLD, INLINE, IN_BOLD}, {"strong", BOLD, INLINE, IN_BOLD}, {"i", SPAN, INLINE, 0},
    {"em", SPAN, INLINE, 0}, {"u", SPAN, INLINE, 0}, {"small", SPAN, INLINE, 0},
    {"font", SPAN, INLINE, 0}, {"code", CODE, INLINE, 0}, {"sup", SPAN, INLINE, 0},
    {"sub", SPAN, INLINE, 0}, {"label", LABEL, INLINE, 0}, {"time", SPAN, INLINE, 0},
    {"br", BR, VOID, 0}, {"img", IMG, VOID, 0}, {"input", INPUT, VOID, 0},
    {"meta", OTHER, VOID, 0}, {"link", OTHER, VOID, 0}, {"wbr", OTHER, VOID, 0},
    {"area", OTHER, VOID, 0}, {"base", OTHER, VOID, 0}, {"col", OTHER, VOID, 0},
    {"embed", OTHER, VOID, 0}, {"source", OTHER, VOID, 0}, {"track", OTHER, VOID, 0},
    {"param", OTHER, VOID, 0}, {"select", SELECT, BLOCK | DROPPED, IN_DROPPED},
    {"datalist", SELECT, BLOCK | DROPPED, IN_DROPPED}, {"option", OPTION, BLOCK, 0},
    {"template", SELECT, BLOCK | DROPPED, IN_DROPPED}, {"svg", SELECT, DROPPED | FOREIGN, IN_DROPPED},
    {"math", OTHER, FOREIGN, 0}, {"object", SELECT, BLOCK | DROPPED, IN_DROPPED},
    {"script", OTHER, RAW, 0}, {"style", OTHER, RAW, 0}, {"title", TITLE, RAW, 0},
    {"textarea", OTHER, RAW, 0}, {"iframe", OTHER, RAW, 0}, {"noembed", OTHER, RAW, 0},
    {"noframes", OTHER, RAW, 0},
};
#define NAME_SLOTS 512
static const Name *name_table[NAME_SLOTS];

static const char *const COMMENT_WORDS[] = {"comment", "comments", "disqus", "respond"};
static uint32_t comment_hashes[sizeof COMMENT_WORDS / sizeof *COMMENT_WORDS];

static void fill_name_table(void)
{
    for (size_t i = 0; i < sizeof COMMENT_WORDS / sizeof *COMMENT_WORDS; i++)
        comment_hashes[i] = hash_of(COMMENT_WORDS[i], (Py_ssize_t)strlen(COMMENT_WORDS[i]));
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        uint32_t at = hash_of(NAMES[i].name, (Py_ssize_t)strlen(NAMES[i].name)) % NAME_SLOTS;
        while (name_table[at] != NULL)
            at = (at + 1) % NAME_SLOTS;
        name_table[at] = &NAMES[i];
    }
}

/* What is known of the name that stands there, whose hash this is. */
ALWAYS_INLINE const Name *name_of(const Html *html, int kind, const Markup *tag, uint32_t hash)
{
    static const Name unknown = {"", OTHER, INLINE, 0};
    for (uint32_t at = hash % NAME_SLOTS; name_table[at] != NULL; at = (at + 1) % NAME_SLOTS) {
        const char *name = name_table[at]->name;
        if (is_name(html, kind, tag->from, tag->to, name, (Py_ssize_t)strlen(name)))
            return name_table[at];
    }
    return &unknown;
}
