/* Which people, places and organisations does a text name? A module for Python (docs/entities.md).
 *
 * `_tokens.h` parts the text, `_features.h` says what is seen of each word, `_tagger.h` weighs it.
 * A model is a file: the lexicon, the phrases, the weights (training/entities writes it). All of it
 * is checked when it is read; a text can be anything.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "_tokens.h"
#include "_features.h"
#include "_tagger.h"

#define MAGIC "SHOALNE1"
#define MOST_CHARS 100000000

typedef struct {
    PyObject_HEAD
    Tagger tagger;
    Sentence *sentence;
    int in_use;
} Model;

typedef struct {
    char magic[8];
    uint32_t words, phrases, features;
    float scale, moves[LABELS][LABELS], starts[LABELS];
} Head;

/* Two columns of numbers, keys and values, into a table; the place behind them. */
static const char *read_table(Table *table, const char *from, uint32_t count)
{
    if (make_table(table, count) < 0)
        return NULL;
    for (uint32_t each = 0; each < count; each++) {
        uint32_t key, value;
        memcpy(&key, from + each * sizeof key, sizeof key);
        memcpy(&value, from + (count + (size_t)each) * sizeof key, sizeof value);
        if (value)
            put_in(table, key, value);
    }
    return from + (size_t)count * 2 * sizeof(uint32_t);
}

static int read_model(Tagger *tagger, const char *data, size_t bytes)
{
    Head head;
    if (bytes < sizeof head)
        return -1;
    memcpy(&head, data, sizeof head);
    size_t wanted = sizeof head + 8 * ((size_t)head.words + head.phrases) +
                    (4 + LABELS) * (size_t)head.features;
    if (memcmp(head.magic, MAGIC, 8) || bytes != wanted || wanted > (1u << 28))
        return -1;
    tagger->scale = head.scale;
    memcpy(tagger->moves, head.moves, sizeof head.moves);
    memcpy(tagger->starts, head.starts, sizeof head.starts);
    prepare_moves(tagger);
    const char *at = read_table(&tagger->lexicon, data + sizeof head, head.words);
    at = at ? read_table(&tagger->phrases, at, head.phrases) : NULL;
    if (at == NULL || make_table(&tagger->features, head.features) < 0)
        return -1;
    for (uint32_t each = 0; each < head.features; each++) {
        uint32_t key;
        memcpy(&key, at + each * sizeof key, sizeof key);
        put_in(&tagger->features, key, each + 1);
    }
    size_t weights = LABELS * (size_t)head.features;
    tagger->weights = PyMem_RawMalloc(weights + 1);
    tagger->memory = PyMem_RawMalloc(MOST_REMEMBERED * sizeof *tagger->memory);
    if (tagger->weights == NULL || tagger->memory == NULL ||
        make_table(&tagger->recent, MOST_REMEMBERED) < 0)
        return -1;
    memcpy(tagger->weights, at + 4 * (size_t)head.features, weights);
    return 0;
}

static void free_tagger(Tagger *tagger)
{
    Table *tables[] = {&tagger->lexicon, &tagger->phrases, &tagger->features, &tagger->recent};
    for (size_t each = 0; each < 4; each++) {
        PyMem_RawFree(tables[each]->pairs);
        PyMem_RawFree(tables[each]->some);
    }
    PyMem_RawFree(tagger->weights);
    PyMem_RawFree(tagger->memory);
    memset(tagger, 0, sizeof *tagger);
}

static int model_init(Model *self, PyObject *arguments, PyObject *named)
{
    Py_buffer data;
    if (named && PyDict_GET_SIZE(named)) {
        PyErr_SetString(PyExc_TypeError, "a model has no named arguments");
        return -1;
    }
    if (!PyArg_ParseTuple(arguments, "y*", &data))
        return -1;
    free_tagger(&self->tagger);
    PyMem_RawFree(self->sentence);
    self->sentence = PyMem_RawMalloc(sizeof *self->sentence);
    int problem = self->sentence == NULL || read_model(&self->tagger, data.buf, (size_t)data.len);
    PyBuffer_Release(&data);
    if (problem) {
        free_tagger(&self->tagger);
        PyErr_SetString(PyExc_ValueError, "it is no model of names");
        return -1;
    }
    return 0;
}

