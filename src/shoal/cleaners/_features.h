/* What says of a piece whether it is content? A row of numbers: about itself, what is around it, what is
 * like it. */
#include "_page.h"

typedef struct {
    float *values;
    int count;
    PyObject *names; /* NULL: no names are asked for */
    const char *about;
} Row;

static void put(Row *row, const char *name, float value)
{
    row->values[row->count++] = value;
    if (row->names == NULL)
        return;
    PyObject *label = PyUnicode_FromFormat("%s%s", row->about, name);
    if (label == NULL || PyList_Append(row->names, label) < 0)
        PyErr_Clear();
    Py_XDECREF(label);
}

static float ratio(float part, float whole)
{
    return whole > 0 ? part / whole : 0;
}

static float level(float count)
{
    return log2f(1 + count);
}

/* Sums over the pieces before each. */
typedef struct {
    float *words, *link_words, *paragraph_words, *good_words;
    int core, wide_core; /* the innermost elements with half and with most of the good words */
    int first_h1;
    float main_words, article_words;
} Sums;

static float sum(const float *before, int from, int to)
{
    return before[to] - before[from];
}

static int heading_level(const Pass *pass, int i)
{
    int tag = pass->elements[pass->pieces[i].element].name->tag;
    return tag >= H1 && tag <= H6 ? tag - H1 + 1 : 0;
}

static void find_cores(const Pass *pass, Sums *sums)
{
    float total = sums->good_words[pass->piece_count];
    sums->core = sums->wide_core = 0;
    for (int i = 0; i < pass->element_count; i++) {
        const Element *element = &pass->elements[i];
        float good = sum(sums->good_words, element->first, element->end);
        if (good > 0.5f * total && element->depth > pass->elements[sums->core].depth)
            sums->core = i;
        if (good > 0.85f * total && element->depth > pass->elements[sums->wide_core].depth)
            sums->wide_core = i;
    }
}

static void add_up(const Pass *pass, Sums *sums)
{
    sums->first_h1 = -1;
    sums->main_words = sums->article_words = 0;
    for (int i = 0; i < pass->piece_count; i++) {
        const Piece *piece = &pass->pieces[i];
        int tag = pass->elements[piece->element].name->tag;
        float words = (float)piece->words, links = (float)piece->link_words;
        int is_good = piece->words >= 10 && 3 * piece->link_words <= piece->words;
        sums->words[i + 1] = sums->words[i] + words;
        sums->link_words[i + 1] = sums->link_words[i] + links;
        sums->paragraph_words[i + 1] = sums->paragraph_words[i] + (tag == P ? words : 0);
        sums->good_words[i + 1] = sums->good_words[i] + (is_good ? words : 0);
        sums->main_words += piece->into & IN_MAIN ? words : 0;
        sums->article_words += piece->into & IN_ARTICLE ? words : 0;
        if (tag == H1 && sums->first_h1 < 0)
            sums->first_h1 = i;
    }
    find_cores(pass, sums);
}

static void put_own(Row *row, const Pass *pass, const Piece *piece)
{
    const Element *element = &pass->elements[piece->element];
    float words = (float)piece->words, chars = (float)piece->chars;
    row->about = "";
    put(row, "words", words);
    put(row, "chars", chars);
    put(row, "link share", ratio((float)piece->link_words, words));
    put(row, "links", (float)piece->links);
    put(row, "word length", ratio(chars, words));
    put(row, "punctuation", ratio((float)piece->punctuation, words));
    put(row, "commas", (float)piece->commas);
    put(row, "stops", (float)piece->stops);
    put(row, "marks", ratio((float)piece->marks, words));
    put(row, "digits", ratio((float)piece->digits, chars));
    put(row, "capitals", ratio((float)(piece->capitals & 0xffffff), words));
    put(row, "upper words", ratio((float)piece->upper_words, words));
    put(row, "has price", (float)((piece->capitals & 1 << 30) != 0));
    put(row, "ends a sentence", (float)(piece->last == '.' || piece->last == '!' ||
                                        piece->last == '?' || piece->last == 0x3002));
    put(row, "ends with colon", (float)(piece->last == ':'));
    put(row, "bold share", ratio((float)piece->bold_words, words));
    put(row, "images before", (float)piece->images);
    put(row, "inputs before", (float)piece->inputs);
    put(row, "breaks", (float)piece->breaks);
    put(row, "tag", (float)element->name->tag);
    put(row, "depth", (float)element->depth);
    for (int bit = 0; bit < PLACES; bit++)
        put(row, "in place", (float)(piece->into >> bit & 1));
    put(row, "in comments", (float)((piece->into & IN_COMMENTS) != 0));
    put(row, "title share", ratio((float)piece->title_words, words));
    put(row, "title cover", ratio((float)piece->title_words, (float)pass->title_count));
    put(row, "copies", (float)piece->copies);
    put(row, "copies before", (float)piece->copy);
    put(row, "longest run", (float)piece->longest);
    const Element *parent = &pass->elements[element->parent];
    put(row, "weight", element->weight);
    put(row, "parent weight", parent->weight);
    put(row, "second parent weight", pass->elements[parent->parent].weight);
    put(row, "total weight", element->total);
    put(row, "least weight", element->least);
    put(row, "most weight", element->most);
    put(row, "inline weight", piece->inline_weight);
    put(row, "word weight", ratio(piece->word_sum, (float)piece->bucket_count));
    put(row, "word weights", piece->word_sum);
    put(row, "least word", piece->word_least);
    put(row, "most word", piece->word_most);
}

