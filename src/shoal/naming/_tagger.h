/* Which words are names, and of what? A linear chain over seven labels: none, and for each kind the
 * first word of a name and the words that follow.
 */
#ifndef SHOAL_TAGGER_H
#define SHOAL_TAGGER_H

#define LABELS 7 /* 0: no name; 1 + 2k: begins a name of kind k; 2 + 2k: goes on with it */
#define OFFSETS (2 * REACH + 1)
#define MOST_SENTENCE 200
#define MOST_REMEMBERED 16384
#define NEVER -1e30f

typedef struct {
    uint32_t cased, lower, shape;
    uint32_t chars;
    float sums[OFFSETS][LABELS];
} Remembered;

typedef struct {
    Table lexicon, phrases, features;
    int8_t *weights; /* LABELS for each feature */
    float scale, moves[LABELS][LABELS], starts[LABELS]; /* NEVER where a label can't follow */
    float move_factors[LABELS][LABELS];
    Remembered *memory;
    Table recent;
    uint32_t remembered;
} Tagger;

/* One sentence, with room for what lies beyond its ends. */
typedef struct {
    Word words[MOST_SENTENCE + 2 * REACH];
    InPhrase marked[MOST_SENTENCE];
    const Token *tokens;
    int count, style;
} Sentence;

static int may_follow(int before, int label)
{
    return label == 0 || (label & 1) || before == label || before == label - 1;
}

static void add_weights(const Tagger *tagger, const uint32_t *features, int count, float *sums)
{
    for (int each = 0; each < count; each++) {
        uint32_t number = value_of(&tagger->features, features[each]);
        if (number) {
            const int8_t *weights = tagger->weights + (size_t)(number - 1) * LABELS;
            for (int label = 0; label < LABELS; label++)
                sums[label] += (float)weights[label];
        }
    }
}

static int style_of(const Sentence *sentence)
{
    int kinds[8] = {0};
    for (int at = 0; at < sentence->count; at++)
        kinds[sentence->words[REACH + at].kind]++;
    int capitals = kinds[CAPITAL] + kinds[MIXED], all = capitals + kinds[CAPITALS] + kinds[LOWERCASE];
    if (!capitals && !kinds[CAPITALS])
        return ALL_LOWERCASE;
    if (kinds[CAPITALS] * 2 > all && all > 1)
        return ALL_CAPITALS;
    return capitals * 2 > all && all > 2 ? HEADLINE : USUAL;
}

static void mark_phrases(const Tagger *tagger, Sentence *sentence)
{
    memset(sentence->marked, 0, sizeof *sentence->marked * (size_t)sentence->count);
    for (int start = 0; start < sentence->count; start++) {
        uint32_t hash = 0;
        int most = sentence->count - start < MOST_PHRASE ? sentence->count - start : MOST_PHRASE;
        if (!LISTS_OF(sentence->words[REACH + start].known))
            continue; /* all words of phrases are in lists, small ones aside */
        for (int length = 1; length <= most; length++) {
            const Word *word = &sentence->words[REACH + start + length - 1];
            hash = joined(0x2000, hash, word->lower);
            uint32_t kinds = value_of(&tagger->phrases, hash);
            for (int at = start; kinds && at < start + length; at++) {
                sentence->marked[at].kinds |= (uint8_t)kinds;
                sentence->marked[at].begins |= at == start ? (uint8_t)kinds : 0;
                sentence->marked[at].ends |= at == start + length - 1 ? (uint8_t)kinds : 0;
            }
        }
    }
}

