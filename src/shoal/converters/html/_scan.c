/* The HTML scanner of scan.py in C: `Scanner` does what `PlainScanner` does, character for character,
 * and scan.py says what that is and why. What is a tag and where it ends, html.h says.
 *
 * One pass over the page, no recursion, and no memory but what is given back: the text can't be
 * longer than the page, since a tag of at least three characters becomes one space at most. The page is
 * read in the width in which Python holds it (1, 2 or 4 bytes a character); the compiler makes one
 * copy of the pass for each.
 */
#include "html.h"

#define SLOTS 256 /* for at most half as many names, so that a search ends soon */
#define LONGEST_NAME 16
#define MOST_ALTS 20

/* An element or, with only its name and `start`, an attribute. */
typedef struct {
    char name[LONGEST_NAME];
    Py_ssize_t length;
    PyObject *start; /* how its start tag is told, and its end tag; NULL: not at all */
    PyObject *end;
    Py_UCS4 space; /* what stands for it in the text; 0: nothing */
    char is_raw;
    char is_shown;
    char is_foreign;
    char is_anchor;
    char is_image;
    char is_template;
    char keeps_lines;
} Word;

typedef struct {
    Word slots[SLOTS];
    int count;
} Words;

typedef struct {
    PyObject_HEAD
    Words elements;
    Words attributes;
    int whole_anchors; /* told once, at their end */
} Scanner;

/* What one pass knows. */
typedef struct {
    Scanner *scanner;
    Html html;
    void *text;
    Py_ssize_t text_length;
    Py_UCS4 space; /* what separates the next word from the last one; 0: nothing */
    Py_ssize_t indent; /* spaces that are kept before the next word */
    Py_ssize_t kept; /* how many elements are open whose lines are lines */
    Py_ssize_t templates;
    PyObject *anchor; /* attributes of the one that is open, or NULL, */
    Py_ssize_t anchor_start; /* where its text begins, */
    PyObject *alts; /* and what its images show, or NULL */
    PyObject *settled; /* targets that were told with a text and no rel: nothing is left to say */
    PyObject *tags;
    Py_ssize_t max_tags;
    PyObject *empty;
    const int32_t *wanted; /* places of the page, ascending, whose places in the text are told */
    int32_t *found;
    Py_ssize_t wanted_count, found_count;
} Pass;

/* ---- the tables of known words ---- */

static Word *slot_of(Words *words, const char *name, Py_ssize_t length)
{
    for (uint32_t at = hash_of(name, length) % SLOTS;; at = (at + 1) % SLOTS) {
        Word *word = &words->slots[at];
        if (word->length == 0 ||
            (word->length == length && memcmp(word->name, name, (size_t)length) == 0))
            return word;
    }
}

static Word *add_word(Words *words, const char *name, Py_ssize_t length)
{
    if (length < 1 || length > LONGEST_NAME || words->count >= SLOTS / 2) {
        PyErr_Format(PyExc_ValueError, "one name too many, or too long: %s", name);
        return NULL;
    }
    Word *word = slot_of(words, name, length);
    if (word->length == 0) {
        words->count++;
        memcpy(word->name, name, (size_t)length);
        word->length = length;
    }
    return word;
}

static int add_known(Words *elements)
{
    static const char *const raw[] = {"script", "style",   "title",    "textarea",
                                      "iframe", "noembed", "noframes", "xmp"};
    static const char *const foreign[] = {"svg", "math"};
    for (size_t i = 0; i < sizeof raw / sizeof *raw; i++)
        add_word(elements, raw[i], (Py_ssize_t)strlen(raw[i]))->is_raw = 1;
    add_word(elements, "xmp", 3)->is_shown = 1;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        add_word(elements, foreign[i], (Py_ssize_t)strlen(foreign[i]))->is_foreign = 1;
    add_word(elements, "a", 1)->is_anchor = 1;
    add_word(elements, "img", 3)->is_image = 1;
    add_word(elements, "template", 8)->is_template = 1;
    return 0;
}