static void put_group(Row *row, const Pass *pass, const Sums *sums, const Piece *piece, int i)
{
    const Piece *like = &pass->pieces[piece->like_first];
    int n = pass->piece_count;
    float total = sums->words[n];
    row->about = "";
    put(row, "alike", (float)like->like);
    put(row, "alike words", ratio(like->like_words, (float)like->like));
    put(row, "alike link share", ratio(like->like_link_words, like->like_words));
    put(row, "alike share of page", ratio(like->like_words, total));
    put(row, "place", ratio((float)i, (float)n));
    put(row, "words before", ratio(sums->words[i], total));
    put(row, "good words before", ratio(sums->good_words[i], sums->good_words[n]));
    put(row, "source place", ratio((float)piece->start, (float)pass->html.length));
    put(row, "page words", level(total));
    put(row, "page pieces", level((float)n));
    put(row, "page link share", ratio(sums->link_words[n], total));
    put(row, "page paragraph share", ratio(sums->paragraph_words[n], total));
    put(row, "page good share", ratio(sums->good_words[n], total));
    put(row, "page main share", ratio(sums->main_words, total));
    put(row, "page article share", ratio(sums->article_words, total));
    put(row, "after h1", sums->first_h1 < 0 ? -1000 : (float)(i - sums->first_h1));
}

static void put_neighbour(Row *row, const Pass *pass, const char *about, int i)
{
    static const Piece nobody;
    int exists = i >= 0 && i < pass->piece_count;
    const Piece *piece = exists ? &pass->pieces[i] : &nobody;
    float words = (float)piece->words;
    row->about = about;
    put(row, "words", words);
    put(row, "link share", ratio((float)piece->link_words, words));
    put(row, "punctuation", ratio((float)piece->punctuation, words));
    put(row, "tag", exists ? (float)pass->elements[piece->element].name->tag : -1);
    put(row, "total weight", exists ? pass->elements[piece->element].total : 0);
    put(row, "word weight", ratio(piece->word_sum, (float)piece->bucket_count));
}

static void put_window(Row *row, const Sums *sums, const char *about, int from, int to, int n)
{
    from = from < 0 ? 0 : from;
    to = to > n ? n : to;
    float words = sum(sums->words, from, to);
    row->about = about;
    put(row, "words", words);
    put(row, "link share", ratio(sum(sums->link_words, from, to), words));
    put(row, "good share", ratio(sum(sums->good_words, from, to), words));
}

