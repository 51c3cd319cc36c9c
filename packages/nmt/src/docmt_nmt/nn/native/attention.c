// Attention of the new token of every hypothesis over a cache of keys and values in bf16. Scores,
// weights and sums are fp32. Compiled with contraction of products and sums (-ffp-contract=fast).
//
// Shapes: U units of B hypotheses each, H heads, D head dimension (a multiple of 16), S slots of
// the cache. A unit reads the keys that any of its hypotheses sees, in the order of slots, so what
// it computes depends neither on the slots nor on other units.

#include <math.h>
#include <stdlib.h>

#include "vectors.h"

// Hypotheses whose sums fit in the registers.
#define TILE (WIDTH == 16 ? 5 : 2)
#define PAIR (2 * LANES)

// 32 numbers of 16 bits as the 16 even ones and the 16 odd ones.
INLINE void load_pairs(const uint16_t *from, floats *even, floats *odd) {
    EACH(i) {
        const words_part both = *(const words_there *)(from + 2 * i * WIDTH);
        even->part[i] = (floats_part)(both << 16);
        odd->part[i] = (floats_part)(both & 0xffff0000u);
    }
}

INLINE floats load_last(const uint16_t *from) {
    floats found;
    EACH(i) {
        const halves_part bits = *(const halves_there *)(from + i * WIDTH);
        found.part[i] = (floats_part)(__builtin_convertvector(bits, words_part) << 16);
    }
    return found;
}

