/* The stems of a text, and a word's counts in a stored vector, in C: `Pieces` does what
 * `PlainPieces` of pieces.py does, and `count` what `plain_count` of vector.py does; they say what
 * that is and why.
 *
 * Two tables with open addressing. One remembers pieces of text and what was made of them; when it
 * is full it is emptied. The other counts the stems of one text and is emptied for each.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define MOST_PIECE_CHARS 48
#define FIRST_SLOTS 256
#define MOST_ENTRIES_BYTES ((size_t)1 << 28)
#define MOST_COUNT 255
#define CONTENT 8 /* as in model/candidate.py, Where */
#define REST 16

/* What is remembered of a piece, in one place: memory is what a look-up waits for. */
typedef struct {
    uint32_t piece_chars, stem_count, stems_bytes;
    uint32_t data[]; /* the piece's characters, the stems' hashes, the stems in UTF-8 */
} Entry;

typedef struct {
    uint32_t place; /* of an entry, in words of `entries`, and 1; 0: empty */
    uint32_t hash;
} Slot;

/* A growing array of anything. */
typedef struct {
    char *data;
    size_t used, room;
} Buffer;

typedef struct {
    PyObject_HEAD
    PyObject *make;
    uint64_t seed;
    Slot *slots;
    size_t mask, most, count;
    Buffer entries;
    /* of the text at hand */
    int in_use;
    Buffer out, found, counts;
    uint32_t *seen; /* a stem's number and 1, or 0 */
    size_t seen_mask;
} Pieces;

static uint32_t crc_table[256];

static void make_crc_table(void)
{
    for (uint32_t each = 0; each < 256; each++) {
        uint32_t crc = each;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? 0xedb88320u ^ (crc >> 1) : crc >> 1;
        crc_table[each] = crc;
    }
}

static uint32_t crc32_of(const char *data, size_t bytes)
{
    uint32_t crc = 0xffffffffu;
    for (size_t at = 0; at < bytes; at++)
        crc = crc_table[(crc ^ (unsigned char)data[at]) & 0xff] ^ (crc >> 8);
    return crc ^ 0xffffffffu;
}

