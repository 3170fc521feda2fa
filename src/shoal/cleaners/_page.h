/* A page, read: its elements and pieces, and which of these are alike. */
#include "_source.h"

/* Pieces that look alike by their place, and those with the same words: open addressing. */
static int count_likes(Pass *pass)
{
    int n = pass->piece_count, slots = 64;
    while (slots < 2 * n)
        slots *= 2;
    int *table = PyMem_RawMalloc(2 * (size_t)slots * sizeof *table);
    if (table == NULL)
        return -1;
    int *places = table, *texts = table + slots;
    memset(table, 0xff, 2 * (size_t)slots * sizeof *table);
    for (int i = 0; i < n; i++) {
        Piece *piece = &pass->pieces[i];
        uint32_t signature = pass->elements[piece->element].signature;
        uint32_t at = signature % (uint32_t)slots;
        while (places[at] >= 0 &&
               pass->elements[pass->pieces[places[at]].element].signature != signature)
            at = (at + 1) % (uint32_t)slots;
        places[at] = places[at] < 0 ? i : places[at];
        Piece *like = &pass->pieces[places[at]];
        piece->like_first = places[at];
        like->like++;
        like->like_words += (float)piece->words;
        like->like_link_words += (float)piece->link_words;
        at = piece->hash % (uint32_t)slots;
        while (texts[at] >= 0 && pass->pieces[texts[at]].hash != piece->hash)
            at = (at + 1) % (uint32_t)slots;
        texts[at] = texts[at] < 0 ? i : texts[at];
        piece->copy = pass->pieces[texts[at]].copies++;
        piece->text_first = texts[at];
    }
    for (int i = 0; i < n; i++)
        pass->pieces[i].copies = pass->pieces[pass->pieces[i].text_first].copies;
    PyMem_RawFree(table);
    return 0;
}

/* Elements that look alike, by their names and classes down to them. */
static int count_repeats(Pass *pass)
{
    uint32_t slots = 64;
    while (slots < 2 * (uint32_t)pass->element_count)
        slots *= 2;
    int *table = PyMem_RawMalloc((size_t)slots * sizeof *table);
    if (table == NULL)
        return -1;
    memset(table, 0xff, (size_t)slots * sizeof *table);
    for (int i = 0; i < pass->element_count; i++) {
        Element *element = &pass->elements[i];
        if (element->first == element->end)
            continue; /* without text */
        uint32_t at = element->signature % slots;
        while (table[at] >= 0 && pass->elements[table[at]].signature != element->signature)
            at = (at + 1) % slots;
        table[at] = table[at] < 0 ? i : table[at];
        element->model = table[at];
        pass->elements[table[at]].repeats++;
    }
    PyMem_RawFree(table);
    return 0;
}

static int read_source(Pass *pass, PyObject *html)
{
    static const Name root = {"", BODY, BLOCK, 0};
    pass->html.page = PyUnicode_DATA(html);
    pass->html.length = PyUnicode_GET_LENGTH(html);
    pass->elements = grown(pass, NULL, 0, &pass->element_room, sizeof *pass->elements);
    if (!pass->failed) {
        memset(pass->elements, 0, sizeof *pass->elements);
        pass->elements[0].name = &root;
        pass->element_count = 1;
        switch (PyUnicode_KIND(html)) {
        case PyUnicode_1BYTE_KIND: read_page(pass, 1); break;
        case PyUnicode_2BYTE_KIND: read_page(pass, 2); break;
        default: read_page(pass, 4);
        }
        pass->elements[0].end = pass->piece_count;
    }
    if (pass->failed || count_likes(pass) < 0 || count_repeats(pass) < 0) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

static void free_pass(Pass *pass)
{
    PyMem_RawFree(pass->elements);
    PyMem_RawFree(pass->pieces);
    PyMem_RawFree(pass->buckets);
}