// 16 numbers in 16 bits, rounded to the nearest, ties to even.
INLINE void store_bf16(uint16_t *restrict to, const float *restrict from) {
    for (int i = 0; i < LANES; i++) {
        uint32_t bits;
        memcpy(&bits, from + i, sizeof bits);
        const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
        to[i] = (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
    }
}

// Working memory of one unit.
typedef struct {
    int32_t *slots;   // (n) the visible slots, and the last one again to a whole block
    int32_t *masks;   // (B, n) -1 for a visible key, else 0
    float *queries;   // (B, D) scaled; of 32 numbers first the even ones, then the odd ones
    float *weights;   // (B, n)
    float *inverse;   // (B) one over the sum of weights
} Work;

// The slots that any hypothesis sees; their number.
static long visible(const uint8_t *seen, long by_hypothesis, long beam_size, long length, Work *work,
                    long room) {
    long found = 0;
    for (long slot = 0; slot < length; slot++) {
        int any = 0;
        for (long b = 0; b < beam_size; b++) any |= seen[b * by_hypothesis + slot];
        work->slots[found] = (int32_t)slot;
        found += any != 0;
    }
    const long whole = (found + LANES - 1) / LANES * LANES;
    for (long i = found; i < whole; i++) work->slots[i] = work->slots[found - 1];
    for (long b = 0; b < beam_size; b++) {
        int32_t *mask = work->masks + b * room;
        const uint8_t *own = seen + b * by_hypothesis;
        for (long i = 0; i < found; i++) mask[i] = -(int32_t)(own[work->slots[i]] != 0);
        for (long i = found; i < whole; i++) mask[i] = 0;
    }
    return found;
}

// The scores of a block of 16 keys for `tile` hypotheses, from the first.
INLINE void score_block(const uint16_t *keys, const int32_t *slots, long dim, const float *queries,
                        const int tile, floats *scores) {
    floats sums[TILE][LANES];
    for (int key = 0; key < LANES; key++) {
        const uint16_t *values = keys + slots[key] * dim;
        floats sum[TILE];
        for (int b = 0; b < tile; b++) sum[b] = all(0.0f);
        long d = 0;
        for (; d + PAIR <= dim; d += PAIR) {
            floats even, odd;
            load_pairs(values + d, &even, &odd);
            for (int b = 0; b < tile; b++)
                sum[b] = multiply_add(even, load(queries + b * dim + d), sum[b]);
            for (int b = 0; b < tile; b++)
                sum[b] = multiply_add(odd, load(queries + b * dim + d + LANES), sum[b]);
        }
        if (d < dim) {
            const floats last = load_last(values + d);
            for (int b = 0; b < tile; b++)
                sum[b] = multiply_add(last, load(queries + b * dim + d), sum[b]);
        }
        for (int b = 0; b < tile; b++) sums[b][key] = sum[b];
    }
    for (int b = 0; b < tile; b++) scores[b] = sums_of(sums[b]);
}

// The weights of `tile` hypotheses over `count` keys, not yet divided by their sums.
INLINE void weigh(const uint16_t *keys, long count, long dim, long room, const Work *work,
                  long first, const int tile) {
    floats most[TILE];
    for (int b = 0; b < tile; b++) most[b] = all(-INFINITY);
    for (long i = 0; i < count; i += LANES) {
        floats scores[TILE];
        score_block(keys, work->slots + i, dim, work->queries + first * dim, tile, scores);
        for (int b = 0; b < tile; b++) {
            const ints mask = load_ints(work->masks + (first + b) * room + i);
            const floats score = choose(mask, scores[b], all(-INFINITY));
            most[b] = choose(greater(most[b], score), most[b], score);
            store(work->weights + (first + b) * room + i, score);
        }
    }
    for (int b = 0; b < tile; b++) {
        float *weights = work->weights + (first + b) * room;
        const float top = largest_of(most[b]);
        floats sum = all(0.0f);
        for (long i = 0; i < count; i += LANES) {
            const ints mask = load_ints(work->masks + (first + b) * room + i);
            const floats power = exponential(subtract(load(weights + i), all(top)));
            const floats weight = choose(mask, power, all(0.0f));
            sum = add(sum, weight);
            store(weights + i, weight);
        }
        const float total = sum_of(sum);
        work->inverse[first + b] = total == 0.0f ? 0.0f : 1.0f / total;
    }
}

// The weighted sums of the values, (B, D), for `tile` hypotheses.
INLINE void mix(const uint16_t *values, long count, long dim, long room, const Work *work,
                long first, const int tile, float *out, long out_stride) {
    const float *weights = work->weights + first * room;
    long d = 0;
    for (; d + PAIR <= dim; d += PAIR) {
        floats even[TILE], odd[TILE];
        for (int b = 0; b < tile; b++) even[b] = odd[b] = all(0.0f);
        for (long i = 0; i < count; i++) {
            floats x, y;
            load_pairs(values + work->slots[i] * dim + d, &x, &y);
            for (int b = 0; b < tile; b++) {
                const floats weight = all(weights[b * room + i]);
                even[b] = multiply_add(weight, x, even[b]);
                odd[b] = multiply_add(weight, y, odd[b]);
            }
        }
        for (int b = 0; b < tile; b++) {
            const floats share = all(work->inverse[first + b]);
            store_in_turn(out + b * out_stride + d, multiply(even[b], share),
                          multiply(odd[b], share));
        }
    }
    if (d < dim) {
        floats last[TILE];
        for (int b = 0; b < tile; b++) last[b] = all(0.0f);
        for (long i = 0; i < count; i++) {
            const floats x = load_last(values + work->slots[i] * dim + d);
            for (int b = 0; b < tile; b++) 
                last[b] = multiply_add(all(weights[b * room + i]), x, last[b]);
        }
        for (int b = 0; b < tile; b++)
            store(out + b * out_stride + d, 
                  multiply(last[b], all(work->inverse[first + b])));
    }
}

#define CASE(n, call)                                                                              \
    case n: {                                                                                      \
        enum { N = n };                                                                            \
        call;                                                                                      \
        break;                                                                                     \
    }
#if WIDTH == 16
#define CASES(call) CASE(1, call) CASE(2, call) CASE(3, call) CASE(4, call) CASE(5, call)
#else
#define CASES(call) CASE(1, call) CASE(2, call)
#endif

// The queries of a unit in one head, scaled, as `score_block` reads them.
static void arrange(const float *q, long stride, long beam_size, long dim, float scale, float *to) {
    for (long b = 0; b < beam_size; b++, q += stride, to += dim) {
        long d = 0;
        for (; d + PAIR <= dim; d += PAIR)
            for (int i = 0; i < LANES; i++) {
                to[d + i] = q[d + 2 * i] * scale;
                to[d + LANES + i] = q[d + 2 * i + 1] * scale;
            }
        for (; d < dim; d++) to[d] = q[d] * scale;
    }
}

// Attend from q, (U · B, H, D) with `q_stride` between rows, to the units from `first` to before
// `last`; out is (U · B, H, D) without gaps.
//
// new_keys, new_values: (U · B, H, D) with `new_stride` between rows, put into the slots from
// `newest` on; or NULL. keys, values: bf16 (U or I, H, S, D). cache_of: (U) the index of each
// unit's cache, or NULL for the unit's own. seen: (U, B, length) bytes with distances
// `seen_by_unit` and `seen_by_hypothesis`; a hypothesis that sees no key gets zeros.
//
// 0, or -1 if memory is short.
int docmt_attend(const float *q, long q_stride, const float *new_keys, const float *new_values,
                 long new_stride, long newest, uint16_t *keys, uint16_t *values, long slots,
                 const int64_t *cache_of, const uint8_t *seen, long seen_by_unit,
                 long seen_by_hypothesis, long length, long first, long last, long beam_size,
                 long heads, long dim, float scale, float *out) {
    const long room = (length + LANES - 1) / LANES * LANES + LANES;
    const size_t size = (size_t)room * (1 + 2 * beam_size) + (size_t)beam_size * (dim + 1);
    int32_t *memory = malloc(size * sizeof *memory);
    if (!memory) return -1;
    Work work = {.slots = memory, .masks = memory + room};
    work.weights = (float *)(work.masks + beam_size * room);
    work.queries = work.weights + beam_size * room;
    work.inverse = work.queries + beam_size * dim;
    const long width = heads * dim;
    for (long unit = first; unit < last; unit++) {
        const long cache = cache_of ? cache_of[unit] : unit, row = unit * beam_size;
        const long count = visible(seen + unit * seen_by_unit, seen_by_hypothesis, beam_size, length,
                                   &work, room);
        for (long head = 0; head < heads; head++) {
            uint16_t *own_keys = keys + (cache * heads + head) * slots * dim;
            uint16_t *own_values = values + (cache * heads + head) * slots * dim;
            if (new_keys)
                for (long b = 0; b < beam_size; b++) {
                    const long from = (row + b) * new_stride + head * dim;
                    for (long d = 0; d < dim; d += LANES) {
                        store_bf16(own_keys + (newest + b) * dim + d, new_keys + from + d);
                        store_bf16(own_values + (newest + b) * dim + d, new_values + from + d);
                    }
                }
            arrange(q + row * q_stride + head * dim, q_stride, beam_size, dim, scale, work.queries);
            const long tiles = (beam_size + TILE - 1) / TILE;
            for (long t = 0, b = 0; t < tiles; t++) {
                const long tile = (beam_size - b) / (tiles - t);
                float *to = out + (row + b) * width + head * dim;
                switch (tile) {
                    CASES(weigh(own_keys, count, dim, room, &work, b, N);
                          mix(own_values, count, dim, room, &work, b, N, to, width))
                }
                b += tile;
            }
        }
    }
    free(memory);
    return 0;
}