static int grow(Buffer *buffer, size_t more)
{
    if (buffer->used + more <= buffer->room)
        return 0;
    size_t room = buffer->room ? buffer->room * 2 : 1024;
    while (room < buffer->used + more)
        room *= 2;
    char *data = PyMem_Realloc(buffer->data, room);
    if (data == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    buffer->data = data;
    buffer->room = room;
    return 0;
}

static int append(Buffer *buffer, const void *data, size_t bytes)
{
    if (grow(buffer, bytes) < 0)
        return -1;
    memcpy(buffer->data + buffer->used, data, bytes);
    buffer->used += bytes;
    return 0;
}

/* Counting the stems of a text */

static size_t seen_slot(const Pieces *self, uint32_t hash)
{
    const uint32_t *found = (const uint32_t *)self->found.data;
    size_t at = (hash * 0x9e3779b1u) >> 7 & self->seen_mask;
    while (self->seen[at] != 0 && found[self->seen[at] - 1] != hash)
        at = (at + 1) & self->seen_mask;
    return at;
}

static int start_counting(Pieces *self, size_t slots)
{
    uint32_t *seen = PyMem_Realloc(self->seen, slots * sizeof *seen);
    if (seen == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memset(seen, 0, slots * sizeof *seen);
    self->seen = seen;
    self->seen_mask = slots - 1;
    return 0;
}

static int count_stem(Pieces *self, uint32_t hash)
{
    size_t at = seen_slot(self, hash);
    if (self->seen[at] != 0) {
        unsigned char *count = (unsigned char *)self->counts.data + self->seen[at] - 1;
        *count += *count < MOST_COUNT;
        return 0;
    }
    unsigned char once = 1;
    if (append(&self->found, &hash, sizeof hash) < 0 || append(&self->counts, &once, 1) < 0)
        return -1;
    size_t number = self->counts.used;
    self->seen[at] = (uint32_t)number;
    if (number * 2 <= self->seen_mask)
        return 0;
    if (start_counting(self, (self->seen_mask + 1) * 4) < 0)
        return -1;
    for (size_t each = 0; each < number; each++)
        self->seen[seen_slot(self, ((const uint32_t *)self->found.data)[each])] =
            (uint32_t)each + 1;
    return 0;
}

/* Remembering pieces */

static void forget(Pieces *self)
{
    memset(self->slots, 0, (self->mask + 1) * sizeof *self->slots);
    self->count = 0;
    self->entries.used = 0;
}

static uint32_t hash_piece(const Pieces *self, int kind, const void *data, Py_ssize_t from,
                           Py_ssize_t to)
{
    uint64_t hash = self->seed;
    for (Py_ssize_t at = from; at < to; at++) {
        hash = (hash ^ PyUnicode_READ(kind, data, at)) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return (uint32_t)(hash ^ hash >> 32);
}

static int is_piece(const Entry *entry, int kind, const void *data, Py_ssize_t from, Py_ssize_t to)
{
    if (entry->piece_chars != (size_t)(to - from))
        return 0;
    for (Py_ssize_t at = from; at < to; at++)
        if (entry->data[at - from] != PyUnicode_READ(kind, data, at))
            return 0;
    return 1;
}

static size_t words_of(size_t bytes)
{
    return (bytes + sizeof(uint32_t) - 1) / sizeof(uint32_t);
}

/* An entry behind the others, of a piece and its stems; NULL when there is no memory. */
static Entry *enter(Pieces *self, PyObject *text, Py_ssize_t from, Py_ssize_t to, const char *stems,
                    size_t bytes)
{
    size_t chars = (size_t)(to - from);
    size_t room = sizeof(Entry) + (chars + bytes + 1 + words_of(bytes)) * sizeof(uint32_t);
    if (grow(&self->entries, room) < 0)
        return NULL;
    Entry *entry = (Entry *)(self->entries.data + self->entries.used);
    uint32_t *data = entry->data;
    for (Py_ssize_t at = from; at < to; at++)
        *data++ = PyUnicode_READ_CHAR(text, at);
    entry->piece_chars = (uint32_t)chars;
    entry->stem_count = 0;
    entry->stems_bytes = (uint32_t)bytes;
    for (size_t at = 0, start = 0; at <= bytes; at++) {
        if (at < bytes && stems[at] != ' ')
            continue;
        if (at > start)
            data[entry->stem_count++] = crc32_of(stems + start, at - start);
        start = at + 1;
    }
    memcpy(data + entry->stem_count, stems, bytes);
    self->entries.used +=
        sizeof(Entry) + (chars + entry->stem_count + words_of(bytes)) * sizeof(uint32_t);
    return entry;
}

static Entry *make_entry(Pieces *self, PyObject *text, Py_ssize_t from, Py_ssize_t to)
{
    PyObject *part = PyUnicode_Substring(text, from, to);
    if (part == NULL)
        return NULL;
    PyObject *made = PyObject_CallOneArg(self->make, part);
    Py_DECREF(part);
    if (made == NULL)
        return NULL;
    Py_ssize_t bytes;
    const char *stems = PyUnicode_AsUTF8AndSize(made, &bytes);
    Entry *entry = NULL;
    if (stems != NULL && (size_t)bytes > UINT32_MAX / 8)
        PyErr_SetString(PyExc_ValueError, "a piece of text is too long");
    else if (stems != NULL)
        entry = enter(self, text, from, to, stems, (size_t)bytes);
    Py_DECREF(made);
    return entry;
}

static Entry *look_up(Pieces *self, PyObject *text, Py_ssize_t from, Py_ssize_t to)
{
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    if (self->count >= self->most || self->entries.used > MOST_ENTRIES_BYTES)
        forget(self);
    uint32_t hash = hash_piece(self, kind, data, from, to);
    size_t at = hash & self->mask;
    for (; self->slots[at].place != 0; at = (at + 1) & self->mask) {
        if (self->slots[at].hash != hash)
            continue;
        size_t place = (self->slots[at].place - 1) * sizeof(uint32_t);
        Entry *known = (Entry *)(self->entries.data + place);
        if (is_piece(known, kind, data, from, to))
            return known;
    }
    size_t place = self->entries.used / sizeof(uint32_t);
    Entry *entry = make_entry(self, text, from, to);
    if (entry != NULL) {
        self->slots[at] = (Slot){.place = (uint32_t)place + 1, .hash = hash};
        self->count++;
    }
    return entry;
}

/* One piece of the text at hand: its stems are put out and counted. Returns how many, or -1. */
static Py_ssize_t take(Pieces *self, PyObject *text, Py_ssize_t from, Py_ssize_t to)
{
    int is_long = to - from > MOST_PIECE_CHARS;
    size_t before = self->entries.used;
    const Entry *entry = (is_long ? make_entry : look_up)(self, text, from, to);
    if (entry == NULL)
        return -1;
    const uint32_t *hashes = entry->data + entry->piece_chars;
    if (entry->stem_count != 0 && self->out.used != 0 && append(&self->out, " ", 1) < 0)
        return -1;
    if (append(&self->out, hashes + entry->stem_count, entry->stems_bytes) < 0)
        return -1;
    for (size_t each = 0; each < entry->stem_count; each++)
        if (count_stem(self, hashes[each]) < 0)
            return -1;
    if (is_long) /* it hardly comes again */
        self->entries.used = before;
    return (Py_ssize_t)entry->stem_count;
}

/* Whether a piece ends here: at white space, and at an ASCII sign that nothing can alter. */
static int is_gap(int kind, const void *data, Py_ssize_t at, Py_ssize_t end)
{
    Py_UCS4 sign = PyUnicode_READ(kind, data, at);
    if (sign >= 128 || Py_UNICODE_ISSPACE(sign))
        return Py_UNICODE_ISSPACE(sign);
    return !Py_ISALNUM((unsigned char)sign) &&
           (at + 1 == end || PyUnicode_READ(kind, data, at + 1) < 128);
}

static PyObject *take_all(Pieces *self, PyObject *text)
{
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t end = PyUnicode_GET_LENGTH(text), at = 0, words = 0;
    while (at < end) {
        while (at < end && is_gap(kind, data, at, end))
            at++;
        Py_ssize_t from = at;
        while (at < end && !is_gap(kind, data, at, end))
            at++;
        if (at == from)
            break;
        Py_ssize_t count = take(self, text, from, at);
        if (count < 0)
            return NULL;
        words += count;
    }
    PyObject *stems = PyUnicode_DecodeUTF8(self->out.data, (Py_ssize_t)self->out.used, NULL);
    if (stems == NULL)
        return NULL;
    return Py_BuildValue("(Ny#y#n)", stems, self->found.data, (Py_ssize_t)self->found.used,
                         self->counts.data, (Py_ssize_t)self->counts.used, words);
}

static PyObject *pieces_stems(PyObject *object, PyObject *text)
{
    Pieces *self = (Pieces *)object;
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "a text is a str");
        return NULL;
    }
    if (self->in_use) { /* what makes stems is Python and may let another thread run */
        PyErr_SetString(PyExc_RuntimeError, "pieces are taken from one text at a time");
        return NULL;
    }
    self->out.used = self->found.used = self->counts.used = 0;
    if (grow(&self->out, 1) < 0 || grow(&self->found, 1) < 0 || grow(&self->counts, 1) < 0 ||
        start_counting(self, FIRST_SLOTS) < 0)
        return NULL;
    self->in_use = 1;
    PyObject *found = take_all(self, text);
    self->in_use = 0;
    return found;
}

static PyObject *pieces_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *make;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(args, "On", &make, &most))
        return NULL;
    if (most < 1 || most > (1 << 28)) {
        PyErr_SetString(PyExc_ValueError, "between 1 and 2**28 pieces are remembered");
        return NULL;
    }
    PyObject *name = PyUnicode_FromString("shoal"); /* its hash is another in each process */
    if (name == NULL)
        return NULL;
    Py_hash_t seed = PyObject_Hash(name);
    Py_DECREF(name);
    Pieces *self = (Pieces *)type->tp_alloc(type, 0); /* all zeros */
    if (self == NULL)
        return NULL;
    self->make = Py_NewRef(make);
    self->seed = (uint64_t)seed;
    self->most = (size_t)most;
    size_t slots = FIRST_SLOTS;
    while (slots < 2 * self->most)
        slots *= 2;
    self->slots = PyMem_Calloc(slots, sizeof *self->slots);
    self->mask = slots - 1;
    if (self->slots == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static int pieces_traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((Pieces *)object)->make);
    return 0;
}