/* Elements around it, each with more in it than the one before. */
static void put_around(Row *row, const Pass *pass, const Sums *sums, const Piece *piece, int i)
{
    static const char *const about[] = {"around 1 ", "around 2 ", "around 3 ", "around 4 ", "around 5 "};
    int n = pass->piece_count, at = piece->element;
    float total = sums->words[n];
    for (int k = 0; k < 5; k++) {
        const Element *element = &pass->elements[at];
        int from = element->first, to = element->end, pieces = to - from;
        float words = sum(sums->words, from, to);
        row->about = about[k];
        put(row, "share", ratio(words, total));
        put(row, "pieces", (float)pieces);
        put(row, "words", ratio(words, (float)pieces));
        put(row, "link share", ratio(sum(sums->link_words, from, to), words));
        put(row, "good share", ratio(sum(sums->good_words, from, to), words));
        put(row, "good of page", ratio(sum(sums->good_words, from, to), sums->good_words[n]));
        put(row, "paragraph share", ratio(sum(sums->paragraph_words, from, to), words));
        put(row, "place", ratio((float)(i - from), (float)pieces));
        put(row, "total weight", element->total);
        put(row, "repeats", (float)pass->elements[element->model].repeats);
        while (at > 0 && pass->elements[at].first == from && pass->elements[at].end == to)
            at = pass->elements[at].parent;
    }
}

static void put_section(Row *row, const Pass *pass, const Sums *sums, int i)
{
    int heading = i, limit = i - 60;
    row->about = "";
    while (heading >= 0 && heading > limit && heading_level(pass, heading) == 0)
        heading--;
    int is_found = heading >= 0 && heading > limit;
    const Piece *title = &pass->pieces[is_found ? heading : i];
    put(row, "heading level", is_found ? (float)heading_level(pass, heading) : 0);
    put(row, "since heading", is_found ? (float)(i - heading) : -1);
    put(row, "words since heading", is_found ? sum(sums->words, heading, i) : -1);
    put(row, "heading weight", is_found ? title->word_sum : 0);
    put(row, "heading place weight", is_found ? pass->elements[title->element].total : 0);
    put(row, "in core", (float)(i >= pass->elements[sums->core].first &&
                                i < pass->elements[sums->core].end));
    put(row, "in wide core", (float)(i >= pass->elements[sums->wide_core].first &&
                                     i < pass->elements[sums->wide_core].end));
    put(row, "from core", (float)(i < pass->elements[sums->core].first
                                      ? i - pass->elements[sums->core].first
                                      : i >= pass->elements[sums->core].end
                                            ? i - pass->elements[sums->core].end + 1 : 0));
    put(row, "core share", ratio(sum(sums->words, pass->elements[sums->core].first,
                                     pass->elements[sums->core].end),
                                 sums->words[pass->piece_count]));
}

#define MOST_FEATURES 224

static void fill_row(Row *row, const Pass *pass, const Sums *sums, int i)
{
    const Piece *piece = &pass->pieces[i];
    int n = pass->piece_count;
    row->count = 0;
    put_own(row, pass, piece);
    put_group(row, pass, sums, piece, i);
    put_neighbour(row, pass, "before 1 ", i - 1);
    put_neighbour(row, pass, "before 2 ", i - 2);
    put_neighbour(row, pass, "after 1 ", i + 1);
    put_neighbour(row, pass, "after 2 ", i + 2);
    put_window(row, sums, "near ", i - 2, i + 3, n);
    put_window(row, sums, "wider ", i - 6, i + 7, n);
    put_window(row, sums, "10 before ", i - 10, i, n);
    put_window(row, sums, "10 after ", i + 1, i + 11, n);
    put_around(row, pass, sums, piece, i);
    put_section(row, pass, sums, i);
}

/* Sums, and rows with the features of each piece; NULL: no memory. */
static float *rows_of(const Pass *pass, Sums *sums, int *features, PyObject *names)
{
    size_t n = (size_t)pass->piece_count;
    float first[MOST_FEATURES];
    Row row = {first, 0, names, ""};
    sums->words = PyMem_RawCalloc(4 * (n + 1), sizeof *sums->words);
    if (sums->words == NULL)
        return NULL;
    sums->link_words = sums->words + n + 1;
    sums->paragraph_words = sums->link_words + n + 1;
    sums->good_words = sums->paragraph_words + n + 1;
    add_up(pass, sums);
    if (n > 0)
        fill_row(&row, pass, sums, 0);
    row.names = NULL;
    *features = row.count;
    float *rows = PyMem_RawCalloc(n * (size_t)*features + 1, sizeof *rows);
    for (size_t i = 0; rows != NULL && i < n; i++) {
        row.values = rows + i * (size_t)*features;
        fill_row(&row, pass, sums, (int)i);
    }
    return rows;
}