static int add_spaces(Words *elements, PyObject *spaces)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(spaces, &at, &key, &value)) {
        Py_ssize_t length;
        const char *name = PyUnicode_AsUTF8AndSize(key, &length);
        Word *word = name ? add_word(elements, name, length) : NULL;
        if (word == NULL)
            return -1;
        if (!PyUnicode_Check(value) || PyUnicode_GetLength(value) != 1 ||
            (PyUnicode_ReadChar(value, 0) != ' ' && PyUnicode_ReadChar(value, 0) != '\n')) {
            PyErr_SetString(PyExc_ValueError, "a tag is a space or the end of a line");
            return -1;
        }
        word->space = PyUnicode_ReadChar(value, 0);
    }
    return 0;
}

static int add_keeps_lines(Words *elements, PyObject *names)
{
    PyObject *items = PySequence_Fast(names, "no names of elements");
    if (items == NULL)
        return -1;
    int failed = 0;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items) && !failed; i++) {
        Py_ssize_t length;
        const char *name = PyUnicode_AsUTF8AndSize(PySequence_Fast_GET_ITEM(items, i), &length);
        Word *word = name ? add_word(elements, name, length) : NULL;
        if (word == NULL)
            failed = -1;
        else
            word->keeps_lines = 1;
    }
    Py_DECREF(items);
    return failed;
}

/* Names whose tags, ends of tags ("/a") or attributes are told. */
static int add_wanted(Words *words, PyObject *wanted)
{
    PyObject *iterator = PyObject_GetIter(wanted);
    PyObject *item;
    if (iterator == NULL)
        return -1;
    while ((item = PyIter_Next(iterator)) != NULL) {
        Py_ssize_t length;
        const char *name = PyUnicode_AsUTF8AndSize(item, &length);
        int is_end = name != NULL && length > 0 && name[0] == '/';
        Word *word = name ? add_word(words, name + is_end, length - is_end) : NULL;
        if (word == NULL) {
            Py_DECREF(item);
            break;
        }
        Py_XSETREF(*(is_end ? &word->end : &word->start), item);
    }
    Py_DECREF(iterator);
    return PyErr_Occurred() ? -1 : 0;
}

static int scanner_init(Scanner *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"spaces", "keeps_lines", "tags", "attributes", NULL};
    PyObject *spaces, *keeps_lines, *tags, *attributes;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!OOO", names, &PyDict_Type, &spaces,
                                     &keeps_lines, &tags, &attributes))
        return -1;
    if (self->elements.count) {
        PyErr_SetString(PyExc_TypeError, "a scanner is made once");
        return -1;
    }
    int failed = add_known(&self->elements) || add_spaces(&self->elements, spaces) ||
                 add_keeps_lines(&self->elements, keeps_lines) ||
                 add_wanted(&self->elements, tags) || add_wanted(&self->attributes, attributes);
    Word *anchor = slot_of(&self->elements, "a", 1);
    self->whole_anchors = anchor->start != NULL && anchor->end == NULL;
    return failed ? -1 : 0;
}

