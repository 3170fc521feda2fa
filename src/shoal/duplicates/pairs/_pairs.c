/* The loops of discovery.py in C: each function does what the `plain_` one there of the same name
 * does, key for key, and discovery.py says what that is and why.
 *
 * Keys are 64 bits: a mixed sketch value above a document's number, or a pair of documents.
 * Sketches stay in a file and are read one at a time, so that memory does not grow with them; the
 * lock of the interpreter is free meanwhile. Documents' numbers and places are checked against the
 * table of places, whatever the keys say.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD 4
#define MIX 2654435769u /* odd, so no two values are mixed into one */
#define BLOCK 16384
#define FIRSTS 2
#define NEXT 4
#define PAIRS_AT_ONCE 8192
#define STEPS 16 /* between two looks at whether a pair can still be alike */
#define NO_SAMPLE 0xffffffffu

enum fault { FINE = 0, NO_MEMORY, NOT_READ, NO_DOCUMENT };

/* ---- what is kept of the collection ---- */

typedef struct {
    int file;
    const uint64_t *places; /* where each sketch begins, and where the last one ends */
    uint64_t documents;
} Kept;

typedef struct {
    unsigned char *bytes;
    size_t room;
    size_t values;
    unsigned level;
} Sketch;

typedef struct {
    uint64_t *keys;
    size_t count, room;
} Keys;

static uint32_t value_at(const unsigned char *values, size_t at)
{
    const unsigned char *from = values + 4 * at;
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
           (uint32_t)from[3] << 24;
}

static enum fault read_sketch(const Kept *kept, uint64_t document, Sketch *sketch)
{
    if (document >= kept->documents)
        return NO_DOCUMENT;
    uint64_t start = kept->places[document], end = kept->places[document + 1];
    if (end < start || end - start > PTRDIFF_MAX / 2 || end > INT64_MAX)
        return NO_DOCUMENT;
    size_t length = (size_t)(end - start), done = 0;
    if (length > sketch->room) {
        unsigned char *more = realloc(sketch->bytes, length);
        if (more == NULL)
            return NO_MEMORY;
        sketch->bytes = more;
        sketch->room = length;
    }
    while (done < length) {
        ssize_t got = pread(kept->file, sketch->bytes + done, length - done, (off_t)(start + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got < 0 ? errno : EIO;
            return NOT_READ;
        }
        done += (size_t)got;
    }
    sketch->values = length > HEAD ? (length - HEAD) / 4 : 0;
    sketch->level = length ? sketch->bytes[0] : 0;
    return FINE;
}

static enum fault push(Keys *to, uint64_t key)
{
    if (to->count == to->room) {
        size_t room = to->room ? 2 * to->room : 1024;
        uint64_t *more = realloc(to->keys, room * sizeof *more);
        if (more == NULL)
            return NO_MEMORY;
        to->keys = more;
        to->room = room;
    }
    to->keys[to->count++] = key;
    return FINE;
}

static enum fault push_pair(Keys *to, uint64_t a, uint64_t b)
{
    uint32_t low = (uint32_t)a, high = (uint32_t)b;
    return low == high ? FINE : push(to, (uint64_t)low << 32 | high);
}

static PyObject *raise_fault(enum fault fault)
{
    if (fault == NO_MEMORY)
        return PyErr_NoMemory();
    if (fault == NOT_READ)
        return PyErr_SetFromErrno(PyExc_OSError);
    PyErr_SetString(PyExc_ValueError, "there is no such document");
    return NULL;
}

/* A buffer as 64-bit numbers; -1 with an exception when it can't be. */
static Py_ssize_t as_keys(const Py_buffer *buffer, uint64_t **keys)
{
    if (buffer->len % 8 || (buffer->len && (uintptr_t)buffer->buf % _Alignof(uint64_t))) {
        PyErr_SetString(PyExc_ValueError, "keys are 64 bits each");
        return -1;
    }
    *keys = buffer->buf;
    return buffer->len / 8;
}

static int as_kept(int file, const Py_buffer *places, Kept *kept)
{
    uint64_t *numbers;
    Py_ssize_t count = as_keys(places, &numbers);
    if (count == 0)
        PyErr_SetString(PyExc_ValueError, "the places have an end at least");
    if (count <= 0)
        return -1;
    *kept = (Kept){file, numbers, (uint64_t)count - 1};
    return 0;
}

/* ---- keys in order ---- */

/* From the least byte to the highest; bytes that all keys share cost nothing. */
static void sort_keys(uint64_t *keys, uint64_t *scratch, size_t count)
{
    size_t seen[8][256];
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < count; i++)
        for (int byte = 0; byte < 8; byte++)
            seen[byte][keys[i] >> (8 * byte) & 255]++;
    uint64_t *from = keys, *to = scratch;
    for (int byte = 0; byte < 8 && count; byte++) {
        size_t *starts = seen[byte], sum = 0;
        if (starts[from[0] >> (8 * byte) & 255] == count)
            continue;
        for (int digit = 0; digit < 256; digit++) {
            size_t here = starts[digit];
            starts[digit] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; i++)
            to[starts[from[i] >> (8 * byte) & 255]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, count * sizeof *keys);
}

static PyObject *sort(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer buffer;
    uint64_t *keys;
    if (!PyArg_ParseTuple(args, "w*", &buffer))
        return NULL;
    Py_ssize_t count = as_keys(&buffer, &keys);
    uint64_t *scratch = count > 0 ? malloc((size_t)count * sizeof *scratch) : NULL;
    Py_ssize_t distinct = 0;
    if (count > 0 && scratch == NULL) {
        PyErr_NoMemory();
        count = -1;
    }
    if (count > 0) {
        Py_BEGIN_ALLOW_THREADS
        sort_keys(keys, scratch, (size_t)count);
        for (Py_ssize_t i = 0; i < count; i++)
            if (i == 0 || keys[i] != keys[distinct - 1])
                keys[distinct++] = keys[i];
        Py_END_ALLOW_THREADS
    }
    free(scratch);
    PyBuffer_Release(&buffer);
    return count < 0 ? NULL : PyLong_FromSsize_t(distinct);
}

static PyObject *list_of_parts(const size_t *sizes, Py_ssize_t parts, uint64_t **ends)
{
    PyObject *list = PyList_New(parts);
    for (Py_ssize_t part = 0; list != NULL && part < parts; part++) {
        PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(sizes[part] * 8));
        if (bytes == NULL) {
            Py_CLEAR(list);
            break;
        }
        PyList_SET_ITEM(list, part, bytes);
        ends[part] = (uint64_t *)PyBytes_AS_STRING(bytes);
    }
    return list;
}