static int pieces_clear(PyObject *object)
{
    Py_CLEAR(((Pieces *)object)->make);
    return 0;
}

static void pieces_dealloc(PyObject *object)
{
    Pieces *self = (Pieces *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    pieces_clear(object);
    Buffer *buffers[] = {&self->entries, &self->out, &self->found, &self->counts};
    for (size_t each = 0; each < sizeof buffers / sizeof *buffers; each++)
        PyMem_Free(buffers[each]->data);
    PyMem_Free(self->slots);
    PyMem_Free(self->seen);
    type->tp_free(object);
    Py_DECREF(type);
}

/* A word's counts in a document */

static PyObject *count(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer hashes, content, where, anchors, wanted;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*", &hashes, &content, &where, &anchors, &wanted))
        return NULL;
    const Py_ssize_t size = (Py_ssize_t)sizeof(uint32_t);
    const Py_ssize_t in_content = content.len, in_short = content.len + where.len;
    unsigned long in_it = 0, in_anchors = 0, fields = 0;
    for (Py_ssize_t each = 0; each < wanted.len / size; each++) {
        uint32_t sought, hash;
        memcpy(&sought, (const char *)wanted.buf + each * size, sizeof sought);
        for (Py_ssize_t at = 0; at < hashes.len / size; at++) {
            memcpy(&hash, (const char *)hashes.buf + at * size, sizeof hash);
            if (hash != sought)
                continue;
            if (at < in_content) {
                in_it += ((const unsigned char *)content.buf)[at];
                fields |= CONTENT;
            } else if (at < in_short) {
                fields |= ((const unsigned char *)where.buf)[at - in_content];
                if (at - in_content < anchors.len)
                    in_anchors += ((const unsigned char *)anchors.buf)[at - in_content];
            } else {
                fields |= REST;
            }
        }
    }
    PyBuffer_Release(&hashes);
    PyBuffer_Release(&content);
    PyBuffer_Release(&where);
    PyBuffer_Release(&anchors);
    PyBuffer_Release(&wanted);
    return Py_BuildValue("(kkk)", in_it, in_anchors, fields);
}

static PyMethodDef pieces_methods[] = {
    {"stems", pieces_stems, METH_O, "The stems of a text, their hashes and counts, how many."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot pieces_slots[] = {
    {Py_tp_doc, "Pieces(make, most): pieces of texts, and the stems that `make` made of them."},
    {Py_tp_new, pieces_new},
    {Py_tp_dealloc, pieces_dealloc},
    {Py_tp_traverse, pieces_traverse},
    {Py_tp_clear, pieces_clear},
    {Py_tp_methods, pieces_methods},
    {0, NULL},
};

static PyType_Spec pieces_spec = {
    .name = "shoal.index._stems.Pieces",
    .basicsize = sizeof(Pieces),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = pieces_slots,
};

static int execute(PyObject *module)
{
    make_crc_table();
    PyObject *type = PyType_FromModuleAndSpec(module, &pieces_spec, NULL);
    if (type == NULL)
        return -1;
    int failed = PyModule_AddObjectRef(module, "Pieces", type);
    Py_DECREF(type);
    return failed;
}

static PyMethodDef methods[] = {
    {"count", count, METH_VARARGS, "How often a word stands in a document, and where."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, execute},
    {0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "shoal.index._stems",
    .m_doc = "Stems of texts and their counts, compiled; see shoal.index.pieces and vector.",
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__stems(void)
{
    return PyModuleDef_Init(&module);
}
