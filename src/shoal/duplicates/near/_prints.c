/* Words, shingles and sketches of a text: what duplicates/near/shingles.py and sketch.py define, in C.

   Two passes: the text becomes 64-bit hashes of its words (with the room that each takes in a
   shingle), and these a rolling hash of each run of n words. Nothing here trusts its input: lengths
   are checked, and memory grows with the text alone. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define MOST_N 64
#define ROOM 2 /* of a word; a character of a script without spaces takes half of it */
#define HEAD 4

typedef struct {
    uint64_t hash;
    uint8_t room;
} Word;

typedef struct {
    Word *items;
    Py_ssize_t count, space;
} Words;

typedef struct {
    uint64_t *items;
    Py_ssize_t count, space;
} Hashes;

static uint64_t
mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    return x ^ (x >> 33);
}

/* --- words --------------------------------------------------------------------------------- */

enum { OTHER, LETTER, ALONE };

/* Signs within words of Indic and other scripts are no letters to Unicode, and break no word. */
static int
kind_of(Py_UCS4 c)
{
    if (c < 0x80)
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
    if (c < 0x300)
        return Py_UNICODE_ISALNUM(c) ? LETTER : OTHER;
    if (c <= 0x36f || (c >= 0x591 && c <= 0x5c7) || (c >= 0x64b && c <= 0x65f))
        return LETTER;
    if (c >= 0x900 && c <= 0xdff)
        return c != 0x964 && c != 0x965 ? LETTER : OTHER;
    if ((c >= 0xe00 && c <= 0xeff) || (c >= 0x1000 && c <= 0x109f) || (c >= 0x1780 && c <= 0x17ff))
        return ALONE;
    if (!Py_UNICODE_ISALNUM(c))
        return OTHER;
    if ((c >= 0x2e80 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) || c >= 0x20000)
        return ALONE;
    return LETTER;
}

static int
add_word(Words *words, uint64_t hash, uint8_t room)
{
    if (words->count == words->space) {
        Py_ssize_t space = words->space ? words->space * 2 : 1024;
        Word *items = PyMem_Realloc(words->items, (size_t)space * sizeof(Word));
        if (items == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        words->items = items;
        words->space = space;
    }
    words->items[words->count++] = (Word){mix(hash), room};
    return 0;
}

static int
read_words(PyObject *text, Words *words)
{
    int width = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    uint64_t hash = 0;
    int inside = 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 c = PyUnicode_READ(width, data, i);
        int kind = kind_of(c);
        if (kind != LETTER && inside) {
            if (add_word(words, hash, ROOM) < 0)
                return -1;
            inside = 0;
        }
        if (kind == OTHER)
            continue;
        if (!inside)
            hash = 0x9ae16a3b2f90404fULL;
        if (c < 0x80)
            c = c >= 'A' && c <= 'Z' ? c + 32 : c;
        else
            c = Py_UNICODE_TOLOWER(c);
        hash = (hash ^ c) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 32;
        if (kind == LETTER)
            inside = 1;
        else if (add_word(words, hash, ROOM / 2) < 0)
            return -1;
    }
    return inside ? add_word(words, hash, ROOM) : 0;
}

/* --- shingles ------------------------------------------------------------------------------ */

#define FACTOR 0xd6e8feb86659fd93ULL

typedef int (*Take)(void *to, uint64_t hash);

/* Every run of words that fills the room of n words; all of a text that is shorter. */
static int
each_shingle(const Words *words, int n, int overlapping, Take take, void *to)
{
    uint64_t power[MOST_N * ROOM + 1];
    power[0] = 1;
    for (int i = 1; i <= MOST_N * ROOM; i++)
        power[i] = power[i - 1] * FACTOR;
    int room = n * ROOM, filled = 0;
    uint64_t hash = 0;
    Py_ssize_t first = 0, taken = 0;
    for (Py_ssize_t next = 0; next < words->count; next++) {
        hash = hash * FACTOR + words->items[next].hash;
        filled += words->items[next].room;
        if (filled < room)
            continue;
        if (take(to, mix(hash)) < 0)
            return -1;
        taken++;
        if (!overlapping) {
            first = next + 1;
            filled = 0;
            hash = 0;
            continue;
        }
        while (filled >= room) {
            hash -= words->items[first].hash * power[next - first];
            filled -= words->items[first++].room;
        }
    }
    return taken == 0 && words->count ? take(to, mix(hash)) : 0;
}