static PyObject *scatter_keys(const uint64_t *keys, Py_ssize_t count, uint64_t low, uint64_t width,
                              Py_ssize_t parts)
{
    PyObject *list = NULL;
    size_t *sizes = calloc((size_t)parts, sizeof *sizes);
    uint64_t **ends = calloc((size_t)parts, sizeof *ends);
    if (sizes == NULL || ends == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (keys[i] < low || (keys[i] - low) / width >= (uint64_t)parts) {
            PyErr_SetString(PyExc_ValueError, "a key is in none of the parts");
            goto done;
        }
        sizes[(keys[i] - low) / width]++;
    }
    list = list_of_parts(sizes, parts, ends);
    for (Py_ssize_t i = 0; list != NULL && i < count; i++)
        memcpy(ends[(keys[i] - low) / width]++, &keys[i], sizeof *keys);
done:
    free(sizes);
    free(ends);
    return list;
}

static PyObject *scatter(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer buffer;
    uint64_t *keys;
    unsigned long long low, width;
    Py_ssize_t parts;
    PyObject *list = NULL;
    if (!PyArg_ParseTuple(args, "y*KKn", &buffer, &low, &width, &parts))
        return NULL;
    Py_ssize_t count = as_keys(&buffer, &keys);
    if (count >= 0 && (width == 0 || parts < 1))
        PyErr_SetString(PyExc_ValueError, "no such parts");
    else if (count >= 0)
        list = scatter_keys(keys, count, low, width, parts);
    PyBuffer_Release(&buffer);
    return list;
}

