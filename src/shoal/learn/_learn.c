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
#define STILL 0.001f

static uint32_t crc_table[256];
static float scaled[MOST_TABLE];
static unsigned char small_of[256]; /* 0: it parts words; 1: it is beyond ASCII */

static void make_tables(void)
{
    for (uint32_t each = 0; each < 256; each++) {
        uint32_t crc = each;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? 0xedb88320u ^ (crc >> 1) : crc >> 1;
        crc_table[each] = crc;
    }
    for (int sign = 0; sign < 256; sign++) {
        int is_word = (sign >= 'a' && sign <= 'z') || (sign >= '0' && sign <= '9');
        if (sign >= 'A' && sign <= 'Z')
            small_of[sign] = (unsigned char)(sign + 32);
        else
            small_of[sign] = (unsigned char)(is_word ? sign : sign >= 0x80);
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

/* Reads one piece of a text that has one byte for each character. Returns where it ends. */
static Py_ssize_t read_bytes(const Py_UCS1 *data, Py_ssize_t at, Py_ssize_t length, uint32_t *crc,
                             int *beyond)
{
    Py_ssize_t start = at;
    for (; at < length && small_of[data[at]]; at++) {
        *beyond |= data[at] >= 0x80;
        if (at - start < MOST_WORD_CHARS)
            *crc = crc_table[(*crc ^ small_of[data[at]]) & 0xff] ^ (*crc >> 8);
    }
    return at;
}

static Py_ssize_t read_wide(int kind, const void *data, Py_ssize_t at, Py_ssize_t length,
                            uint32_t *crc, int *beyond)
{
    Py_ssize_t start = at;
    for (; at < length; at++) {
        Py_UCS4 sign = PyUnicode_READ(kind, data, at);
        if (sign < 0x80 && !small_of[sign])
            break;
        *beyond |= sign >= 0x80;
        if (sign < 0x80 && at - start < MOST_WORD_CHARS)
            *crc = crc_table[(*crc ^ small_of[sign]) & 0xff] ^ (*crc >> 8);
    }
    return at;
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
        at = kind == PyUnicode_1BYTE_KIND ? read_bytes(data, at, length, &crc, &beyond)
                                          : read_wide(kind, data, at, length, &crc, &beyond);
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

/* The values of the keys that a part has brought. */
static void weigh(const Counts *counts, float *values, size_t from, float weight)
{
    for (size_t each = from; each < counts->used; each++) {
        uint32_t times = counts->times[each];
        float value = times < MOST_TABLE ? scaled[times] : (float)(1.0 + log((double)times));
        values[each] = value * weight;
    }
}

static int add_part(Counts *counts, PyObject *part, float **values, PyObject *make,
                    PyObject *known)
{
    PyObject *text;
    unsigned int seed;
    float weight;
    if (!PyTuple_Check(part)) {
        PyErr_SetString(PyExc_TypeError, "a part is a tuple");
        return -1;
    }
    if (!PyArg_ParseTuple(part, "UIf", &text, &seed, &weight))
        return -1;
    size_t from = counts->used;
    counts->seed = seed;
    counts->has_last = 0;
    if (add_text(counts, text, make, known) < 0)
        return -1;
    float *grown = PyMem_Realloc(*values, (counts->used + 1) * sizeof *grown);
    if (grown == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    *values = grown;
    weigh(counts, grown, from, weight);
    return 0;
}

static PyObject *count(PyObject *module, PyObject *args)
{
    PyObject *parts, *make, *known, *result = NULL;
    int pairs;
    float *values = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!pOO!", &PyTuple_Type, &parts, &pairs, &make, &PyDict_Type,
                          &known))
        return NULL;
    Counts counts = {.pairs = pairs};
    int failed = widen(&counts);
    for (Py_ssize_t each = 0; !failed && each < PyTuple_GET_SIZE(parts); each++)
        failed = add_part(&counts, PyTuple_GET_ITEM(parts, each), &values, make, known);
    if (!failed)
        result = Py_BuildValue("(y#y#)", (char *)counts.keys, (Py_ssize_t)counts.used * 4,
                               values == NULL ? "" : (char *)values, (Py_ssize_t)counts.used * 4);
    PyMem_Free(values);
    PyMem_Free(counts.keys);
    PyMem_Free(counts.times);
    PyMem_Free(counts.slots);
    return result;
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
    uint32_t *which = PyMem_Malloc(many * sizeof *which);
    if (errors == NULL || which == NULL)
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
            size_t wrong = 0;
            for (size_t output = 0; output < many; output++)
                if (fabsf(errors[output]) >= STILL)
                    which[wrong++] = (uint32_t)output;
            for (size_t each = from; wrong && each < from + features; each++) {
                float *row = weights + (size_t)columns[each] * many;
                float *square = squares + (size_t)columns[each] * many;
                float value = values[each];
                for (size_t at = 0; at < wrong; at++) {
                    uint32_t output = which[at];
                    float slope = errors[output] * value + l2 * row[output];
                    float sum = square[output] + slope * slope;
                    square[output] = sum;
                    row[output] -= rate * slope / sqrtf(sum);
                }
            }
        }
        Py_END_ALLOW_THREADS
        result = Py_NewRef(Py_None);
    }
    PyMem_Free(errors);
    PyMem_Free(which);
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

/* --- one document ---------------------------------------------------------------------------- */

/* A number of two bytes (IEEE 754 binary16). */
static float whole(const unsigned char *half)
{
    unsigned int bits = half[0] | (unsigned int)half[1] << 8;
    unsigned int power = bits >> 10 & 31, rest = bits & 1023;
    float value = power ? ldexpf((float)(rest | 1024), (int)power - 25) : ldexpf((float)rest, -24);
    return bits >> 15 ? -value : value;
}

/* The column of a key, or -1. */
static Py_ssize_t column_of(uint32_t key, const uint32_t *known, size_t count)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (known[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && known[low] == key ? (Py_ssize_t)low : -1;
}

typedef struct {
    Py_buffer keys, values, known, rareness;
} Document;

static void let_go(Document *document)
{
    Py_buffer *each = (Py_buffer *)document;
    for (size_t at = 0; at < sizeof *document / sizeof *each; at++)
        if (each[at].obj != NULL)
            PyBuffer_Release(&each[at]);
}

/* What a table says: a list with a number for each of its outputs. */
static PyObject *said_by(PyObject *table, const Document *document, const float *weighed,
                         const Py_ssize_t *columns, size_t rows, float constant)
{
    if (!PyBytes_Check(table) || PyBytes_GET_SIZE(table) % (Py_ssize_t)(rows * 2)) {
        PyErr_SetString(PyExc_ValueError, "the arrays do not fit together");
        return NULL;
    }
    size_t outputs = (size_t)PyBytes_GET_SIZE(table) / 2 / rows;
    const unsigned char *data = (const unsigned char *)PyBytes_AS_STRING(table);
    double *sums = PyMem_Malloc((outputs + 1) * sizeof *sums);
    PyObject *found = sums == NULL ? PyErr_NoMemory() : PyList_New((Py_ssize_t)outputs);
    size_t features = (size_t)document->keys.len / 4;
    for (size_t output = 0; found != NULL && output < outputs; output++)
        sums[output] = (double)whole(data + ((rows - 1) * outputs + output) * 2) * constant;
    for (size_t each = 0; found != NULL && each < features; each++) {
        const unsigned char *row = data + (size_t)(columns[each] < 0 ? 0 : columns[each]) * outputs * 2;
        for (size_t output = 0; columns[each] >= 0 && output < outputs; output++)
            sums[output] += (double)whole(row + output * 2) * weighed[each];
    }
    for (size_t output = 0; found != NULL && output < outputs; output++) {
        PyObject *number = PyFloat_FromDouble(sums[output]);
        if (number == NULL)
            Py_CLEAR(found);
        else
            PyList_SET_ITEM(found, (Py_ssize_t)output, number);
    }
    PyMem_Free(sums);
    return found;
}

static PyObject *say(const Document *document, PyObject *tables, float constant)
{
    size_t features = (size_t)document->keys.len / 4, known = (size_t)document->known.len / 4;
    if (document->values.len != document->keys.len ||
        document->rareness.len != document->known.len) {
        PyErr_SetString(PyExc_ValueError, "the arrays do not fit together");
        return NULL;
    }
    Py_ssize_t *columns = PyMem_Malloc((features + 1) * sizeof *columns);
    float *weighed = PyMem_Malloc((features + 1) * sizeof *weighed);
    PyObject *found = columns && weighed ? PyList_New(0) : PyErr_NoMemory();
    if (found != NULL) {
        const uint32_t *keys = document->keys.buf;
        const float *values = document->values.buf, *rareness = document->rareness.buf;
        double squares = 1e-12;
        for (size_t each = 0; each < features; each++) {
            columns[each] = column_of(keys[each], document->known.buf, known);
            weighed[each] = columns[each] < 0 ? 0 : values[each] * rareness[columns[each]];
            squares += (double)weighed[each] * weighed[each];
        }
        for (size_t each = 0; each < features; each++)
            weighed[each] = (float)(weighed[each] / sqrt(squares));
    }
    for (Py_ssize_t each = 0; found != NULL && each < PyTuple_GET_SIZE(tables); each++) {
        PyObject *one = said_by(PyTuple_GET_ITEM(tables, each), document, weighed, columns,
                                known + 1, constant);
        if (one == NULL || PyList_Append(found, one) < 0)
            Py_CLEAR(found);
        Py_XDECREF(one);
    }
    PyMem_Free(columns);
    PyMem_Free(weighed);
    return found;
}

static PyObject *said(PyObject *module, PyObject *args)
{
    Document document = {0};
    PyObject *tables, *found = NULL;
    float constant;
    (void)module;
    if (PyArg_ParseTuple(args, "y*y*y*y*O!f", &document.keys, &document.values, &document.known,
                         &document.rareness, &PyTuple_Type, &tables, &constant))
        found = say(&document, tables, constant);
    let_go(&document);
    return found;
}

/* --- columns --------------------------------------------------------------------------------- */

/* The column of each key among those that are known, or how many these are. */
static int look_up(const Py_buffer *keys, const Py_buffer *known, uint32_t *found)
{
    size_t count = (size_t)known->len / 4, mask = 15;
    const uint32_t *wanted = keys->buf, *there = known->buf;
    while (mask < count * 2)
        mask = mask * 2 + 1;
    uint32_t *slots = PyMem_Calloc(mask + 1, sizeof *slots);
    if (slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t each = 0; each < count; each++) {
        size_t at = (there[each] >> 7) & mask;
        while (slots[at] != 0)
            at = (at + 1) & mask;
        slots[at] = (uint32_t)each + 1;
    }
    for (size_t each = 0; each < (size_t)keys->len / 4; each++) {
        size_t at = (wanted[each] >> 7) & mask;
        while (slots[at] != 0 && there[slots[at] - 1] != wanted[each])
            at = (at + 1) & mask;
        found[each] = slots[at] ? slots[at] - 1 : (uint32_t)count;
    }
    PyMem_Free(slots);
    return 0;
}

static PyObject *columns(PyObject *module, PyObject *args)
{
    Py_buffer keys = {0}, known = {0};
    PyObject *found = NULL;
    (void)module;
    if (PyArg_ParseTuple(args, "y*y*", &keys, &known)) {
        found = PyBytes_FromStringAndSize(NULL, keys.len / 4 * 4);
        if (found != NULL && look_up(&keys, &known, (uint32_t *)PyBytes_AS_STRING(found)) < 0)
            Py_CLEAR(found);
    }
    if (keys.obj != NULL)
        PyBuffer_Release(&keys);
    if (known.obj != NULL)
        PyBuffer_Release(&known);
    return found;
}

static PyMethodDef methods[] = {
    {"count", count, METH_VARARGS, "The words of a text as numbers, and how often each stands."},
    {"learn", learn, METH_VARARGS, "Steps of learning, in this order."},
    {"scores", scores, METH_VARARGS, "What the outputs give each example."},
    {"said", said, METH_VARARGS, "What each table says of one document."},
    {"columns", columns, METH_VARARGS, "Where keys stand among those that are known."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_learn", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit__learn(void)
{
    make_tables();
    return PyModule_Create(&definition);
}