/* Read the words from `first` on, as far as the sentence goes or there is room. */
static int read_sentence(const Tagger *tagger, const Tokens *all, int32_t first, Sentence *sentence)
{
    Word outside = {.cased = 1, .lower = 1, .shape = 1, .kind = OUTSIDE};
    int count = 0;
    while (first + count < all->count && count < MOST_SENTENCE &&
           (!count || !all->tokens[first + count].is_first)) {
        const Token *token = &all->tokens[first + count];
        int32_t chars = token->end - token->start;
        look_at(&sentence->words[REACH + count], all->text + token->start,
                chars < MOST_TOKEN_CHARS ? chars : MOST_TOKEN_CHARS, &tagger->lexicon);
        count++;
    }
    for (int at = 0; at < REACH; at++) {
        sentence->words[at] = outside;
        sentence->words[REACH + count + at] = outside;
    }
    sentence->tokens = all->tokens + first;
    sentence->count = count;
    sentence->style = style_of(sentence);
    mark_phrases(tagger, sentence);
    return count;
}

static const Py_UCS4 *chars_of(const Tokens *all, const Token *token, int32_t *chars)
{
    *chars = token->end - token->start < MOST_TOKEN_CHARS ? token->end - token->start
                                                          : MOST_TOKEN_CHARS;
    return all->text + token->start;
}

/* What a word weighs for the places around it. */
static const Remembered *remember(Tagger *tagger, const Word *word, const Py_UCS4 *text,
                                  int32_t chars)
{
    uint32_t key = joined(word->cased, word->shape, (uint32_t)chars);
    uint32_t number = value_of(&tagger->recent, key);
    Remembered *found = number ? &tagger->memory[number - 1] : NULL;
    if (found && found->cased == word->cased && found->lower == word->lower &&
        found->shape == word->shape && found->chars == (uint32_t)chars)
        return found;
    if (!found) {
        if (tagger->remembered == MOST_REMEMBERED) {
            forget_all(&tagger->recent);
            tagger->remembered = 0;
        }
        put_in(&tagger->recent, key, ++tagger->remembered);
        found = &tagger->memory[tagger->remembered - 1];
    }
    memset(found, 0, sizeof *found);
    *found = (Remembered){.cased = word->cased, .lower = word->lower, .shape = word->shape,
                          .chars = (uint32_t)chars};
    for (int offset = -REACH; offset <= REACH; offset++) {
        uint32_t features[MOST_OF_WORD];
        int count = word_features(features, word, text, chars, offset);
        add_weights(tagger, features, count, found->sums[offset + REACH]);
    }
    return found;
}

/* The part of a sentence from `first` on in which a name may stand; 0: there is none. */
static int next_part(const Sentence *sentence, int *first)
{
    int at = *first, end;
    while (at < sentence->count &&
           !may_name(&sentence->words[REACH + at], &sentence->marked[at], sentence->style))
        at++;
    for (end = at; end < sentence->count; end++)
        if (!may_name(&sentence->words[REACH + end], &sentence->marked[end], sentence->style))
            break;
    *first = at;
    return end - at;
}

static void score_part(Tagger *tagger, const Tokens *all, const Sentence *sentence, int first,
                       int count, float scores[][LABELS])
{
    memset(scores, 0, sizeof *scores * (size_t)count);
    for (int at = first - REACH; at < first + count + REACH; at++) {
        int is_inside = at >= 0 && at < sentence->count;
        int32_t chars = 0;
        const Py_UCS4 *text = is_inside ? chars_of(all, &sentence->tokens[at], &chars) : NULL;
        const Remembered *word = remember(tagger, &sentence->words[REACH + at], text, chars);
        for (int offset = -REACH; offset <= REACH; offset++) {
            int place = at - offset - first;
            if (place >= 0 && place < count)
                for (int label = 0; label < LABELS; label++)
                    scores[place][label] += word->sums[offset + REACH][label];
        }
    }
    for (int at = 0; at < count; at++) {
        uint32_t features[MOST_OF_PLACE];
        int place = first + at;
        int many = place_features(features, &sentence->words[REACH + place],
                                  &sentence->marked[place], sentence->style, place == 0);
        add_weights(tagger, features, many, scores[at]);
        for (int label = 0; label < LABELS; label++)
            scores[at][label] *= tagger->scale;
    }
    for (int label = 0; label < LABELS; label++) { /* no name stands before the part, nor after it */
        scores[0][label] += first ? tagger->moves[0][label] : tagger->starts[label];
        if (first + count < sentence->count)
            scores[count - 1][label] += tagger->moves[label][0];
    }
}

