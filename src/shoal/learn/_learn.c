/* The words of a text as numbers, and steps of learning, in C: `count` does what `plain_count` of
 * words.py does, and `learn` what `plain_learn` of steps.py does; they say what that is and why.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define MOST_WORD_CHARS 64
#define MOST_PIECE_CHARS 48
#define SPREAD 0x9e3779b1u
#define PAIR 0x85ebca6bu
#define FIRST_SLOTS 512
#define MOST_OUTPUTS 4096
#define MOST_TABLE 64

static uint32_t crc_table[256];
static float scaled[MOST_TABLE];

static void make_tables(void)
{
    for (uint32_t each = 0; each < 256; each++) {
        uint32_t crc = each;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? 0xedb88320u ^ (crc >> 1) : crc >> 1;
        crc_table[each] = crc;
    }
    for (int each = 1; each < MOST_TABLE; each++)
        scaled[each] = (float)(1.0 + log((double)each));
}

/* --- words ----------------------------------------------------------------------------------- */

typedef struct {
    uint32_t *keys, *times, *slots;
    size_t used, room, mask;
    uint32_t seed, last;
    int pairs, has_last;
} Counts;

static int widen(Counts *counts)
{
    size_t slots = counts->mask ? (counts->mask + 1) * 4 : FIRST_SLOTS;
    if (slots > SIZE_MAX / 8) {
        PyErr_NoMemory();
        return -1;
    }
    uint32_t *keys = PyMem_Realloc(counts->keys, slots / 2 * sizeof *keys);
    if (keys != NULL)
        counts->keys = keys;
    uint32_t *times = PyMem_Realloc(counts->times, slots / 2 * sizeof *times);
    if (times != NULL)
        counts->times = times;
    uint32_t *table = PyMem_Realloc(counts->slots, slots * sizeof *table);
    if (table != NULL)
        counts->slots = table;
    if (keys == NULL || times == NULL || table == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memset(table, 0, slots * sizeof *table);
    counts->room = slots / 2;
    counts->mask = slots - 1;
    for (size_t each = 0; each < counts->used; each++) {
        size_t at = (keys[each] >> 7) & counts->mask;
        while (table[at] != 0)
            at = (at + 1) & counts->mask;
        table[at] = (uint32_t)each + 1;
    }
    return 0;
}

static int add_key(Counts *counts, uint32_t key)
{
    size_t at = (key >> 7) & counts->mask;
    while (counts->slots[at] != 0) {
        size_t number = counts->slots[at] - 1;
        if (counts->keys[number] == key) {
            counts->times[number]++;
            return 0;
        }
        at = (at + 1) & counts->mask;
    }
    counts->keys[counts->used] = key;
    counts->times[counts->used] = 1;
    counts->slots[at] = (uint32_t)++counts->used;
    return counts->used < counts->room ? 0 : widen(counts);
}

static int add_word(Counts *counts, uint32_t hash)
{
    if (add_key(counts, (hash ^ counts->seed) * SPREAD) < 0)
        return -1;
    if (counts->pairs) {
        uint32_t pair = ((counts->last * PAIR + hash) ^ counts->seed) * SPREAD;
        if (counts->has_last && add_key(counts, pair) < 0)
            return -1;
        counts->last = hash;
        counts->has_last = 1;
    }
    return 0;
}

/* A piece with characters beyond ASCII is made into hashes by `make`, and remembered in `known`. */
static int add_piece(Counts *counts, PyObject *piece, PyObject *make, PyObject *known)
{
    PyObject *hashes = PyDict_GetItemWithError(known, piece);
    if (hashes == NULL && PyErr_Occurred())
        return -1;
    if (hashes != NULL)
        Py_INCREF(hashes);
    else {
        hashes = PyObject_CallOneArg(make, piece);
        if (hashes == NULL)
            return -1;
        if (!PyBytes_Check(hashes)) {
            PyErr_SetString(PyExc_TypeError, "hashes are bytes");
            Py_DECREF(hashes);
            return -1;
        }
        if (PyUnicode_GET_LENGTH(piece) <= MOST_PIECE_CHARS &&
            PyDict_SetItem(known, piece, hashes) < 0) {
            Py_DECREF(hashes);
            return -1;
        }
    }
    int failed = 0;
    const char *data = PyBytes_AS_STRING(hashes);
    for (Py_ssize_t at = 0; !failed && at + 4 <= PyBytes_GET_SIZE(hashes); at += 4) {
        uint32_t hash;
        memcpy(&hash, data + at, 4);
        failed = add_word(counts, hash);
    }
    Py_DECREF(hashes);
    return failed;
}

static int is_of_word(Py_UCS4 sign)
{
    return (sign >= 'a' && sign <= 'z') || (sign >= '0' && sign <= '9') ||
           (sign >= 'A' && sign <= 'Z') || sign >= 0x80;
}

static int add_text(Counts *counts, PyObject *text, PyObject *make, PyObject *known)
{
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t length = PyUnicode_GET_LENGTH(text), at = 0;
    while (at < length) {
        Py_ssize_t start = at;
        uint32_t crc = 0xffffffffu;
        int beyond = 0;
        for (; at < length; at++) {
            Py_UCS4 sign = PyUnicode_READ(kind, data, at);
            if (!is_of_word(sign))
                break;
            if (sign >= 0x80)
                beyond = 1;
            else if (at - start < MOST_WORD_CHARS) {
                unsigned char small = sign >= 'A' && sign <= 'Z' ? sign + 32 : sign;
                crc = crc_table[(crc ^ small) & 0xff] ^ (crc >> 8);
            }
        }
        if (at == start)
            at++;
        else if (!beyond) {
            if (add_word(counts, crc ^ 0xffffffffu) < 0)
                return -1;
        } else {
            PyObject *piece = PyUnicode_Substring(text, start, at);
            int failed = piece == NULL ? -1 : add_piece(counts, piece, make, known);
            Py_XDECREF(piece);
            if (failed)
                return -1;
        }
    }
    return 0;
}

static PyObject *count(PyObject *module, PyObject *args)
{
    PyObject *text, *make, *known, *keys = NULL, *values = NULL;
    unsigned int seed;
    int pairs;
    (void)module;
    if (!PyArg_ParseTuple(args, "UIpOO!", &text, &seed, &pairs, &make, &PyDict_Type, &known))
        return NULL;
    Counts counts = {.seed = seed, .pairs = pairs};
    if (widen(&counts) == 0 && add_text(&counts, text, make, known) == 0) {
        keys = PyBytes_FromStringAndSize((char *)counts.keys, (Py_ssize_t)counts.used * 4);
        values = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)counts.used * 4);
        if (values != NULL) {
            char *to = PyBytes_AS_STRING(values);
            for (size_t each = 0; each < counts.used; each++) {
                uint32_t times = counts.times[each];
                float value = times < MOST_TABLE ? scaled[times]
                                                 : (float)(1.0 + log((double)times));
                memcpy(to + each * 4, &value, 4);
            }
        }
    }
    PyMem_Free(counts.keys);
    PyMem_Free(counts.times);
    PyMem_Free(counts.slots);
    if (keys == NULL || values == NULL) {
        Py_XDECREF(keys);
        Py_XDECREF(values);
        return NULL;
    }
    return Py_BuildValue("(NN)", keys, values);
}