static int
keep(void *to, uint64_t hash)
{
    Hashes *hashes = to;
    if (hashes->count == hashes->space) {
        Py_ssize_t space = hashes->space ? hashes->space * 2 : 1024;
        uint64_t *items = PyMem_Realloc(hashes->items, (size_t)space * sizeof(uint64_t));
        if (items == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        hashes->items = items;
        hashes->space = space;
    }
    hashes->items[hashes->count++] = hash;
    return 0;
}

/* --- sketches ------------------------------------------------------------------------------ */

typedef struct {
    uint64_t *items, *spare;
    Py_ssize_t count, space, most;
    int level;
    uint64_t limit; /* the first value that is not kept */
} Sample;

/* By the value, which stands above; what is equal there stays in its order. */
static void
sort(Sample *sample)
{
    uint64_t *from = sample->items, *to = sample->spare;
    for (int shift = 32; shift < 64; shift += 8) {
        Py_ssize_t starts[256] = {0}, sum = 0;
        for (Py_ssize_t i = 0; i < sample->count; i++)
            starts[(from[i] >> shift) & 255]++;
        for (int i = 0; i < 256; i++) {
            Py_ssize_t count = starts[i];
            starts[i] = sum;
            sum += count;
        }
        for (Py_ssize_t i = 0; i < sample->count; i++)
            to[starts[(from[i] >> shift) & 255]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
}

/* Each value once, and no more than wanted: every level halves what is kept. */
static void
settle(Sample *sample)
{
    sort(sample);
    Py_ssize_t kept = 0;
    for (Py_ssize_t i = 0; i < sample->count; i++) {
        uint64_t item = sample->items[i];
        if (kept && sample->items[kept - 1] >> 32 == item >> 32) {
            if (item < sample->items[kept - 1])
                sample->items[kept - 1] = item;
        }
        else
            sample->items[kept++] = item;
    }
    while (kept > sample->most && sample->level < 31) {
        sample->level++;
        sample->limit >>= 1;
        while (kept && sample->items[kept - 1] >> 32 >= sample->limit)
            kept--;
    }
    sample->count = kept < sample->most ? kept : sample->most;
}

static int
sample_one(void *to, uint64_t hash)
{
    Sample *sample = to;
    uint64_t value = hash & 0xffffffffULL;
    if (value >= sample->limit)
        return 0;
    if (sample->count == sample->space) {
        settle(sample);
        if (value >= sample->limit) /* which may be lower now */
            return 0;
    }
    sample->items[sample->count++] = value << 32 | hash >> 32;
    return 0;
}

static void
put32(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

static uint32_t
get32(const unsigned char *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
           (uint32_t)from[3] << 24;
}

static PyObject *
as_prints(const Sample *sample, int n, Py_ssize_t marks)
{
    if (marks > sample->count)
        marks = sample->count;
    PyObject *sketch = PyBytes_FromStringAndSize(NULL, HEAD + 4 * sample->count);
    PyObject *marked = PyBytes_FromStringAndSize(NULL, 8 * marks);
    if (sketch == NULL || marked == NULL) {
        Py_XDECREF(sketch);
        Py_XDECREF(marked);
        return NULL;
    }
    unsigned char *to = (unsigned char *)PyBytes_AS_STRING(sketch);
    to[0] = (unsigned char)sample->level;
    to[1] = (unsigned char)n;
    to[2] = to[3] = 0;
    for (Py_ssize_t i = 0; i < sample->count; i++)
        put32(to + HEAD + 4 * i, (uint32_t)(sample->items[i] >> 32));
    to = (unsigned char *)PyBytes_AS_STRING(marked);
    for (Py_ssize_t i = 0; i < 8 * marks; i++)
        to[i] = (unsigned char)(sample->items[i / 8] >> (56 - 8 * (i % 8)));
    return Py_BuildValue("(NN)", sketch, marked);
}

/* How much two sketches share at the coarser level of both. Returns -1 for what is no sketch. */
static int
compare(const Py_buffer *a, const Py_buffer *b, Py_ssize_t *counts)
{
    const unsigned char *one = a->buf, *other = b->buf;
    if (a->len < HEAD || b->len < HEAD || a->len % 4 || b->len % 4 || one[0] > 31 || other[0] > 31) {
        PyErr_SetString(PyExc_ValueError, "this is no sketch");
        return -1;
    }
    if (one[1] != other[1]) {
        PyErr_SetString(PyExc_ValueError, "sketches of shingles of different lengths");
        return -1;
    }
    uint64_t limit = 1ULL << (32 - (one[0] > other[0] ? one[0] : other[0]));
    Py_ssize_t i = HEAD, j = HEAD, shared = 0, only_a = 0, only_b = 0;
    uint64_t x = i < a->len ? get32(one + i) : limit, y = j < b->len ? get32(other + j) : limit;
    while (x < limit || y < limit) {
        if (x == y)
            shared++;
        else if (x < y)
            only_a++;
        else
            only_b++;
        int forward_a = x <= y, forward_b = y <= x;
        if (forward_a)
            x = (i += 4) < a->len ? get32(one + i) : limit;
        if (forward_b)
            y = (j += 4) < b->len ? get32(other + j) : limit;
    }
    counts[0] = shared;
    counts[1] = only_a;
    counts[2] = only_b;
    return 0;
}

/* --- what Python sees ---------------------------------------------------------------------- */

static PyObject *
hashes_of(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *text, *result = NULL;
    int n, overlapping;
    if (!PyArg_ParseTuple(args, "Uip:shingle_hashes", &text, &n, &overlapping))
        return NULL;
    if (n < 1 || n > MOST_N) {
        PyErr_SetString(PyExc_ValueError, "a shingle has from 1 to 64 words");
        return NULL;
    }
    Words words = {0};
    Hashes hashes = {0};
    if (read_words(text, &words) == 0 && each_shingle(&words, n, overlapping, keep, &hashes) == 0)
        result = PyBytes_FromStringAndSize((char *)hashes.items, hashes.count * 8);
    PyMem_Free(words.items);
    PyMem_Free(hashes.items);
    return result;
}

static PyObject *
word_hashes(PyObject *Py_UNUSED(module), PyObject *text)
{
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "a text is wanted");
        return NULL;
    }
    Words words = {0};
    PyObject *result = NULL;
    if (read_words(text, &words) == 0 &&
        (result = PyBytes_FromStringAndSize(NULL, words.count * 8)) != NULL) {
        char *to = PyBytes_AS_STRING(result);
        for (Py_ssize_t i = 0; i < words.count; i++)
            memcpy(to + 8 * i, &words.items[i].hash, 8);
    }
    PyMem_Free(words.items);
    return result;
}

static PyObject *
prints(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *text, *result = NULL;
    int n;
    Py_ssize_t most, marks;
    if (!PyArg_ParseTuple(args, "Uinn:prints", &text, &n, &most, &marks))
        return NULL;
    if (n < 1 || n > MOST_N || most < 1 || most > 65536 || marks < 0 || marks > most) {
        PyErr_SetString(PyExc_ValueError, "no such sketch can be made");
        return NULL;
    }
    Words words = {0};
    Sample sample = {.space = 4 * most > 1024 ? 4 * most : 1024, .most = most, .limit = 1ULL << 32};
    sample.items = PyMem_Malloc((size_t)sample.space * 8);
    sample.spare = PyMem_Malloc((size_t)sample.space * 8);
    if (sample.items == NULL || sample.spare == NULL)
        PyErr_NoMemory();
    else if (read_words(text, &words) == 0 &&
             each_shingle(&words, n, 1, sample_one, &sample) == 0) {
        settle(&sample);
        result = as_prints(&sample, n, marks);
    }
    PyMem_Free(words.items);
    PyMem_Free(sample.items);
    PyMem_Free(sample.spare);
    return result;
}

static PyObject *
overlap(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer a, b;
    Py_ssize_t counts[3];
    if (!PyArg_ParseTuple(args, "y*y*:overlap", &a, &b))
        return NULL;
    int failed = compare(&a, &b, counts);
    PyBuffer_Release(&a);
    PyBuffer_Release(&b);
    return failed ? NULL : Py_BuildValue("(nnn)", counts[0], counts[1], counts[2]);
}

static PyMethodDef methods[] = {
    {"word_hashes", word_hashes, METH_O, "The hash of each word."},
    {"shingle_hashes", hashes_of, METH_VARARGS, "The hash of each run of n words."},
    {"prints", prints, METH_VARARGS, "A text's sketch, and its marks."},
    {"overlap", overlap, METH_VARARGS, "How many values two sketches share, and how many not."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_prints", NULL, 0, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__prints(void)
{
    return PyModule_Create(&module);
}
