/* The fingerprint of simhash.py in C: `fingerprint` does what `plain_fingerprint` does, bit for
 * bit, and simhash.py says what that is and why.
 *
 * Sixty-four columns are counted at once. Plane p holds the bit of value 2**p of every column's
 * count, so that one more word is added with a few "and" and "xor", as in a ripple-carry adder. A
 * word that comes twice is added twice, which is what its frequency as a weight means.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define MOST_BITS 1024
#define LANE_BITS 64
#define MOST_LANES (MOST_BITS / LANE_BITS)
#define PLANES 64 /* no text has 2**64 words */
#define GOLDEN 0x9e3779b97f4a7c15u

/* Hashes that are not counted. Open addressing, at most a quarter full; 0 marks an empty slot. */
typedef struct {
    uint64_t *slots;
    size_t mask;
    int has_zero;
} Aside;

typedef struct {
    uint64_t planes[MOST_LANES][PLANES];
    int heights[MOST_LANES]; /* how many planes are in use */
    int lanes;
    uint64_t total;
} Columns;

static inline uint64_t hash_at(const char *data, Py_ssize_t index)
{
    uint64_t hash;
    memcpy(&hash, data + index * (Py_ssize_t)sizeof hash, sizeof hash); /* of any alignment */
    return hash;
}

static inline uint64_t splitmix64(uint64_t state)
{
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
    return state ^ (state >> 31);
}

static inline size_t slot_of(const Aside *aside, uint64_t hash)
{
    size_t at = (size_t)((hash * GOLDEN) >> 32) & aside->mask;
    while (aside->slots[at] != 0 && aside->slots[at] != hash)
        at = (at + 1) & aside->mask;
    return at;
}

static int set_aside(Aside *aside, const char *data, Py_ssize_t count)
{
    size_t size = 4;
    while (size / 4 < (size_t)count)
        size *= 2;
    aside->slots = PyMem_Calloc(size, sizeof *aside->slots);
    if (aside->slots == NULL)
        return -1;
    aside->mask = size - 1;
    aside->has_zero = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        uint64_t hash = hash_at(data, i);
        if (hash == 0)
            aside->has_zero = 1;
        else
            aside->slots[slot_of(aside, hash)] = hash;
    }
    return 0;
}

static inline int is_aside(const Aside *aside, uint64_t hash)
{
    return hash == 0 ? aside->has_zero : aside->slots[slot_of(aside, hash)] == hash;
}

static inline void add(Columns *columns, uint64_t hash)
{
    columns->total++;
    for (int lane = 0; lane < columns->lanes; lane++) {
        uint64_t *planes = columns->planes[lane];
        uint64_t carry = splitmix64(hash + (uint64_t)(lane + 1) * GOLDEN);
        int plane = 0;
        for (; carry != 0 && plane < PLANES; plane++) {
            uint64_t both = planes[plane] & carry;
            planes[plane] ^= carry;
            carry = both;
        }
        if (plane > columns->heights[lane])
            columns->heights[lane] = plane;
    }
}

/* One where more than half of the words have a one, the first column in the highest bit. */
static uint64_t majority(const Columns *columns, int lane)
{
    uint64_t result = 0;
    for (int bit = LANE_BITS - 1; bit >= 0; bit--) {
        uint64_t ones = 0;
        for (int plane = 0; plane < columns->heights[lane]; plane++)
            ones |= ((columns->planes[lane][plane] >> bit) & 1) << plane;
        result = result << 1 | (ones > columns->total - ones);
    }
    return result;
}

static PyObject *written(const Columns *columns, int bits)
{
    unsigned char bytes[MOST_BITS / 8];
    for (int lane = 0; lane < columns->lanes; lane++) {
        uint64_t word = majority(columns, lane);
        for (int byte = 0; byte < 8; byte++)
            bytes[lane * 8 + byte] = (unsigned char)(word >> (56 - 8 * byte));
    }
    return PyBytes_FromStringAndSize((const char *)bytes, bits / 8);
}

static PyObject *fingerprint_of(const Py_buffer *hashes, const Py_buffer *aside_hashes, int bits)
{
    Aside aside;
    Columns columns;
    if (set_aside(&aside, aside_hashes->buf, aside_hashes->len / 8) < 0)
        return PyErr_NoMemory();
    columns.lanes = (bits + LANE_BITS - 1) / LANE_BITS;
    columns.total = 0;
    memset(columns.planes, 0, (size_t)columns.lanes * sizeof columns.planes[0]);
    memset(columns.heights, 0, sizeof columns.heights);
    for (Py_ssize_t i = 0; i < hashes->len / 8; i++) {
        uint64_t hash = hash_at(hashes->buf, i);
        if (!is_aside(&aside, hash))
            add(&columns, hash);
    }
    PyMem_Free(aside.slots);
    return written(&columns, bits);
}

static PyObject *fingerprint(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    Py_buffer hashes, aside;
    int bits;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(arguments, "y*y*i", &hashes, &aside, &bits))
        return NULL;
    if (bits < 8 || bits > MOST_BITS || bits % 8 != 0)
        PyErr_Format(PyExc_ValueError, "bits must be a multiple of 8 up to %d", MOST_BITS);
    else if (hashes.len % 8 != 0 || aside.len % 8 != 0)
        PyErr_SetString(PyExc_ValueError, "hashes are of 64 bits each");
    else
        result = fingerprint_of(&hashes, &aside, bits);
    PyBuffer_Release(&hashes);
    PyBuffer_Release(&aside);
    return result;
}

static PyMethodDef methods[] = {
    {"fingerprint", fingerprint, METH_VARARGS,
     "fingerprint(hashes, aside, bits): the native form of simhash.plain_fingerprint."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "shoal.duplicates.methods._simhash",
    .m_doc = "The fingerprints of shoal.duplicates.methods.simhash, compiled.",
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__simhash(void)
{
    return PyModuleDef_Init(&module);
}
