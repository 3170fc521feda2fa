/* Which pieces of a page are its content? The default method (docs/noise.md), as a module for Python.
 *
 * One pass over the source makes elements and pieces, the text between two block boundaries
 * (_source.h, _pieces.h); a second makes a row of features for each piece (_features.h); decision
 * trees judge the rows (_model.h). Nothing recurses, time is linear in the source. The page is read
 * in the width in which Python holds it (1, 2 or 4 bytes a character); the compiler makes one copy
 * of the pass for each.
 */
#include "_model.h"

static PyObject *told(const Pass *pass, const float *likely, float cut)
{
    Py_ssize_t n = pass->piece_count;
    PyObject *places = PyBytes_FromStringAndSize(NULL, 2 * n * (Py_ssize_t)sizeof(int32_t));
    PyObject *shades = PyBytes_FromStringAndSize(NULL, n);
    PyObject *marks = PyBytes_FromStringAndSize(NULL, n);
    if (places == NULL || shades == NULL || marks == NULL) {
        Py_XDECREF(places);
        Py_XDECREF(shades);
        Py_XDECREF(marks);
        return NULL;
    }
    int32_t *at = (int32_t *)PyBytes_AS_STRING(places);
    for (Py_ssize_t i = 0; i < n; i++) {
        const Piece *piece = &pass->pieces[i];
        *at++ = (int32_t)piece->start;
        *at++ = (int32_t)piece->end;
        PyBytes_AS_STRING(shades)[i] = (char)shade(likely[i], cut);
        PyBytes_AS_STRING(marks)[i] = (char)(((piece->into & IN_COMMENTS) != 0) |
                                             ((piece->into & IN_NOSCRIPT) != 0) << 1);
    }
    return Py_BuildValue("(NNN)", places, shades, marks);
}