static void model_dealloc(Model *self)
{
    PyTypeObject *type = Py_TYPE(self);
    free_tagger(&self->tagger);
    PyMem_RawFree(self->sentence);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

static int open_text(Model *self, PyObject *text, int splits, Tokens *all)
{
    memset(all, 0, sizeof *all);
    if (self->tagger.weights == NULL || !PyUnicode_Check(text) ||
        PyUnicode_GET_LENGTH(text) > MOST_CHARS) {
        PyErr_SetString(PyExc_ValueError, "a model reads a text");
        return -1;
    }
    all->length = (int32_t)PyUnicode_GET_LENGTH(text);
    all->text = PyUnicode_AsUCS4Copy(text);
    if (all->text != NULL && part_text(all, splits) == 0)
        return 0;
    PyMem_Free((void *)all->text);
    PyMem_RawFree(all->tokens);
    if (!PyErr_Occurred())
        PyErr_NoMemory();
    return -1;
}

static void close_text(Tokens *all)
{
    PyMem_Free((void *)all->text);
    PyMem_RawFree(all->tokens);
}

static int tell_spans(const Token *tokens, int count, const uint8_t *labels,
                      float likely[][LABELS], PyObject *list)
{
    for (int at = 0; at < count;) {
        int label = labels[at], end = at + 1;
        if (label == 0) {
            at++;
            continue;
        }
        float sure = likely[at][label];
        for (; end < count && labels[end] == ((label + 1) | 1) - 1; end++)
            sure = likely[end][labels[end]] < sure ? likely[end][labels[end]] : sure;
        PyObject *span = Py_BuildValue("(iiif)", tokens[at].start, tokens[end - 1].end,
                                       (label - 1) / 2, sure);
        int failed = span == NULL || PyList_Append(list, span) < 0;
        Py_XDECREF(span);
        if (failed)
            return -1;
        at = end;
    }
    return 0;
}

/* The names of the sentence that was read last. */
static int find_names(Model *self, const Tokens *all, float bias, PyObject *list)
{
    static __thread float scores[MOST_SENTENCE][LABELS], likely[MOST_SENTENCE][LABELS];
    const Sentence *sentence = self->sentence;
    int first = 0, count;
    while ((count = next_part(sentence, &first)) > 0) {
        uint8_t labels[MOST_SENTENCE];
        score_part(&self->tagger, all, sentence, first, count, scores);
        for (int at = 0; at < count; at++)
            scores[at][0] -= bias;
        best_labels(&self->tagger, scores, count, labels);
        int any = 0;
        for (int at = 0; at < count; at++)
            any |= labels[at];
        if (any) {
            likelihoods(&self->tagger, scores, count, likely);
            if (tell_spans(sentence->tokens + first, count, labels, likely, list) < 0)
                return -1;
        }
        first += count;
    }
    return 0;
}

static PyObject *model_spans(Model *self, PyObject *arguments)
{
    PyObject *text;
    int splits = 1;
    float bias = 0;
    Tokens all;
    if (!PyArg_ParseTuple(arguments, "O|pf", &text, &splits, &bias) ||
        open_text(self, text, splits, &all) < 0)
        return NULL;
    PyObject *list = PyList_New(0);
    for (int32_t at = 0; list != NULL && at < all.count;) {
        at += read_sentence(&self->tagger, &all, at, self->sentence);
        if (find_names(self, &all, bias, list) < 0)
            Py_CLEAR(list);
    }
    close_text(&all);
    return list;
}

/* For training: the places of the words, how many features each has, and these. */
static PyObject *model_features(Model *self, PyObject *arguments)
{
    PyObject *text, *result = NULL;
    int splits = 1;
    Tokens all;
    if (!PyArg_ParseTuple(arguments, "O|p", &text, &splits) ||
        open_text(self, text, splits, &all) < 0)
        return NULL;
    size_t most = OFFSETS * MOST_OF_WORD + MOST_OF_PLACE, used = 0;
    uint32_t *counts = PyMem_RawCalloc((size_t)all.count + 1, sizeof *counts);
    uint32_t *hashes = PyMem_RawMalloc(((size_t)all.count + 1) * most * sizeof *hashes);
    for (int32_t first = 0; counts && hashes && first < all.count;) {
        Sentence *sentence = self->sentence;
        int count = read_sentence(&self->tagger, &all, first, sentence);
        for (int at = 0; at < count; at++) {
            size_t before = used;
            for (int offset = -REACH; offset <= REACH; offset++) {
                int other = at + offset;
                int32_t chars = 0;
                const Py_UCS4 *word = other >= 0 && other < count
                                          ? chars_of(&all, &sentence->tokens[other], &chars) : NULL;
                used += (size_t)word_features(hashes + used, &sentence->words[REACH + other], word,
                                              chars, offset);
            }
            used += (size_t)place_features(hashes + used, &sentence->words[REACH + at],
                                           &sentence->marked[at], sentence->style, at == 0);
            counts[first + at] = (uint32_t)(used - before);
        }
        first += count;
    }
    if (counts && hashes)
        result = Py_BuildValue("(y#y#y#)", (char *)all.tokens,
                               (Py_ssize_t)all.count * (Py_ssize_t)sizeof(Token), (char *)counts,
                               (Py_ssize_t)all.count * 4, (char *)hashes, (Py_ssize_t)used * 4);
    else
        PyErr_NoMemory();
    PyMem_RawFree(counts);
    PyMem_RawFree(hashes);
    close_text(&all);
    return result;
}

/* For training: the places of the words, and whether each is the first of a sentence. */
static PyObject *model_tokens(Model *self, PyObject *arguments)
{
    PyObject *text;
    int splits = 1;
    Tokens all;
    if (!PyArg_ParseTuple(arguments, "O|p", &text, &splits) ||
        open_text(self, text, splits, &all) < 0)
        return NULL;
    PyObject *result = PyBytes_FromStringAndSize((char *)all.tokens,
                                                 (Py_ssize_t)all.count * (Py_ssize_t)sizeof(Token));
    close_text(&all);
    return result;
}

/* For training: the key under which the lexicon has a word, or the phrases have one. */
static PyObject *model_key(Model *self, PyObject *arguments)
{
    PyObject *text;
    int is_phrase = 0;
    Tokens all;
    if (!PyArg_ParseTuple(arguments, "O|p", &text, &is_phrase) ||
        open_text(self, text, 0, &all) < 0)
        return NULL;
    uint32_t hash = 0;
    for (int32_t at = 0; at < all.count; at++) {
        const Token *token = &all.tokens[at];
        uint32_t lower = hash_chars(all.text + token->start, token->end - token->start, 1);
        hash = is_phrase ? joined(0x2000, hash, lower) : lower;
    }
    close_text(&all);
    return PyLong_FromUnsignedLong(hash);
}

static PyMethodDef model_methods[] = {
    {"spans", (PyCFunction)model_spans, METH_VARARGS,
     "spans(text, splits=True, bias=0.0): (start, end, kind, confidence) of each name."},
    {"features", (PyCFunction)model_features, METH_VARARGS,
     "features(text, splits=True): what is seen of each word, for training."},
    {"tokens", (PyCFunction)model_tokens, METH_VARARGS,
     "tokens(text, splits=True): the places of the words, for training."},
    {"key", (PyCFunction)model_key, METH_VARARGS,
     "key(text, is_phrase=False): how a model knows a word or a phrase."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot model_slots[] = {
    {Py_tp_doc, "Which people, places and organisations a text names."},
    {Py_tp_init, model_init},
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_dealloc, model_dealloc},
    {Py_tp_methods, model_methods},
    {0, NULL},
};

static PyType_Spec model_spec = {
    .name = "shoal.naming._names.Model",
    .basicsize = sizeof(Model),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = model_slots,
};

static int fill_module(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&model_spec);
    return type == NULL ? -1 : PyModule_AddObject(module, "Model", type);
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, fill_module}, {0, NULL}};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "shoal.naming._names",
    .m_doc = "Which people, places and organisations a text names.",
    .m_size = 0,
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__names(void)
{
    return PyModuleDef_Init(&module_definition);
}
