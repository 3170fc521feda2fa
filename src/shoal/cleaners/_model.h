/* How likely is each piece content? A forest of decision trees, and the cut that fits the page. */
#include "_features.h"

/* As stored: a tree's nodes stand together; a child below zero is a leaf. */
typedef struct {
    float threshold;
    uint16_t feature;
    int16_t left, right;
} Node;

/* As walked: leaves are nodes too, whose way leads back to themselves. So every walk has as many
 * steps as its tree is deep, without a branch, and AT_ONCE rows are walked together. */
typedef struct {
    float threshold; /* or the value of a leaf */
    uint16_t feature;
    uint16_t next[2];
} Step;

typedef struct {
    int trees, features;
    const int32_t *first_node, *first_leaf; /* of each tree, and one behind the last */
    const Node *nodes;
    const float *leaves;
    float bias;
    Step *steps; /* of each tree its nodes, then its leaves */
    unsigned char *depths; /* of each tree */
} Forest;

#define AT_ONCE 4
#define BLOCK_ROWS 16
#define DEEPEST 64

static int prepare(Forest *forest)
{
    size_t count = (size_t)(forest->first_node[forest->trees] + forest->first_leaf[forest->trees]);
    forest->steps = PyMem_RawMalloc((count + 1) * sizeof(Step));
    forest->depths = PyMem_RawCalloc((size_t)forest->trees, 1);
    if (forest->steps == NULL || forest->depths == NULL)
        return -1;
    Step *step = forest->steps;
    for (int tree = 0; tree < forest->trees; tree++) {
        const Node *node = forest->nodes + forest->first_node[tree];
        const float *leaf = forest->leaves + forest->first_leaf[tree];
        int nodes = forest->first_node[tree + 1] - forest->first_node[tree];
        unsigned char below[UINT16_MAX + 1] = {0}; /* how deep each node stands */
        for (int i = 0; i < nodes; i++, node++, step++) {
            int left = node->left >= 0 ? node->left : nodes + ~node->left;
            int right = node->right >= 0 ? node->right : nodes + ~node->right;
            if (below[i] >= DEEPEST)
                return -1;
            below[left] = below[right] = (unsigned char)(below[i] + 1);
            if (below[left] > forest->depths[tree])
                forest->depths[tree] = below[left];
            *step = (Step){node->threshold, node->feature, {(uint16_t)left, (uint16_t)right}};
        }
        for (int i = nodes; i <= 2 * nodes; i++, leaf++, step++)
            *step = (Step){*leaf, 0, {(uint16_t)i, (uint16_t)i}};
    }
    return 0;
}

/* A few rows at a time, so that they stay in the cache while all trees pass over them. */
static void judge_some(const Forest *forest, const float *rows, int count, float *likely)
{
    const Step *steps = forest->steps;
    size_t width = (size_t)forest->features;
    for (int tree = 0; tree < forest->trees; tree++) {
        int deep = forest->depths[tree];
        for (int i = 0; i < count; i += 4) {
            const float *a = rows + (size_t)i * width;
            const float *b = i + 1 < count ? a + width : a;
            const float *c = i + 2 < count ? b + width : b;
            const float *d = i + 3 < count ? c + width : c;
            const Step *p = steps, *q = steps, *r = steps, *s = steps;
            for (int depth = deep; depth > 0; depth--) {
                p = steps + p->next[a[p->feature] > p->threshold];
                q = steps + q->next[b[q->feature] > q->threshold];
                r = steps + r->next[c[r->feature] > r->threshold];
                s = steps + s->next[d[s->feature] > s->threshold];
            }
            likely[i] += p->threshold;
            likely[i + 1] += q->threshold;
            likely[i + 2] += r->threshold;
            likely[i + 3] += s->threshold;
        }
        steps += 2 * (forest->first_node[tree + 1] - forest->first_node[tree]) + 1;
    }
}

