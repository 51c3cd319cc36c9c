// Attention of span i of the queries over span i of the keys, forward and backward, in bf16 with
// sums in fp32 (Dao et al. 2022, "FlashAttention", sections 3.1 and B): with P = softmax(s QKᵀ),
// O = PV and the gradient G of O,
//
//   dV = Pᵀ G,  dP = G Vᵀ,  dS = P ∘ (dP − rowsum(G ∘ O)),  dQ = s dS K,  dK = s dSᵀ Q
//
// P is made again in the backward pass, from the logarithms of the sums of exponents.
//
// Shapes: n spans, H heads, D head dimension (a multiple of 16). A pair of spans in a head is a
// unit; units are counted head by head. What a unit gets depends on itself alone.

#include <math.h>
#include <stdlib.h>

#include "products.h"

// Queries of a tile, forward and backward; even.
#define FORWARD_TILE 12
#define BACKWARD_TILE 36

// The spans of a unit.
typedef struct {
    const uint16_t *q, *k, *v;   // of the first query and the first key
    long q_stride, k_stride, v_stride, row_stride;
    long first_query, queries, first_key, keys, head;
} Unit;

typedef struct {
    const uint16_t *q, *k, *v;
    long q_stride, k_stride, v_stride;
    const int64_t *query_offsets, *key_offsets;
    long spans, heads, dim;
    float scale;
    int causal;
} Attention;

static Unit unit_of(const Attention *all, long index) {
    const long head = index / all->spans, span = index % all->spans, column = head * all->dim;
    const long query = all->query_offsets[span], key = all->key_offsets[span];
    return (Unit){.q = all->q + query * all->q_stride + column,
                  .k = all->k + key * all->k_stride + column,
                  .v = all->v + key * all->v_stride + column,
                  .row_stride = all->heads * all->dim,
                  .first_query = query,
                  .queries = all->query_offsets[span + 1] - query,
                  .first_key = key,
                  .keys = all->key_offsets[span + 1] - key,
                  .head = head};
}

static long longest(const int64_t *offsets, long spans) {
    long most = 0;
    for (long i = 0; i < spans; i++)
        if (offsets[i + 1] - offsets[i] > most) most = offsets[i + 1] - offsets[i];
    return most;
}

INLINE long least(long a, long b) { return a < b ? a : b; }