/* ---- from sketches to keys ---- */

static PyObject *entries_of(const Kept *kept, const Py_buffer *data, const Py_buffer *copies,
                            uint64_t first, size_t smallest)
{
    if ((uint64_t)copies->len < kept->documents || first > UINT32_MAX ||
        kept->documents > UINT32_MAX - first)
        return raise_fault(NO_DOCUMENT);
    Keys found = {0};
    enum fault fault = FINE;
    for (uint64_t at = 0; at < kept->documents && !fault; at++) {
        uint64_t base = kept->places[0], start = kept->places[at], end = kept->places[at + 1];
        if (start < base || end < start || end - base > (uint64_t)data->len)
            fault = NO_DOCUMENT;
        if (fault || ((const char *)copies->buf)[at] || end - start <= HEAD)
            continue;
        const unsigned char *values = (const unsigned char *)data->buf + (start - base) + HEAD;
        size_t count = (size_t)(end - start - HEAD) / 4;
        for (size_t i = 0; i < count && i < smallest && !fault; i++)
            fault = push(&found, (uint64_t)(value_at(values, i) * MIX) << 32 | (first + at));
    }
    PyObject *bytes = NULL;
    if (fault)
        raise_fault(fault);
    else
        bytes = PyBytes_FromStringAndSize((const char *)found.keys, (Py_ssize_t)(found.count * 8));
    free(found.keys);
    return bytes;
}

static PyObject *entries(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer data, places, copies;
    unsigned long long first;
    Py_ssize_t smallest;
    Kept kept;
    PyObject *found = NULL;
    if (!PyArg_ParseTuple(args, "y*y*y*Kn", &data, &places, &copies, &first, &smallest))
        return NULL;
    if (as_kept(-1, &places, &kept) == 0)
        found = entries_of(&kept, &data, &copies, first, smallest < 0 ? 0 : (size_t)smallest);
    PyBuffer_Release(&data);
    PyBuffer_Release(&places);
    PyBuffer_Release(&copies);
    return found;
}

/* ---- from keys to candidate pairs ---- */

static uint32_t stirred(uint32_t value)
{
    value = (value ^ value >> 16) * 0x85ebca6bu;
    value = (value ^ value >> 13) * 0xc2b2ae35u;
    return value ^ value >> 16;
}

/* Another value of the sketch, the same one for documents that are alike. */
static uint32_t second_sample(const Sketch *sketch, uint32_t mixed)
{
    uint32_t least = NO_SAMPLE;
    for (size_t at = 0; at < sketch->values; at++) {
        uint32_t value = value_at(sketch->bytes + HEAD, at);
        uint32_t sample = stirred(value ^ mixed);
        if (sample < least && value * MIX != mixed)
            least = sample;
    }
    return least;
}

static enum fault pair_all(const uint64_t *keys, size_t count, Keys *pairs)
{
    enum fault fault = FINE;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && !fault; j++)
            fault = push_pair(pairs, keys[i], keys[j]);
    return fault;
}

static enum fault pair_firsts(const uint64_t *keys, size_t count, Keys *pairs)
{
    enum fault fault = FINE;
    for (size_t i = 0; i < FIRSTS; i++)
        for (size_t j = i + 1; j < count && !fault; j++)
            fault = push_pair(pairs, keys[i], keys[j]);
    return fault;
}

static enum fault pair_nexts(const uint64_t *keys, size_t count, Keys *pairs)
{
    enum fault fault = FINE;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && j <= i + NEXT && !fault; j++)
            fault = push_pair(pairs, keys[i], keys[j]);
    return fault;
}

typedef struct {
    Kept kept;
    Sketch sketch;
    uint64_t *samples, *scratch; /* a block each */
    size_t most_common;
    Keys pairs;
} Pairing;