/* --- steps ----------------------------------------------------------------------------------- */

static void add_scores(float *scores, const float *weights, const uint32_t *columns,
                       const float *values, size_t features, size_t outputs)
{
    for (size_t each = 0; each < features; each++) {
        const float *row = weights + (size_t)columns[each] * outputs;
        float value = values[each];
        for (size_t output = 0; output < outputs; output++)
            scores[output] += row[output] * value;
    }
}

static void to_chances(float *scores, size_t outputs, int exclusive)
{
    if (!exclusive) {
        for (size_t output = 0; output < outputs; output++)
            scores[output] = 1.0f / (1.0f + expf(-scores[output]));
        return;
    }
    float highest = scores[0], sum = 0;
    for (size_t output = 1; output < outputs; output++)
        highest = scores[output] > highest ? scores[output] : highest;
    for (size_t output = 0; output < outputs; output++)
        sum += scores[output] = expf(scores[output] - highest);
    for (size_t output = 0; output < outputs; output++)
        scores[output] /= sum;
}

typedef struct {
    Py_buffer weights, squares, columns, values, offsets, targets, worth, order;
} Arrays;

static void release(Arrays *arrays)
{
    Py_buffer *each = (Py_buffer *)arrays;
    for (size_t at = 0; at < sizeof *arrays / sizeof *each; at++)
        if (each[at].obj != NULL)
            PyBuffer_Release(&each[at]);
}

/* Whether nothing is read or written beside an array, whatever the numbers in them say. */
static int are_examples(const Arrays *arrays, size_t rows)
{
    size_t ends = (size_t)arrays->offsets.len / 4, features = (size_t)arrays->columns.len / 4;
    if (ends < 1 || arrays->values.len != arrays->columns.len)
        return 0;
    const uint32_t *columns = arrays->columns.buf, *offsets = arrays->offsets.buf;
    for (size_t each = 0; each < features; each++)
        if (columns[each] >= rows)
            return 0;
    for (size_t each = 0; each < ends; each++)
        if (offsets[each] > features || (each && offsets[each] < offsets[each - 1]))
            return 0;
    return 1;
}