static void scanner_dealloc(Scanner *self)
{
    PyTypeObject *type = Py_TYPE(self);
    for (int i = 0; i < SLOTS; i++) {
        Py_XDECREF(self->elements.slots[i].start);
        Py_XDECREF(self->elements.slots[i].end);
        Py_XDECREF(self->attributes.slots[i].start);
        Py_XDECREF(self->attributes.slots[i].end);
    }
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

/* ---- characters ---- */

#define AT(index) PyUnicode_READ(kind, pass->html.page, index)

ALWAYS_INLINE PyObject *slice(const Pass *pass, int kind, Py_ssize_t from, Py_ssize_t to)
{
    if (from == to)
        return Py_NewRef(pass->empty);
    return PyUnicode_FromKindAndData(kind, (const char *)pass->html.page + from * kind, to - from);
}

ALWAYS_INLINE void separate(Pass *pass, Py_UCS4 space)
{
    if (pass->space != '\n')
        pass->space = space;
    if (space == '\n')
        pass->indent = 0;
}

ALWAYS_INLINE void put_space(Pass *pass, int kind)
{
    if (pass->space == '\n' || pass->indent == 0)
        PyUnicode_WRITE(kind, pass->text, pass->text_length++, pass->space);
    for (; pass->indent > 0; pass->indent--)
        PyUnicode_WRITE(kind, pass->text, pass->text_length++, ' ');
}

/* What a character of ASCII is in a text: 0 of a word, 1 looked at, 2 a control character. */
static const unsigned char ASCII[128] = {
    2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1,
    [' '] = 1, ['&'] = 1, [127] = 2,
};

ALWAYS_INLINE int is_of_word(Py_UCS4 c)
{
    return c < 128 ? ASCII[c] == 0 : !Py_UNICODE_ISSPACE(c);
}

/* Words, with what separates each from the one before it, without control characters. Never longer
 * than the source: a space stands for at least one character of it. */
ALWAYS_INLINE void put_text(Pass *pass, int kind, Py_ssize_t from, Py_ssize_t to, int keeps_lines)
{
    for (Py_ssize_t at = from; at < to; at++) {
        Py_UCS4 c = AT(at);
        if (c == '\n' && keeps_lines) {
            separate(pass, '\n');
        } else if (Py_UNICODE_ISSPACE(c)) {
            separate(pass, ' ');
            pass->indent += keeps_lines;
        } else if (c == '&' && to - at >= 6 && starts_with(&pass->html, kind, "&nbsp;", at)) {
            separate(pass, ' ');
            pass->indent += keeps_lines;
            at += 5;
        } else if (c >= 128 || ASCII[c] != 2) {
            if (pass->space) {
                if (pass->text_length)
                    put_space(pass, kind);
                pass->space = 0;
                pass->indent = 0;
            }
            /* The rest of the word, up to what the cases above look at, goes over in one piece. */
            Py_ssize_t end = at + 1;
            while (end < to && is_of_word(AT(end)))
                end++;
            memcpy((char *)pass->text + pass->text_length * kind,
                   (const char *)pass->html.page + at * kind, (size_t)((end - at) * kind));
            pass->text_length += end - at;
            at = end - 1;
        }
    }
}

/* ---- tags ---- */

/* What is known of the name that stands there; NULL: nothing. */
ALWAYS_INLINE Word *known(const Pass *pass, int kind, Words *words, Py_ssize_t from, Py_ssize_t to)
{
    if (to - from > LONGEST_NAME)
        return NULL;
    const Html *html = &pass->html;
    for (uint32_t at = hash_in_page(html, kind, from, to) % SLOTS;; at = (at + 1) % SLOTS) {
        Word *word = &words->slots[at];
        if (word->length == 0)
            return NULL;
        if (is_name(html, kind, from, to, word->name, word->length))
            return word;
    }
}

/* The first of several attributes with one name holds. */
ALWAYS_INLINE int keep_attribute(const Pass *pass, int kind, PyObject *found,
                                 const Attribute *attribute)
{
    Word *word =
        known(pass, kind, &pass->scanner->attributes, attribute->name, attribute->name_end);
    if (word == NULL || word->start == NULL)
        return 0;
    PyObject *content = slice(pass, kind, attribute->value, attribute->value_end);
    if (content == NULL)
        return -1;
    int result = PyDict_SetDefault(found, word->start, content) ? 0 : -1;
    Py_DECREF(content);
    return result;
}

/* Reads attributes up to the end of the tag, into `found` unless that is NULL. Returns the place
 * behind the tag, -1 when it has no end, -2 for an error. */
ALWAYS_INLINE Py_ssize_t read_attributes(const Pass *pass, int kind, Py_ssize_t at,
                                         PyObject *found, int *closes_itself)
{
    Attribute attribute;
    int more;
    while ((more = next_attribute(&pass->html, kind, &at, &attribute, closes_itself)) > 0)
        if (found != NULL && keep_attribute(pass, kind, found, &attribute) < 0)
            return -2;
    return more < 0 ? -1 : at;
}

/* Tells of a tag; takes the source that stands within. 0: done; 1: there are enough of them;
 * -1: an error. */
static int tell(Pass *pass, PyObject *name, PyObject *attributes, Py_ssize_t place,
                PyObject *source)
{
    if (PyList_GET_SIZE(pass->tags) >= pass->max_tags) {
        Py_DECREF(source);
        return 1;
    }
    PyObject *number = PyLong_FromSsize_t(place);
    PyObject *tag = number ? PyTuple_Pack(4, name, attributes, number, source) : NULL;
    int result = tag ? PyList_Append(pass->tags, tag) : -1;
    Py_XDECREF(number);
    Py_DECREF(source);
    Py_XDECREF(tag);
    return result;
}

/* ---- anchors that are told whole ---- */

/* What a reference is known by: itself without its fragment. NULL without an error: it has to be
 * looked at (a character reference, white space). */
static PyObject *target_of(PyObject *href)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(href), end = length;
    int kind = (int)PyUnicode_KIND(href);
    const void *data = PyUnicode_DATA(href);
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 c = PyUnicode_READ(kind, data, i);
        if (c == '&' || c <= ' ')
            return NULL;
        if (c == '#' && end == length)
            end = i;
    }
    return PyUnicode_Substring(href, 0, end);
}