/* A value that many documents have: they are told apart by another one. */
static enum fault pair_common(Pairing *with, const uint64_t *keys, size_t count)
{
    enum fault fault = pair_firsts(keys, count, &with->pairs);
    for (size_t i = 0; i < count && !fault; i++) {
        fault = read_sketch(&with->kept, (uint32_t)keys[i], &with->sketch);
        if (!fault)
            with->samples[i] =
                (uint64_t)second_sample(&with->sketch, (uint32_t)(keys[i] >> 32)) << 32 |
                (uint32_t)keys[i];
    }
    if (fault)
        return fault;
    sort_keys(with->samples, with->scratch, count);
    for (size_t start = 0, end; start < count && !fault; start = end) {
        for (end = start + 1; end < count && with->samples[end] >> 32 == with->samples[start] >> 32;)
            end++;
        if (end - start <= with->most_common)
            fault = pair_all(with->samples + start, end - start, &with->pairs);
        else {
            fault = pair_firsts(with->samples + start, end - start, &with->pairs);
            fault = fault ? fault : pair_nexts(with->samples + start, end - start, &with->pairs);
        }
    }
    return fault;
}

static enum fault pair_up(Pairing *with, uint64_t *keys, size_t count, size_t *start, int is_last)
{
    enum fault fault = FINE;
    while (*start < count && with->pairs.count < PAIRS_AT_ONCE && !fault) {
        size_t at = *start, end = at + 1;
        while (end < count && end - at <= BLOCK && keys[end] >> 32 == keys[at] >> 32)
            end++;
        if (end - at > BLOCK) { /* the next block begins with the firsts as well */
            fault = pair_common(with, keys + at, BLOCK);
            memmove(keys + at + BLOCK - FIRSTS, keys + at, FIRSTS * sizeof *keys);
            *start = at + BLOCK - FIRSTS;
            continue;
        }
        if (end == count && !is_last)
            break; /* there may be more of this value */
        fault = end - at <= with->most_common ? pair_all(keys + at, end - at, &with->pairs)
                                              : pair_common(with, keys + at, end - at);
        *start = end;
    }
    return fault;
}

static PyObject *candidates_of(Pairing *with, uint64_t *keys, Py_ssize_t count, int is_last)
{
    size_t at = 0;
    enum fault fault = NO_MEMORY;
    PyObject *result = NULL;
    with->samples = malloc(BLOCK * sizeof *with->samples);
    with->scratch = malloc(BLOCK * sizeof *with->scratch);
    if (with->samples != NULL && with->scratch != NULL) {
        Py_BEGIN_ALLOW_THREADS
        fault = pair_up(with, keys, (size_t)count, &at, is_last);
        Py_END_ALLOW_THREADS
    }
    if (fault)
        raise_fault(fault);
    else
        result = Py_BuildValue("y#n", with->pairs.keys ? (const char *)with->pairs.keys : "",
                               (Py_ssize_t)(with->pairs.count * 8), (Py_ssize_t)at);
    free(with->samples);
    free(with->scratch);
    free(with->pairs.keys);
    free(with->sketch.bytes);
    return result;
}

static PyObject *candidates(PyObject *module, PyObject *args)
{
    (void)module;
    int file, is_last;
    Py_buffer places, buffer;
    Py_ssize_t most_common;
    uint64_t *keys;
    Pairing with = {0};
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(args, "iy*w*np", &file, &places, &buffer, &most_common, &is_last))
        return NULL;
    Py_ssize_t count = as_kept(file, &places, &with.kept) == 0 ? as_keys(&buffer, &keys) : -1;
    if (count >= 0 && (most_common < FIRSTS || most_common > BLOCK))
        PyErr_SetString(PyExc_ValueError, "candidates can't be found so");
    else if (count >= 0) {
        with.most_common = (size_t)most_common;
        result = candidates_of(&with, keys, count, is_last);
    }
    PyBuffer_Release(&places);
    PyBuffer_Release(&buffer);
    return result;
}

/* ---- from candidates to pairs ---- */

