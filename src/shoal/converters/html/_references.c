/* Character references decoded: `html.unescape` in C, and references.py says why.
 *
 * The pieces between references are copied whole. What stands in HTML's list, or is a plain number, is
 * settled here; anything odd (no semicolon, a number that stands for another character) is handed to
 * `html.unescape`, one reference at a time, so the two can't differ.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define LONGEST_NAME 32 /* as in html.unescape */

/* What one call is about. */
typedef struct {
    PyObject *text;
    int kind;
    const void *data;
    Py_ssize_t length;
    PyObject *named; /* "amp;" to "&" */
    PyObject *odd; /* html.unescape */
} Source;

static Py_UCS4 at(const Source *source, Py_ssize_t place)
{
    return place < source->length ? PyUnicode_READ(source->kind, source->data, place) : 0;
}

static int is_digit(Py_UCS4 c)
{
    return c >= '0' && c <= '9';
}

static int is_hexadecimal(Py_UCS4 c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static int ends_a_name(Py_UCS4 c)
{
    return c == '\t' || c == '\n' || c == '\f' || c == ' ' || c == '<' || c == '&' || c == '#' ||
           c == ';';
}

/* Where the reference ends whose `&` stands before `from`; `from` itself when there is none. */
static Py_ssize_t end_of(const Source *source, Py_ssize_t from)
{
    Py_ssize_t end = from;
    if (at(source, from) == '#') {
        int is_hex = at(source, from + 1) == 'x' || at(source, from + 1) == 'X';
        Py_ssize_t digits = from + 1 + is_hex;
        end = digits;
        while (is_hex ? is_hexadecimal(at(source, end)) : is_digit(at(source, end)))
            end++;
        if (end == digits)
            return from;
    } else {
        while (end < source->length && end - from < LONGEST_NAME && !ends_a_name(at(source, end)))
            end++;
        if (end == from)
            return from;
    }
    return end + (end < source->length && at(source, end) == ';');
}

/* The character of `#8217;`; 0 when that is for html.unescape to say. */
static Py_UCS4 plain_number(const Source *source, Py_ssize_t from, Py_ssize_t end)
{
    Py_UCS4 number = 0;
    if (end - from < 3 || end - from > 7 || at(source, end - 1) != ';')
        return 0;
    for (Py_ssize_t place = from + 1; place < end - 1; place++) {
        if (!is_digit(at(source, place)))
            return 0;
        number = number * 10 + (at(source, place) - '0');
    }
    int is_plain = (number >= 0x20 && number < 0x7F) || (number >= 0xA0 && number < 0xD800) ||
                   (number >= 0xE000 && number < 0xFDD0);
    return is_plain ? number : 0;
}

/* What stands for the reference between `from`, behind its `&`, and `end`. */
static PyObject *replacement(const Source *source, Py_ssize_t from, Py_ssize_t end)
{
    if (at(source, from) == '#') {
        Py_UCS4 number = plain_number(source, from, end);
        if (number)
            return PyUnicode_FromOrdinal((int)number);
    } else {
        PyObject *name = PyUnicode_Substring(source->text, from, end);
        if (name == NULL)
            return NULL;
        PyObject *known = PyDict_GetItemWithError(source->named, name);
        Py_DECREF(name);
        if (known != NULL || PyErr_Occurred())
            return Py_XNewRef(known);
    }
    PyObject *reference = PyUnicode_Substring(source->text, from - 1, end);
    if (reference == NULL)
        return NULL;
    PyObject *result = PyObject_CallOneArg(source->odd, reference);
    Py_DECREF(reference);
    return result;
}

/* Takes over `piece`. */
static int append(PyObject *pieces, PyObject *piece)
{
    int failed = piece == NULL || PyList_Append(pieces, piece) < 0;
    Py_XDECREF(piece);
    return failed ? -1 : 0;
}

static PyObject *decoded(const Source *source)
{
    PyObject *pieces = PyList_New(0), *nothing = PyUnicode_New(0, 0), *result = NULL;
    Py_ssize_t copied = 0, place = 0, mark = -1;
    if (pieces == NULL || nothing == NULL)
        goto done;
    while ((mark = PyUnicode_FindChar(source->text, '&', place, source->length, 1)) >= 0) {
        place = end_of(source, mark + 1);
        if (place == mark + 1)
            continue;
        if (mark > copied &&
            append(pieces, PyUnicode_Substring(source->text, copied, mark)) < 0)
            goto done;
        if (append(pieces, replacement(source, mark + 1, place)) < 0)
            goto done;
        copied = place;
    }
    if (mark == -2 || append(pieces, PyUnicode_Substring(source->text, copied, source->length)) < 0)
        goto done;
    result = PyUnicode_Join(nothing, pieces);
done:
    Py_XDECREF(pieces);
    Py_XDECREF(nothing);
    return result;
}

static PyObject *decode(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    if (count != 3 || !PyUnicode_Check(arguments[0]) || !PyDict_Check(arguments[1])) {
        PyErr_SetString(PyExc_TypeError, "decode(text, named, odd)");
        return NULL;
    }
    Source source = {.text = arguments[0], .named = arguments[1], .odd = arguments[2]};
    source.kind = PyUnicode_KIND(source.text);
    source.data = PyUnicode_DATA(source.text);
    source.length = PyUnicode_GET_LENGTH(source.text);
    Py_ssize_t first = PyUnicode_FindChar(source.text, '&', 0, source.length, 1);
    if (first == -2)
        return NULL;
    return first < 0 ? Py_NewRef(source.text) : decoded(&source);
}

static PyMethodDef methods[] = {
    {"decode", (PyCFunction)(void (*)(void))decode, METH_FASTCALL,
     "decode(text, named, odd): the text with its character references decoded."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "shoal.converters.html._references",
    .m_doc = "html.unescape, compiled.",
    .m_size = 0,
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__references(void)
{
    return PyModule_Create(&module);
}