static int fit(const Arrays *arrays, size_t outputs)
{
    if (outputs < 1 || outputs > MOST_OUTPUTS || arrays->offsets.len < 4 ||
        arrays->weights.len != arrays->squares.len)
        return 0;
    size_t examples = (size_t)arrays->offsets.len / 4 - 1;
    if ((size_t)arrays->targets.len / 4 != examples * outputs ||
        (size_t)arrays->worth.len / 4 != examples)
        return 0;
    const uint32_t *order = arrays->order.buf;
    for (size_t each = 0; each < (size_t)arrays->order.len / 4; each++)
        if (order[each] >= examples)
            return 0;
    return are_examples(arrays, (size_t)arrays->weights.len / 4 / outputs);
}

static PyObject *learn(PyObject *module, PyObject *args)
{
    Arrays all = {0};
    float rate, l2;
    Py_ssize_t outputs;
    int exclusive;
    PyObject *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "w*w*y*y*y*y*y*y*nffp", &all.weights, &all.squares, &all.columns,
                          &all.values, &all.offsets, &all.targets, &all.worth, &all.order, &outputs,
                          &rate, &l2, &exclusive)) {
        release(&all);
        return NULL;
    }
    if (outputs < 1 || !fit(&all, (size_t)outputs)) {
        PyErr_SetString(PyExc_ValueError, "the arrays do not fit together");
        release(&all);
        return NULL;
    }
    size_t many = (size_t)outputs;
    float *errors = PyMem_Malloc(many * sizeof *errors);
    if (errors == NULL)
        PyErr_NoMemory();
    else {
        float *weights = all.weights.buf, *squares = all.squares.buf;
        const float *values = all.values.buf, *targets = all.targets.buf;
        const float *worth = all.worth.buf;
        const uint32_t *columns = all.columns.buf, *offsets = all.offsets.buf;
        const uint32_t *order = all.order.buf;
        size_t steps = (size_t)all.order.len / 4;
        Py_BEGIN_ALLOW_THREADS
        for (size_t step = 0; step < steps; step++) {
            size_t example = order[step], from = offsets[example];
            size_t features = offsets[example + 1] - from;
            memset(errors, 0, many * sizeof *errors);
            add_scores(errors, weights, columns + from, values + from, features, many);
            to_chances(errors, many, exclusive);
            for (size_t output = 0; output < many; output++)
                errors[output] = (errors[output] - targets[example * many + output]) *
                                 worth[example];
            for (size_t each = from; each < from + features; each++) {
                float *row = weights + (size_t)columns[each] * many;
                float *square = squares + (size_t)columns[each] * many;
                float value = values[each];
                for (size_t output = 0; output < many; output++) {
                    float slope = errors[output] * value + l2 * row[output];
                    float sum = square[output] + slope * slope;
                    square[output] = sum;
                    row[output] -= rate * slope / sqrtf(sum);
                }
            }
        }
        Py_END_ALLOW_THREADS
        PyMem_Free(errors);
        result = Py_NewRef(Py_None);
    }
    release(&all);
    return result;
}

static PyObject *scores(PyObject *module, PyObject *args)
{
    Arrays all = {0};
    Py_ssize_t outputs;
    PyObject *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*y*y*y*n", &all.weights, &all.columns, &all.values, &all.offsets,
                          &outputs)) {
        release(&all);
        return NULL;
    }
    size_t many = (size_t)outputs;
    if (outputs < 1 || many > MOST_OUTPUTS ||
        !are_examples(&all, (size_t)all.weights.len / 4 / many))
        PyErr_SetString(PyExc_ValueError, "the arrays do not fit together");
    else {
        size_t examples = (size_t)all.offsets.len / 4 - 1;
        result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(examples * many * 4));
        if (result != NULL) {
            float *found = (float *)PyBytes_AS_STRING(result);
            const uint32_t *columns = all.columns.buf, *offsets = all.offsets.buf;
            const float *values = all.values.buf;
            memset(found, 0, examples * many * sizeof *found);
            for (size_t each = 0; each < examples; each++)
                add_scores(found + each * many, all.weights.buf, columns + offsets[each],
                           values + offsets[each], offsets[each + 1] - offsets[each], many);
        }
    }
    release(&all);
    return result;
}

static PyMethodDef methods[] = {
    {"count", count, METH_VARARGS, "The words of a text as numbers, and how often each stands."},
    {"learn", learn, METH_VARARGS, "Steps of learning, in this order."},
    {"scores", scores, METH_VARARGS, "What the outputs give each example."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_learn", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit__learn(void)
{
    make_tables();
    return PyModule_Create(&definition);
}