static int model_judges(const Model *self, Pass *pass, float *likely)
{
    Sums sums;
    int features;
    float *rows = rows_of(pass, &sums, &features, NULL);
    if (rows == NULL)
        PyErr_NoMemory();
    else if (features != self->features && pass->piece_count > 0)
        PyErr_SetString(PyExc_ValueError, "the model was made for other features");
    else
        judge(&self->forest, rows, pass->piece_count, likely);
    PyMem_RawFree(sums.words);
    PyMem_RawFree(rows);
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *model_content(Model *self, PyObject *html)
{
    PyObject *result = NULL;
    if (!PyUnicode_Check(html) || self->lexicon == NULL) {
        PyErr_SetString(PyExc_TypeError, "a model reads a str");
        return NULL;
    }
    Pass pass = {.element_lexicon = self->lexicon, .word_lexicon = self->lexicon + BUCKETS};
    if (read_source(&pass, html) == 0) {
        size_t n = (size_t)pass.piece_count;
        float *likely = PyMem_RawMalloc((n + AT_ONCE) * sizeof *likely);
        Ranked *ranked = PyMem_RawMalloc((n + 1) * sizeof *ranked);
        int *best = PyMem_RawMalloc((n + 1) * sizeof *best);
        if (likely == NULL || ranked == NULL || best == NULL)
            PyErr_NoMemory();
        else if (model_judges(self, &pass, likely) == 0) {
            drop_copies(&pass, likely, best);
            result = told(&pass, likely, cut_of(self, &pass, likely, ranked));
        }
        PyMem_RawFree(likely);
        PyMem_RawFree(ranked);
        PyMem_RawFree(best);
    }
    free_pass(&pass);
    return result;
}

static PyMethodDef model_methods[] = {
    {"content", (PyCFunction)model_content, METH_O,
     "content(html): where pieces begin and end, how likely each is content, and its marks."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot model_slots[] = {
    {Py_tp_doc, "Which pieces of a page are its content."},
    {Py_tp_init, model_init},
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_dealloc, model_dealloc},
    {Py_tp_methods, model_methods},
    {0, NULL},
};

static PyType_Spec model_spec = {
    .name = "shoal.cleaners._content.Model",
    .basicsize = sizeof(Model),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = model_slots,
};

/* ---- for training ---- */

static PyObject *numbers(const uint16_t *buckets, int count)
{
    PyObject *list = PyList_New(count);
    for (int i = 0; list != NULL && i < count; i++) {
        PyObject *number = PyLong_FromLong(buckets[i]);
        if (number == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, number);
    }
    return list;
}

/* Of each piece: its words, and those of the elements around it. */
static PyObject *buckets_of(const Pass *pass)
{
    PyObject *list = PyList_New(0);
    uint16_t around[MOST_DEPTH * 4];
    for (int i = 0; list != NULL && i < pass->piece_count; i++) {
        const Piece *piece = &pass->pieces[i];
        int count = 0, most = (int)(sizeof around / sizeof *around);
        for (int e = piece->element; e > 0; e = pass->elements[e].parent)
            for (int b = 0; b < pass->elements[e].bucket_count && count < most; b++)
                around[count++] = pass->buckets[pass->elements[e].buckets + b];
        PyObject *entry =
            Py_BuildValue("(NN)", numbers(pass->buckets + piece->buckets, piece->bucket_count),
                          numbers(around, count));
        if (entry == NULL || PyList_Append(list, entry) < 0)
            Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

static PyObject *ranges_of(const Pass *pass)
{
    PyObject *ranges =
        PyBytes_FromStringAndSize(NULL, 2 * (Py_ssize_t)sizeof(int32_t) * pass->piece_count);
    if (ranges != NULL) {
        int32_t *at = (int32_t *)PyBytes_AS_STRING(ranges);
        for (int i = 0; i < pass->piece_count; i++) {
            *at++ = (int32_t)pass->pieces[i].start;
            *at++ = (int32_t)pass->pieces[i].end;
        }
    }
    return ranges;
}

static PyObject *outline(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *html, *result = NULL;
    Py_buffer lexicon = {0};
    int wants_buckets = 0;
    if (!PyArg_ParseTuple(arguments, "U|z*p", &html, &lexicon, &wants_buckets))
        return NULL;
    Pass pass = {.wants_buckets = wants_buckets};
    if (lexicon.buf != NULL && lexicon.len == LEXICON * (Py_ssize_t)sizeof(float)) {
        pass.element_lexicon = lexicon.buf;
        pass.word_lexicon = pass.element_lexicon + BUCKETS;
    }
    PyObject *names = PyList_New(0);
    if (read_source(&pass, html) == 0 && names != NULL) {
        Sums sums;
        int features;
        float *rows = rows_of(&pass, &sums, &features, names);
        if (rows == NULL) {
            PyErr_NoMemory();
        } else {
            Py_ssize_t size = (Py_ssize_t)pass.piece_count * features * (Py_ssize_t)sizeof(float);
            PyObject *buckets = wants_buckets ? buckets_of(&pass) : PyList_New(0);
            result = Py_BuildValue("(NNOO)", ranges_of(&pass),
                                   PyBytes_FromStringAndSize((const char *)rows, size), names,
                                   buckets);
            Py_XDECREF(buckets);
        }
        PyMem_RawFree(sums.words);
        PyMem_RawFree(rows);
    }
    Py_XDECREF(names);
    free_pass(&pass);
    PyBuffer_Release(&lexicon);
    return result;
}

static PyMethodDef methods[] = {
    {"outline", outline, METH_VARARGS,
     "outline(html, lexicon, buckets): ranges, rows, names and buckets, for training."},
    {NULL, NULL, 0, NULL},
};

static int module_exec(PyObject *module)
{
    if (name_table[hash_of("p", 1) % NAME_SLOTS] == NULL)
        fill_name_table();
    PyObject *type = PyType_FromSpec(&model_spec);
    int result = type ? PyModule_AddObjectRef(module, "Model", type) : -1;
    Py_XDECREF(type);
    return result;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, module_exec}, {0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "shoal.cleaners._content",
    .m_doc = "The pieces of a page, and the model that judges them.",
    .m_methods = methods,
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__content(void)
{
    return PyModuleDef_Init(&module);
}