static PyObject *attribute(PyObject *attributes, const char *name)
{
    return attributes ? PyDict_GetItemString(attributes, name) : NULL;
}

/* Whether a target was told before and this anchor adds nothing to it; -1: an error. */
static int is_settled(const Pass *pass, PyObject *attributes, PyObject *href)
{
    if (attribute(attributes, "rel") != NULL)
        return 0;
    PyObject *target = target_of(href);
    if (target == NULL)
        return PyErr_Occurred() ? -1 : 0;
    int result = PySet_Contains(pass->settled, target);
    Py_DECREF(target);
    return result;
}

/* 0 or -1 for an error. An anchor without a target, or within its own page, is none. */
static int begin_anchor(Pass *pass, PyObject *attributes)
{
    PyObject *href = attribute(attributes, "href");
    if (href == NULL || PyUnicode_GET_LENGTH(href) == 0)
        href = attribute(attributes, "xlink:href");
    if (href == NULL || PyUnicode_GET_LENGTH(href) == 0 || PyUnicode_READ_CHAR(href, 0) == '#')
        return 0;
    int settled = is_settled(pass, attributes, href);
    if (settled == 0) {
        pass->anchor = Py_NewRef(attributes);
        pass->anchor_start = pass->text_length;
    }
    return settled < 0 ? -1 : 0;
}

/* The image of an anchor shows what the anchor is about. */
static int keep_alt(Pass *pass, PyObject *attributes)
{
    PyObject *alt = attribute(attributes, "alt");
    if (alt == NULL || PyUnicode_GET_LENGTH(alt) == 0)
        return 0;
    if (pass->alts == NULL && (pass->alts = PyList_New(0)) == NULL)
        return -1;
    return PyList_GET_SIZE(pass->alts) < MOST_ALTS ? PyList_Append(pass->alts, alt) : 0;
}

static int join_alts(Pass *pass)
{
    PyObject *space = PyUnicode_FromString(" ");
    PyObject *joined = space ? PyUnicode_Join(space, pass->alts) : NULL;
    int result = joined ? PyDict_SetItemString(pass->anchor, "alt", joined) : -1;
    Py_XDECREF(space);
    Py_XDECREF(joined);
    return result;
}

static int settle(Pass *pass, PyObject *href)
{
    PyObject *target = target_of(href);
    if (target == NULL)
        return PyErr_Occurred() ? -1 : 0;
    int result = PySet_Add(pass->settled, target);
    Py_DECREF(target);
    return result;
}

/* Tells of the anchor that is open, if one is: one that was not closed ends with its first line.
 * Returns what tell() returns. */
