/* The weights of a linear chain are learned here: a conditional random field, by stochastic gradients
 * (AdaGrad), compiled by training.py when it is wanted. No part of the package.
 *
 * Each sentence belongs to a domain. A feature has weights that all domains share and weights of each
 * domain; both are learned together, and what a model is for takes the sum of the two.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LABELS 7
#define MOST 200

typedef struct {
    int64_t sentences;
    const int64_t *begins;   /* of each sentence, in words; one more than there are sentences */
    const int64_t *offsets;  /* of each word, in features; one more than there are words */
    const int32_t *features; /* numbers */
    const uint8_t *labels;
    const uint8_t *domains; /* of each sentence, from 1 */
    const float *shares;    /* how much each sentence counts */
    int64_t count;          /* of features */
    int32_t layers;         /* 1 and the number of domains */
} Data;

typedef struct {
    float *weights, *squares; /* layers * count * LABELS */
    float *moves, *move_squares; /* LABELS + 1 rows: the last for beginnings */
} State;

static int may_follow(int before, int label)
{
    return label == 0 || (label & 1) || before == label || before == label - 1;
}

static void learn_sentence(const Data *data, State *state, int64_t sentence, float rate, float decay)
{
    static float scores[MOST][LABELS], ahead[MOST][LABELS], back[MOST][LABELS];
    int64_t first = data->begins[sentence];
    int count = (int)(data->begins[sentence + 1] - first);
    count = count > MOST ? MOST : count;
    if (count < 1)
        return;
    size_t layer = (size_t)data->count * LABELS;
    float *own = state->weights + layer * data->domains[sentence];
    float *own_squares = state->squares + layer * data->domains[sentence];
    float share = data->shares[sentence];
    memset(scores, 0, sizeof *scores * (size_t)count);
    for (int at = 0; at < count; at++)
        for (int64_t f = data->offsets[first + at]; f < data->offsets[first + at + 1]; f++) {
            size_t place = (size_t)data->features[f] * LABELS;
            for (int label = 0; label < LABELS; label++)
                scores[at][label] += state->weights[place + label] + own[place + label];
        }
    float grow[LABELS + 1][LABELS], changes[LABELS + 1][LABELS];
    memset(changes, 0, sizeof changes);
    for (int before = 0; before <= LABELS; before++)
        for (int label = 0; label < LABELS; label++)
            grow[before][label] = may_follow(before == LABELS ? 0 : before, label)
                                      ? expf(state->moves[before * LABELS + label]) : 0;
    for (int at = 0; at < count; at++) {
        float top = scores[at][0], sum = 0;
        for (int label = 1; label < LABELS; label++)
            top = scores[at][label] > top ? scores[at][label] : top;
        for (int label = 0; label < LABELS; label++)
            scores[at][label] = expf(scores[at][label] - top);
        for (int label = 0; label < LABELS; label++) {
            float all = at ? 0 : grow[LABELS][label];
            for (int before = 0; at && before < LABELS; before++)
                all += ahead[at - 1][before] * grow[before][label];
            sum += ahead[at][label] = all * scores[at][label];
        }
        for (int label = 0; label < LABELS; label++)
            ahead[at][label] /= sum;
    }
    for (int label = 0; label < LABELS; label++)
        back[count - 1][label] = 1;
    for (int at = count - 2; at >= 0; at--) {
        float sum = 0;
        for (int label = 0; label < LABELS; label++) {
            float all = 0;
            for (int after = 0; after < LABELS; after++)
                all += grow[label][after] * scores[at + 1][after] * back[at + 1][after];
            sum += back[at][label] = all;
        }
        for (int label = 0; label < LABELS; label++)
            back[at][label] /= sum;
    }
    for (int at = 0; at < count; at++) {
        int right = data->labels[first + at];
        float likely[LABELS], sum = 0, pairs[LABELS][LABELS], all = 0;
        for (int label = 0; label < LABELS; label++)
            sum += likely[label] = ahead[at][label] * back[at][label];
        for (int before = 0; at && before < LABELS; before++)
            for (int label = 0; label < LABELS; label++)
                all += pairs[before][label] = ahead[at - 1][before] * grow[before][label] *
                                              scores[at][label] * back[at][label];
        for (int label = 0; label < LABELS; label++) {
            float miss = (label == right) - likely[label] / sum;
            if (!at)
                changes[LABELS][label] += miss;
            for (int before = 0; at && before < LABELS; before++)
                changes[before][label] += (before == data->labels[first + at - 1] && label == right) -
                                          pairs[before][label] / all;
            if (fabsf(miss) < 1e-3f)
                continue;
            miss *= share;
            for (int64_t f = data->offsets[first + at]; f < data->offsets[first + at + 1]; f++) {
                size_t place = (size_t)data->features[f] * LABELS + (size_t)label;
                float *both[] = {state->weights + place, own + place};
                float *sums[] = {state->squares + place, own_squares + place};
                for (int each = 0; each < 2; each++) {
                    float change = miss - decay * *both[each];
                    *sums[each] += change * change;
                    *both[each] += rate * change / sqrtf(*sums[each] + 1e-2f);
                }
            }
        }
    }
    for (int before = 0; before <= LABELS; before++)
        for (int label = 0; label < LABELS; label++) {
            float change = changes[before][label] * share;
            int place = before * LABELS + label;
            state->move_squares[place] += change * change;
            state->moves[place] += rate * change / sqrtf(state->move_squares[place] + 1.0f);
        }
}

void learn(const Data *data, State *state, const int64_t *order, int64_t count, float rate,
           float decay)
{
    for (int64_t each = 0; each < count; each++)
        learn_sentence(data, state, order[each], rate, decay);
}