// Lanes of the vector at `from` that stand before `limit`.
INLINE ints before(long limit, long from) {
    static const float numbers[LANES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return greater(all((float)(limit - from)), load(numbers));
}

static void zero_rows(uint16_t *rows, long stride, long count, long dim) {
    for (long i = 0; i < count; i++) memset(rows + i * stride, 0, (size_t)dim * sizeof *rows);
}

// Rows of fp32 numbers times a factor, in 16 bits.
INLINE void store_row(uint16_t *to, const float *from, long dim, float factor) {
    for (long d = 0; d < dim; d += LANES)
        store_halves(to + d, rounded(multiply(load(from + d), all(factor))));
}

// The powers e^(scale · (score − largest)) of `limit` scores, in 16 bits, zeros up to `width`; the
// logarithm of their sum times e^(scale · largest), and the sum.
INLINE float weigh(const float *scores, long limit, long width, float scale, uint16_t *weights,
                   float *sum) {
    const floats lowest = all(-INFINITY);
    floats most = lowest, sums = all(0.0f);
    for (long i = 0; i < limit; i += LANES) {
        const floats score = choose(before(limit, i), load(scores + i), lowest);
        most = choose(greater(score, most), score, most);
    }
    const float largest = largest_of(most) * scale;
    for (long i = 0; i < width; i += LANES) {
        floats power = exponential(multiply_add(load(scores + i), all(scale), all(-largest)));
        power = choose(before(limit, i), power, all(0.0f));
        sums = add(sums, power);
        store_halves(weights + i, rounded(power));
    }
    *sum = sum_of(sums);
    return largest + logf(*sum);
}

// Attend from q (N_q, H, D) over k and v (N_k, H, D), with strides between tokens, in the units
// from `first` to before `last`: out (N_q, H, D), and the logarithms of the sums of exponents,
// (H, N_q), without gaps. A query without keys gets zeros. Causal: a query sees the keys up to its
// own position.
//
// 0, or -1 if memory is short.
int docmt_attend_spans(const uint16_t *q, long q_stride, const uint16_t *k, long k_stride,
                       const uint16_t *v, long v_stride, const int64_t *query_offsets,
                       const int64_t *key_offsets, long spans, long heads, long dim, float scale,
                       int causal, long first, long last, uint16_t *out, float *logarithms) {
    const Attention all_units = {q,           k,     v,     q_stride, k_stride, v_stride, query_offsets,
                                 key_offsets, spans, heads, dim,      scale,    causal};
    const long room = (longest(key_offsets, spans) + BLOCK - 1) / BLOCK * BLOCK;
    const long queries_in_all = query_offsets[spans];
    // Rows of scores are a vector further apart than a power of two.
    const long stride = room + LANES;
    const size_t size = (size_t)(room * dim + FORWARD_TILE * (stride + stride / 2 + dim));
    uint32_t *memory = malloc(size * sizeof *memory);
    if (!memory) return -1;
    uint32_t *keys = memory, *values = keys + room * dim / 2;
    float *scores = (float *)(values + room * dim / 2), *sums = scores + FORWARD_TILE * stride;
    uint16_t *weights = (uint16_t *)(sums + FORWARD_TILE * dim);
    for (long index = first; index < last; index++) {
        const Unit unit = unit_of(&all_units, index);
        uint16_t *to = out + unit.first_query * unit.row_stride + unit.head * dim;
        if (!unit.keys) {
            zero_rows(to, unit.row_stride, unit.queries, dim);
            continue;
        }
        if (!unit.queries) continue;
        for (long key = 0; key < unit.keys; key += BLOCK)
            transpose_rows(unit.k + key * k_stride, k_stride, least(BLOCK, unit.keys - key), dim,
                           keys + key * dim / 2);
        pair_rows(unit.v, v_stride, unit.keys, dim, values);
        const long pairs = (unit.keys + 1) / 2, filled = whole(unit.keys) / 2;
        memset(values + pairs * dim, 0, (size_t)((filled - pairs) * dim) * sizeof *values);
        float *own_logarithms = logarithms + unit.head * queries_in_all + unit.first_query;
        for (long query = 0; query < unit.queries; query += FORWARD_TILE) {
            const long count = least(FORWARD_TILE, unit.queries - query);
            const long seen = causal ? least(unit.keys, query + count) : unit.keys;
            const Matrix of_queries = {(const word_there *)(unit.q + query * q_stride), q_stride / 2,
                                       1};
            for (long key = 0; key < seen; key += BLOCK)
                multiply_matrices(of_queries, count, keys + key * dim / 2, BLOCK, dim / 2,
                                  whole(least(BLOCK, seen - key)), scores + key, stride, 0);
            float parts[FORWARD_TILE];
            for (long i = 0; i < count; i++)
                own_logarithms[query + i] =
                    weigh(scores + i * stride, causal ? least(seen, query + i + 1) : seen,
                          whole(seen), scale, weights + i * stride, parts + i);
            const Matrix of_weights = {(const word_there *)weights, stride / 2, 1};
            multiply_matrices(of_weights, count, values, dim, whole(seen) / 2, dim, sums, dim, 0);
            for (long i = 0; i < count; i++)
                store_row(to + (query + i) * unit.row_stride, sums + i * dim, dim,
                          1.0f / parts[i]);
        }
    }
    free(memory);
    return 0;
}

// Working memory of a unit backward: words of pairs of rows, and sums in fp32.
typedef struct {
    uint32_t *q, *g;             // (⌈queries / 2⌉, D)
    float *dq, *differences;     // (queries, D), and rowsum(G ∘ O) of each query
    uint32_t *k, *kt, *vt;       // of a block: (BLOCK / 2, D), and (D / 2, BLOCK) transposed
    float *dk, *dv;              // (BLOCK, D)
    float *scores, *slopes;      // S and dP of a tile: (BACKWARD_TILE, BLOCK)
    uint32_t *weights_t, *slopes_t;  // P and dS of a tile: (BACKWARD_TILE / 2, BLOCK)
    uint16_t *slopes_16;         // dS of a tile: (BACKWARD_TILE, BLOCK)
} Backward;

// P and dS of a tile, of `count` queries and `width` keys, of which query i sees those before
// limit + i · causal.
INLINE void slope_tile(const Backward *work, long query, long count, long limit, long keys,
                       long width, float scale, const float *logarithms, int causal) {
    for (long i = 0; i < count; i += 2)
        for (long key = 0; key < width; key += LANES) {
            words weights[2] = {all_words(0), all_words(0)}, slopes[2] = {all_words(0), all_words(0)};
            for (int r = 0; r < 2 && i + r < count; r++) {
                const long row = i + r, at = row * BLOCK + key;
                floats p = exponential(multiply_add(load(work->scores + at), all(scale),
                                                    all(-logarithms[query + row])));
                p = choose(before(causal ? least(keys, limit + row) : keys, key), p, all(0.0f));
                const floats slope = subtract(load(work->slopes + at),
                                              all(work->differences[query + row]));
                weights[r] = rounded(p);
                slopes[r] = rounded(multiply(p, slope));
                store_halves(work->slopes_16 + at, slopes[r]);
            }
            store_pairs(work->weights_t + i / 2 * BLOCK + key, weights[0], weights[1]);
            store_pairs(work->slopes_t + i / 2 * BLOCK + key, slopes[0], slopes[1]);
        }
}

// The gradients dq, dk and dv, without gaps, of `docmt_attend_spans`, whose arguments and results
// these are, given the gradient of out, (N_q, H, D) without gaps.
int docmt_attend_spans_backward(const uint16_t *q, long q_stride, const uint16_t *k, long k_stride,
                                const uint16_t *v, long v_stride, const int64_t *query_offsets,
                                const int64_t *key_offsets, long spans, long heads, long dim,
                                float scale, int causal, long first, long last,
                                const uint16_t *out, const float *logarithms,
                                const uint16_t *gradient, uint16_t *dq, uint16_t *dk,
                                uint16_t *dv) {
    const Attention all_units = {q,           k,     v,     q_stride, k_stride, v_stride, query_offsets,
                                 key_offsets, spans, heads, dim,      scale,    causal};
    const long room = longest(query_offsets, spans) + BACKWARD_TILE;
    const long queries_in_all = query_offsets[spans];
    const size_t size = (size_t)(2 * room * dim + room + BLOCK * (dim / 2 + 3 * dim) +
                                 BACKWARD_TILE * BLOCK * 4);
    uint32_t *memory = malloc(size * sizeof *memory);
    if (!memory) return -1;
    Backward work = {.q = memory};
    work.g = work.q + room * dim / 2;
    work.dq = (float *)(work.g + room * dim / 2);
    work.differences = work.dq + room * dim;
    work.k = (uint32_t *)(work.differences + room);
    work.kt = work.k + BLOCK * dim / 2;
    work.vt = work.kt + BLOCK * dim / 2;
    work.dk = (float *)(work.vt + BLOCK * dim / 2);
    work.dv = work.dk + BLOCK * dim;
    work.scores = work.dv + BLOCK * dim;
    work.slopes = work.scores + BACKWARD_TILE * BLOCK;
    work.weights_t = (uint32_t *)(work.slopes + BACKWARD_TILE * BLOCK);
    work.slopes_t = work.weights_t + BACKWARD_TILE * BLOCK / 2;
    work.slopes_16 = (uint16_t *)(work.slopes_t + BACKWARD_TILE * BLOCK / 2);
    for (long index = first; index < last; index++) {
        const Unit unit = unit_of(&all_units, index);
        const long row_stride = unit.row_stride, column = unit.head * dim;
        const long from = unit.first_query * row_stride + column;
        const long to = unit.first_key * row_stride + column;
        if (!unit.queries || !unit.keys) {
            zero_rows(dq + from, row_stride, unit.queries, dim);
            zero_rows(dk + to, row_stride, unit.keys, dim);
            zero_rows(dv + to, row_stride, unit.keys, dim);
            continue;
        }
        pair_rows(unit.q, q_stride, unit.queries, dim, work.q);
        pair_rows(gradient + from, row_stride, unit.queries, dim, work.g);
        memset(work.dq, 0, (size_t)(unit.queries * dim) * sizeof *work.dq);
        for (long i = 0; i < unit.queries; i++) {
            floats sum = all(0.0f);
            for (long d = 0; d < dim; d += LANES) {
                const long at = from + i * row_stride + d;
                sum = multiply_add(as_floats(load_halves(gradient + at)),
                                   as_floats(load_halves(out + at)), sum);
            }
            work.differences[i] = sum_of(sum);
        }
        const float *own_logarithms = logarithms + unit.head * queries_in_all + unit.first_query;
        for (long key = 0; key < unit.keys; key += BLOCK) {
            const long keys = least(BLOCK, unit.keys - key), width = whole(keys);
            transpose_rows(unit.k + key * k_stride, k_stride, keys, dim, work.kt);
            transpose_rows(unit.v + key * v_stride, v_stride, keys, dim, work.vt);
            pair_rows(unit.k + key * k_stride, k_stride, keys, dim, work.k);
            const long pairs = (keys + 1) / 2;
            memset(work.k + pairs * dim, 0, (size_t)((width / 2 - pairs) * dim) * sizeof *work.k);
            memset(work.dk, 0, (size_t)(2 * BLOCK * dim) * sizeof *work.dk);
            // Of a causal block, earlier queries see no key.
            for (long query = causal ? key / BACKWARD_TILE * BACKWARD_TILE : 0;
                 query < unit.queries; query += BACKWARD_TILE) {
                const long count = least(BACKWARD_TILE, unit.queries - query);
                const Matrix of_q = {(const word_there *)(unit.q + query * q_stride), q_stride / 2,
                                     1};
                const Matrix of_g = {(const word_there *)(gradient + from + query * row_stride),
                                     row_stride / 2, 1};
                multiply_matrices(of_q, count, work.kt, BLOCK, dim / 2, width, work.scores, BLOCK, 0);
                multiply_matrices(of_g, count, work.vt, BLOCK, dim / 2, width, work.slopes, BLOCK, 0);
                slope_tile(&work, query, count, query + 1 - key, keys, width, scale, own_logarithms,
                           causal);
                const long half = (count + 1) / 2;
                multiply_matrices((Matrix){work.weights_t, 1, BLOCK}, keys, work.g + query / 2 * dim,
                                  dim, half, dim, work.dv, dim, 1);
                multiply_matrices((Matrix){work.slopes_t, 1, BLOCK}, keys, work.q + query / 2 * dim,
                                  dim, half, dim, work.dk, dim, 1);
                multiply_matrices((Matrix){(const word_there *)work.slopes_16, BLOCK / 2, 1}, count,
                                  work.k, dim, width / 2, dim, work.dq + query * dim, dim, 1);
            }
            for (long i = 0; i < keys; i++) {
                const long row = to + (key + i) * row_stride;
                store_row(dk + row, work.dk + i * dim, dim, scale);
                store_row(dv + row, work.dv + i * dim, dim, 1.0f);
            }
        }
        for (long i = 0; i < unit.queries; i++)
            store_row(dq + from + i * row_stride, work.dq + i * dim, dim, scale);
    }
    free(memory);
    return 0;
}