ALWAYS_INLINE int end_anchor(Pass *pass, int kind, int is_closed)
{
    Py_ssize_t start = pass->anchor_start, end = pass->text_length, at = start;
    if (pass->anchor == NULL)
        return 0;
    if (!is_closed) {
        while (at < end && Py_UNICODE_ISSPACE(PyUnicode_READ(kind, pass->text, at)))
            at++;
        while (at < end && PyUnicode_READ(kind, pass->text, at) != '\n')
            at++;
        end = at;
    }
    int is_plain = is_closed && end > start && pass->templates == 0 &&
                   attribute(pass->anchor, "rel") == NULL;
    for (at = start; is_plain && at < end; at++)
        is_plain = PyUnicode_READ(kind, pass->text, at) != '&';
    PyObject *href = attribute(pass->anchor, "href");
    int result = pass->alts ? join_alts(pass) : 0;
    if (result == 0 && is_plain && href != NULL && PyUnicode_GET_LENGTH(href) > 0)
        result = settle(pass, href);
    if (result == 0) {
        Word *element = slot_of(&pass->scanner->elements, "a", 1);
        PyObject *text =
            PyUnicode_FromKindAndData(kind, (const char *)pass->text + start * kind, end - start);
        result = text ? tell(pass, element->start, pass->anchor, start, text) : -1;
    }
    Py_CLEAR(pass->anchor);
    Py_CLEAR(pass->alts);
    return result;
}

/* Where the text stands at the wanted places before `end`. A place within a text is its beginning. */
ALWAYS_INLINE void find_places(Pass *pass, Py_ssize_t end)
{
    while (pass->found_count < pass->wanted_count && pass->wanted[pass->found_count] < end)
        pass->found[pass->found_count++] = (int32_t)pass->text_length;
}

/* The whole pass. Returns how far it got; -1 for an error. */
ALWAYS_INLINE Py_ssize_t read_page(Pass *pass, int kind)
{
    const Html *html = &pass->html;
    Py_ssize_t at = 0;
    int foreign = 0;
    while (at < html->length) {
        Py_ssize_t start = find(html, kind, '<', at);
        find_places(pass, start);
        put_text(pass, kind, at, start, pass->kept > 0);
        if (start >= html->length)
            break;
        Markup markup = markup_at(html, kind, start, foreign > 0);
        at = markup.end;
        if (markup.type > END_TAG) {
            if (markup.type != NO_TEXT)
                put_text(pass, kind, markup.from, markup.to,
                         markup.type == CDATA && pass->kept > 0);
            continue;
        }
        int is_end = markup.type == END_TAG;
        static Word nobody;
        Word *element = known(pass, kind, &pass->scanner->elements, markup.from, markup.to);
        if (element == NULL)
            element = &nobody;
        PyObject *told = is_end ? element->end : element->start;
        int is_whole = pass->scanner->whole_anchors && element->is_anchor;
        int in_anchor = element->is_image && pass->anchor != NULL && !is_end;
        PyObject *attributes = NULL;
        if ((told != NULL || in_anchor) && (attributes = PyDict_New()) == NULL)
            return -1;
        int closes_itself = 0;
        at = read_attributes(pass, kind, at, is_end ? NULL : attributes, &closes_itself);
        if (at < 0) {
            Py_XDECREF(attributes);
            return at == -2 || end_anchor(pass, kind, 0) < 0 ? -1 : html->length;
        }
        Py_ssize_t inner = at;
        if (element->is_raw && !is_end && !(foreign && closes_itself))
            at = end_of_raw(html, kind, element->name, element->length, at);
        int result = 0;
        if (is_whole) {
            result = end_anchor(pass, kind, is_end);
            if (result == 0 && !is_end)
                result = begin_anchor(pass, attributes);
        } else if (told != NULL) {
            PyObject *source = slice(pass, kind, inner, at);
            result = source ? tell(pass, told, attributes, pass->text_length, source) : -1;
        }
        if (result == 0 && in_anchor)
            result = keep_alt(pass, attributes);
        Py_XDECREF(attributes);
        if (result != 0)
            return result > 0 ? start : -1;
        if (element->is_template)
            pass->templates += is_end ? -(pass->templates > 0) : 1;
        if (element->space)
            separate(pass, element->space);
        if (element->is_shown)
            put_text(pass, kind, inner, at, 1);
        if (element->is_foreign)
            foreign = foreign_after(foreign, is_end, closes_itself);
        if (element->keeps_lines) {
            if (is_end)
                pass->kept -= pass->kept > 0;
            else
                pass->kept++;
        }
    }
    return end_anchor(pass, kind, 0) < 0 ? -1 : html->length;
}