/* `likely` has room for AT_ONCE more than there are rows. */
static void judge(const Forest *forest, const float *rows, int count, float *likely)
{
    for (int i = 0; i < count + AT_ONCE; i++)
        likely[i] = forest->bias;
    for (int i = 0; i < count; i += BLOCK_ROWS) {
        int some = count - i < BLOCK_ROWS ? count - i : BLOCK_ROWS;
        judge_some(forest, rows + (size_t)i * (size_t)forest->features, some, likely + i);
    }
    for (int i = 0; i < count; i++) {
        likely[i] = 1 / (1 + expf(-likely[i]));
        if (isnan(likely[i])) /* of a model whose leaves add up to no number */
            likely[i] = 0;
    }
}

/* ---- the model ---- */

typedef struct {
    PyObject_HEAD
    PyObject *data; /* bytes, as stored; the forests point into it */
    float *lexicon;
    int features;
    float sharpness, least_words;
    Forest forest;
} Model;

typedef struct {
    const char *at, *end;
} Reader;

static const void *take(Reader *reader, size_t size)
{
    const char *at = reader->at;
    if ((size_t)(reader->end - at) < size)
        return NULL;
    reader->at += size;
    return at;
}

/* Whether a table goes up from nothing to all that is there. */
static int is_ascending(const int32_t *firsts, int trees, int32_t count)
{
    int is_so = firsts[0] == 0 && firsts[trees] == count;
    for (int tree = 0; tree < trees; tree++)
        is_so &= firsts[tree] <= firsts[tree + 1];
    return is_so;
}

static int is_sound(const Forest *forest)
{
    for (int tree = 0; tree < forest->trees; tree++) {
        int nodes = forest->first_node[tree + 1] - forest->first_node[tree];
        int leaves = forest->first_leaf[tree + 1] - forest->first_leaf[tree];
        if (nodes > INT16_MAX || leaves != nodes + 1)
            return 0;
        const Node *node = forest->nodes + forest->first_node[tree];
        for (int i = 0; i < nodes; i++, node++)
            if (node->feature >= forest->features || node->left >= nodes || node->right >= nodes ||
                ~node->left >= leaves || ~node->right >= leaves ||
                (node->left >= 0 && node->left <= i) || (node->right >= 0 && node->right <= i))
                return 0; /* children stand behind their parents, so that every walk ends */
    }
    return 1;
}

static int take_forest(Reader *reader, Forest *forest, int features)
{
    const int32_t *counts = take(reader, 3 * sizeof(int32_t));
    const float *bias = take(reader, sizeof(float));
    if (counts == NULL || bias == NULL || counts[0] < 1 || counts[0] > 10000 || counts[1] < 0 ||
        counts[1] > 10000000 || counts[2] < 0 || counts[2] > 10000000)
        return -1;
    forest->trees = counts[0];
    forest->features = features;
    forest->bias = *bias;
    forest->first_node = take(reader, ((size_t)counts[0] + 1) * sizeof(int32_t));
    forest->first_leaf = take(reader, ((size_t)counts[0] + 1) * sizeof(int32_t));
    forest->nodes = take(reader, (size_t)counts[1] * sizeof(Node));
    forest->leaves = take(reader, (size_t)counts[2] * sizeof(float));
    if (forest->leaves == NULL || forest->nodes == NULL || forest->first_leaf == NULL ||
        !is_ascending(forest->first_node, counts[0], counts[1]) ||
        !is_ascending(forest->first_leaf, counts[0], counts[2]))
        return -1;
    return is_sound(forest) ? prepare(forest) : -1;
}

static int read_model(Model *self, Reader *reader)
{
    const char *magic = take(reader, 8);
    const int32_t *shape = take(reader, 2 * sizeof(int32_t));
    const float *numbers = take(reader, 4 * sizeof(float));
    const int8_t *weights = take(reader, LEXICON);
    if (weights == NULL || memcmp(magic, "SHOALC01", 8) != 0 || shape[0] < 1 ||
        shape[0] > MOST_FEATURES || shape[1] != 1)
        return -1;
    self->features = shape[0];
    self->sharpness = numbers[0];
    self->least_words = numbers[1];
    self->lexicon = PyMem_RawMalloc(LEXICON * sizeof(float));
    if (self->lexicon == NULL)
        return -1;
    for (int i = 0; i < LEXICON; i++)
        self->lexicon[i] = (float)weights[i] * numbers[i < BUCKETS ? 2 : 3];
    return take_forest(reader, &self->forest, self->features);
}

