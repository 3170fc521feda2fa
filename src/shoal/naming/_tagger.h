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
    float scale, moves[LABELS][LABELS], starts[LABELS];
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
            memset(tagger->recent.values, 0, ((size_t)tagger->recent.mask + 1) * sizeof(uint32_t));
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

static void score_sentence(Tagger *tagger, const Tokens *all, const Sentence *sentence,
                           float scores[][LABELS])
{
    int count = sentence->count;
    memset(scores, 0, sizeof *scores * (size_t)count);
    for (int at = -REACH; at < count + REACH; at++) {
        int is_inside = at >= 0 && at < count;
        int32_t chars = 0;
        const Py_UCS4 *text = is_inside ? chars_of(all, &sentence->tokens[at], &chars) : NULL;
        const Remembered *word = remember(tagger, &sentence->words[REACH + at], text, chars);
        for (int offset = -REACH; offset <= REACH; offset++) {
            int place = at - offset;
            if (place >= 0 && place < count)
                for (int label = 0; label < LABELS; label++)
                    scores[place][label] += word->sums[offset + REACH][label];
        }
    }
    for (int at = 0; at < count; at++) {
        uint32_t features[MOST_OF_PLACE];
        int many = place_features(features, &sentence->words[REACH + at], &sentence->marked[at],
                                  sentence->style, at == 0);
        add_weights(tagger, features, many, scores[at]);
        for (int label = 0; label < LABELS; label++)
            scores[at][label] *= tagger->scale;
    }
}

static void best_labels(const Tagger *tagger, float scores[][LABELS], int count, uint8_t *labels)
{
    static __thread uint8_t from[MOST_SENTENCE][LABELS];
    float now[LABELS], next[LABELS];
    for (int label = 0; label < LABELS; label++)
        now[label] = scores[0][label] + (may_follow(0, label) ? tagger->starts[label] : NEVER);
    for (int at = 1; at < count; at++) {
        for (int label = 0; label < LABELS; label++) {
            float best = 2 * NEVER;
            for (int before = 0; before < LABELS; before++) {
                float sum = may_follow(before, label)
                                ? now[before] + tagger->moves[before][label] : NEVER;
                if (sum > best) {
                    best = sum;
                    from[at][label] = (uint8_t)before;
                }
            }
            next[label] = best + scores[at][label];
        }
        memcpy(now, next, sizeof now);
    }
    int best = 0;
    for (int label = 1; label < LABELS; label++)
        best = now[label] > now[best] ? label : best;
    for (int at = count - 1; at >= 0; at--) {
        labels[at] = (uint8_t)best;
        best = at ? from[at][best] : 0;
    }
}

/* How likely each word has each label, all others considered. */
static void likelihoods(const Tagger *tagger, float scores[][LABELS], int count,
                        float likely[][LABELS])
{
    static __thread float ahead[MOST_SENTENCE][LABELS];
    float now[LABELS];
    for (int at = 0; at < count; at++) {
        float top = NEVER, sum = 0;
        for (int label = 0; label < LABELS; label++)
            top = scores[at][label] > top ? scores[at][label] : top;
        for (int label = 0; label < LABELS; label++) {
            float all = 0;
            for (int before = 0; before < LABELS && at; before++)
                if (may_follow(before, label))
                    all += likely[at - 1][before] * expf(tagger->moves[before][label]);
            if (!at)
                all = may_follow(0, label) ? expf(tagger->starts[label]) : 0;
            now[label] = all * expf(scores[at][label] - top);
            sum += now[label];
        }
        for (int label = 0; label < LABELS; label++)
            likely[at][label] = now[label] / sum;
    }
    for (int label = 0; label < LABELS; label++)
        ahead[count - 1][label] = 1;
    for (int at = count - 2; at >= 0; at--) {
        float top = NEVER, sum = 0;
        for (int label = 0; label < LABELS; label++)
            top = scores[at + 1][label] > top ? scores[at + 1][label] : top;
        for (int label = 0; label < LABELS; label++) {
            now[label] = 0;
            for (int after = 0; after < LABELS; after++)
                if (may_follow(label, after))
                    now[label] += expf(tagger->moves[label][after] + scores[at + 1][after] - top) *
                                  ahead[at + 1][after];
            sum += now[label];
        }
        for (int label = 0; label < LABELS; label++)
            ahead[at][label] = now[label] / sum;
    }
    for (int at = 0; at < count; at++) {
        float sum = 0;
        for (int label = 0; label < LABELS; label++)
            sum += likely[at][label] *= ahead[at][label];
        for (int label = 0; label < LABELS; label++)
            likely[at][label] /= sum > 0 ? sum : 1;
    }
}
#endif