/* ---- the type ---- */

static PyObject *scanner_scan(Scanner *self, PyObject *arguments)
{
    PyObject *html, *result = NULL;
    Pass pass = {.scanner = self};
    Py_buffer wanted = {0};
    if (!PyArg_ParseTuple(arguments, "Un|y*", &html, &pass.max_tags, &wanted))
        return NULL;
    pass.wanted = wanted.buf;
    pass.wanted_count = wanted.len / (Py_ssize_t)sizeof(int32_t);
    int kind = (int)PyUnicode_KIND(html);
    pass.html.page = PyUnicode_DATA(html);
    pass.html.length = PyUnicode_GET_LENGTH(html);
    pass.text = PyMem_Malloc((size_t)(pass.html.length + 1) * (size_t)kind);
    pass.tags = PyList_New(0);
    pass.empty = PyUnicode_New(0, 0);
    pass.settled = PySet_New(NULL);
    PyObject *places =
        PyBytes_FromStringAndSize(NULL, pass.wanted_count * (Py_ssize_t)sizeof(int32_t));
    if (pass.text == NULL) {
        PyErr_NoMemory();
    } else if (pass.tags != NULL && pass.empty != NULL && pass.settled != NULL && places != NULL) {
        pass.found = (int32_t *)PyBytes_AS_STRING(places);
        Py_ssize_t end = kind == 1   ? read_page(&pass, 1)
                         : kind == 2 ? read_page(&pass, 2)
                                     : read_page(&pass, 4);
        find_places(&pass, PY_SSIZE_T_MAX);
        PyObject *text =
            end < 0 ? NULL : PyUnicode_FromKindAndData(kind, pass.text, pass.text_length);
        if (text != NULL)
            result = Py_BuildValue("(NOnO)", text, pass.tags, end, places);
    }
    if (wanted.obj != NULL)
        PyBuffer_Release(&wanted);
    Py_XDECREF(places);
    PyMem_Free(pass.text);
    Py_XDECREF(pass.tags);
    Py_XDECREF(pass.empty);
    Py_XDECREF(pass.settled);
    Py_XDECREF(pass.anchor);
    Py_XDECREF(pass.alts);
    return result;
}

static PyMethodDef scanner_methods[] = {
    {"scan", (PyCFunction)scanner_scan, METH_VARARGS,
     "scan(html, max_tags, places): the text, the wanted tags, how far it got, and the places."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot scanner_slots[] = {
    {Py_tp_doc, "The native form of shoal.converters.html.scan.PlainScanner."},
    {Py_tp_init, scanner_init},
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_dealloc, scanner_dealloc},
    {Py_tp_methods, scanner_methods},
    {0, NULL},
};

static PyType_Spec scanner_spec = {
    .name = "shoal.converters.html._scan.Scanner",
    .basicsize = sizeof(Scanner),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = scanner_slots,
};

static int module_exec(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&scanner_spec);
    int result = type ? PyModule_AddObjectRef(module, "Scanner", type) : -1;
    Py_XDECREF(type);
    return result;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, module_exec}, {0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "shoal.converters.html._scan",
    .m_doc = "The HTML tokenizer of shoal.converters.html.scan, compiled.",
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__scan(void)
{
    return PyModuleDef_Init(&module);
}