/* How many of a sketch's values are there at a coarser level. */
static size_t values_below(const Sketch *sketch, uint64_t limit)
{
    size_t low = 0, high = sketch->values;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (value_at(sketch->bytes + HEAD, middle) < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double share(size_t shared, size_t ours, size_t theirs)
{
    return shared ? (double)shared / (double)(ours + theirs - shared) : 0.0;
}

/* 0 as soon as it is clear that they are less alike than the threshold. */
static double resemblance(const Sketch *a, const Sketch *b, double threshold)
{
    unsigned level = a->level > b->level ? a->level : b->level;
    uint64_t limit = level < 32 ? (uint64_t)1 << (32 - level) : 1;
    const unsigned char *ours = a->bytes + HEAD, *theirs = b->bytes + HEAD;
    size_t our_count = values_below(a, limit), their_count = values_below(b, limit);
    size_t i = 0, j = 0, shared = 0;
    while (i < our_count && j < their_count) {
        size_t left = our_count - i < their_count - j ? our_count - i : their_count - j;
        if (share(shared + left, our_count, their_count) < threshold)
            return 0.0;
        for (size_t steps = left < STEPS ? left : STEPS; steps > 0; steps--) {
            uint32_t mine = value_at(ours, i), other = value_at(theirs, j);
            i += mine <= other;
            j += other <= mine;
            shared += mine == other;
        }
    }
    return share(shared, our_count, their_count);
}

typedef struct {
    uint64_t pair;
    double resemblance;
} Found;

/* `found` has room for as many as there are keys. */
static enum fault verify_keys(const Kept *kept, const uint64_t *keys, size_t count,
                              double threshold, Found *found, size_t *found_count)
{
    Sketch a = {0}, b = {0};
    enum fault fault = FINE;
    for (size_t i = 0; i < count && !fault; i++) {
        if (i == 0 || keys[i] >> 32 != keys[i - 1] >> 32)
            fault = read_sketch(kept, keys[i] >> 32, &a);
        fault = fault ? fault : read_sketch(kept, (uint32_t)keys[i], &b);
        double alike = fault ? 0.0 : resemblance(&a, &b, threshold);
        if (!fault && alike >= threshold)
            found[(*found_count)++] = (Found){keys[i], alike};
    }
    free(a.bytes);
    free(b.bytes);
    return fault;
}

static PyObject *list_of_found(const Found *found, size_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *pair = Py_BuildValue("kkd", (unsigned long)(found[i].pair >> 32),
                                       (unsigned long)(uint32_t)found[i].pair,
                                       found[i].resemblance);
        if (pair == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, (Py_ssize_t)i, pair);
    }
    return list;
}

static PyObject *verify(PyObject *module, PyObject *args)
{
    (void)module;
    int file;
    Py_buffer places, buffer;
    double threshold;
    Kept kept;
    uint64_t *keys;
    PyObject *list = NULL;
    if (!PyArg_ParseTuple(args, "iy*y*d", &file, &places, &buffer, &threshold))
        return NULL;
    Py_ssize_t count = as_kept(file, &places, &kept) == 0 ? as_keys(&buffer, &keys) : -1;
    Found *found = count >= 0 ? malloc(((size_t)count + 1) * sizeof *found) : NULL;
    if (count >= 0 && found == NULL)
        PyErr_NoMemory();
    else if (count >= 0) {
        size_t found_count = 0;
        enum fault fault;
        Py_BEGIN_ALLOW_THREADS
        fault = verify_keys(&kept, keys, (size_t)count, threshold, found, &found_count);
        Py_END_ALLOW_THREADS
        list = fault ? raise_fault(fault) : list_of_found(found, found_count);
    }
    free(found);
    PyBuffer_Release(&places);
    PyBuffer_Release(&buffer);
    return list;
}

static PyMethodDef methods[] = {
    {"sort", sort, METH_VARARGS, "The native form of discovery.plain_sort."},
    {"scatter", scatter, METH_VARARGS, "The native form of discovery.plain_scatter."},
    {"entries", entries, METH_VARARGS, "The native form of discovery.plain_entries."},
    {"candidates", candidates, METH_VARARGS, "The native form of discovery.plain_candidates."},
    {"verify", verify, METH_VARARGS, "The native form of discovery.plain_verify."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {{0, NULL}};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "shoal.duplicates.pairs._pairs",
    .m_doc = "The loops of shoal.duplicates.pairs.discovery, compiled.",
    .m_methods = methods,
    .m_slots = module_slots,
};

PyMODINIT_FUNC PyInit__pairs(void)
{
    return PyModuleDef_Init(&module_definition);
}