static int model_init(Model *self, PyObject *arguments, PyObject *keywords)
{
    (void)keywords;
    PyObject *data;
    if (!PyArg_ParseTuple(arguments, "S", &data))
        return -1;
    if (self->data != NULL) {
        PyErr_SetString(PyExc_TypeError, "a model is made once");
        return -1;
    }
    self->data = Py_NewRef(data);
    Reader reader = {PyBytes_AS_STRING(data), PyBytes_AS_STRING(data) + PyBytes_GET_SIZE(data)};
    if (read_model(self, &reader) < 0) {
        PyErr_SetString(PyExc_ValueError, "this is no model, or a damaged one");
        return -1;
    }
    return 0;
}

static void model_dealloc(Model *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyMem_RawFree(self->lexicon);
    PyMem_RawFree(self->forest.steps);
    PyMem_RawFree(self->forest.depths);
    Py_XDECREF(self->data);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

typedef struct {
    float likely;
    int piece;
} Ranked;

static int by_likelihood(const void *one, const void *other)
{
    const Ranked *a = one, *b = other;
    return a->likely != b->likely ? (a->likely < b->likely ? 1 : -1) : a->piece - b->piece;
}

#define FRAMELESS_WORDS 12 /* a page with fewer has no frame: all of it is content; */
#define UNLINKED_WORDS 40 /* nor has one with fewer, of which next to nothing is links */
#define NOTICE_WORDS 60 /* fewer, and only where scripts do not run, ask to switch them on */
#define COPY_WORDS 8 /* so long a text does not come about twice */

/* Of a text that stands on the page several times, once for phones, once for desks, the likeliest is
 * kept. */
static void drop_copies(const Pass *pass, float *likely, int *best)
{
    for (int i = 0; i < pass->piece_count; i++) {
        const Piece *piece = &pass->pieces[i];
        if (piece->copies < 2 || pass->pieces[piece->text_first].words < COPY_WORDS)
            continue; /* by the first: another of the same hash may be longer, and has no best then */
        int *last = &best[piece->text_first];
        if (i == piece->text_first) {
            *last = i;
        } else if (likely[i] > likely[*last]) {
            likely[*last] = 0;
            *last = i;
        } else {
            likely[i] = 0;
        }
    }
}

/* From which likelihood on a piece is content: where the expected F1 of the page is best. Above 1
 * when there is next to nothing to expect. */
static float cut_of(const Model *model, const Pass *pass, const float *likely, Ranked *ranked)
{
    int n = pass->piece_count;
    double expected = 0, taken = 0, right = 0, best = 0, total = 0, unscripted = 0, links = 0;
    float cut = 2;
    for (int i = 0; i < n; i++) {
        ranked[i].likely = likely[i];
        ranked[i].piece = i;
        expected += pow(likely[i], model->sharpness) * pass->pieces[i].words;
        total += pass->pieces[i].words;
        links += pass->pieces[i].link_words;
        unscripted += pass->pieces[i].into & IN_NOSCRIPT ? pass->pieces[i].words : 0;
    }
    if (total < NOTICE_WORDS && unscripted > total / 2)
        return cut;
    if (total < FRAMELESS_WORDS || (total < UNLINKED_WORDS && 5 * links < total))
        return 0;
    if (expected < model->least_words)
        return cut;
    qsort(ranked, (size_t)n, sizeof *ranked, by_likelihood);
    for (int i = 0; i < n; i++) {
        int words = pass->pieces[ranked[i].piece].words;
        taken += words;
        right += pow(ranked[i].likely, model->sharpness) * words;
        if (2 * right / (taken + expected) > best) {
            best = 2 * right / (taken + expected);
            cut = ranked[i].likely;
        }
    }
    return cut;
}

/* The likelihood on a scale on which 128 and more is content. */
static unsigned char shade(float likely, float cut)
{
    if (likely >= cut)
        return (unsigned char)(128 + 127 * (cut < 1 ? (likely - cut) / (1 - cut) : 1));
    return (unsigned char)(127 * likely / cut);
}