static void prepare_moves(Tagger *tagger)
{
    for (int label = 0; label < LABELS; label++) {
        if (!may_follow(0, label))
            tagger->starts[label] = NEVER;
        for (int before = 0; before < LABELS; before++) {
            if (!may_follow(before, label))
                tagger->moves[before][label] = NEVER;
            tagger->move_factors[before][label] = expf(tagger->moves[before][label]);
        }
    }
}

static void best_labels(const Tagger *tagger, float scores[][LABELS], int count, uint8_t *labels)
{
    static __thread uint8_t from[MOST_SENTENCE][LABELS];
    float now[LABELS], next[LABELS];
    for (int label = 0; label < LABELS; label++)
        now[label] = scores[0][label];
    for (int at = 1; at < count; at++) {
        for (int label = 0; label < LABELS; label++)
            next[label] = now[0] + tagger->moves[0][label];
        memset(from[at], 0, LABELS);
        for (int before = 1; before < LABELS; before++)
            for (int label = 0; label < LABELS; label++) {
                float sum = now[before] + tagger->moves[before][label];
                if (sum > next[label]) {
                    next[label] = sum;
                    from[at][label] = (uint8_t)before;
                }
            }
        for (int label = 0; label < LABELS; label++)
            now[label] = next[label] + scores[at][label];
    }
    int best = 0;
    for (int label = 1; label < LABELS; label++)
        best = now[label] > now[best] ? label : best;
    for (int at = count - 1; at >= 0; at--) {
        labels[at] = (uint8_t)best;
        best = at ? from[at][best] : 0;
    }
}

/* In place of each score its factor, the highest 1. */
static void to_factors(float *scores)
{
    float top = scores[0];
    for (int label = 1; label < LABELS; label++)
        top = scores[label] > top ? scores[label] : top;
    for (int label = 0; label < LABELS; label++)
        scores[label] = expf(scores[label] - top);
}

static void to_parts(float *parts)
{
    float sum = 0;
    for (int label = 0; label < LABELS; label++)
        sum += parts[label];
    for (int label = 0; label < LABELS; label++)
        parts[label] /= sum > 0 ? sum : 1;
}

/* How likely each word has each label, all others considered. Scores become factors. */
static void likelihoods(const Tagger *tagger, float scores[][LABELS], int count,
                        float likely[][LABELS])
{
    float ahead[LABELS], next[LABELS];
    for (int at = 0; at < count; at++)
        to_factors(scores[at]);
    for (int label = 0; label < LABELS; label++)
        likely[0][label] = scores[0][label];
    to_parts(likely[0]);
    for (int at = 1; at < count; at++) {
        memset(likely[at], 0, sizeof likely[at]);
        for (int before = 0; before < LABELS; before++)
            for (int label = 0; label < LABELS; label++)
                likely[at][label] += likely[at - 1][before] * tagger->move_factors[before][label];
        for (int label = 0; label < LABELS; label++)
            likely[at][label] *= scores[at][label];
        to_parts(likely[at]);
    }
    for (int label = 0; label < LABELS; label++)
        ahead[label] = 1;
    for (int at = count - 2; at >= 0; at--) {
        for (int after = 0; after < LABELS; after++)
            next[after] = scores[at + 1][after] * ahead[after];
        for (int label = 0; label < LABELS; label++) {
            ahead[label] = 0;
            for (int after = 0; after < LABELS; after++)
                ahead[label] += tagger->move_factors[label][after] * next[after];
        }
        to_parts(ahead);
        for (int label = 0; label < LABELS; label++)
            likely[at][label] *= ahead[label];
        to_parts(likely[at]);
    }
}
#endif
