// What stands around the linear layers of a step: residual sums with layer normalization, gates,
// and the slots of a cache. Compiled with contraction of products and sums (-ffp-contract=fast).

#include "vectors.h"

// out = the layer normalization of x + y, all (n, m), m a multiple of 16; y may be NULL. x has a
// distance of `stride` between rows.
void docmt_add_norm(const float *x, long stride, const float *y, const float *weight,
                    const float *bias, long n, long m, float epsilon, float *out) {
    for (long row = 0; row < n; row++) {
        const float *a = x + row * stride, *b = y ? y + row * m : 0;
        float *to = out + row * m;
        floats sum = all(0.0f), squares = all(0.0f);
        for (long i = 0; i < m; i += LANES) {
            const floats value = b ? add(load(a + i), load(b + i)) : load(a + i);
            sum = add(sum, value);
            store(to + i, value);
        }
        const floats mean = all(sum_of(sum) / (float)m);
        for (long i = 0; i < m; i += LANES) {
            const floats centered = subtract(load(to + i), mean);
            squares = multiply_add(centered, centered, squares);
        }
        const floats scale = all(1.0f / __builtin_sqrtf(sum_of(squares) / (float)m + epsilon));
        for (long i = 0; i < m; i += LANES) {
            const floats normal = multiply(subtract(load(to + i), mean), scale);
            store(to + i, multiply_add(normal, load(weight + i), load(bias + i)));
        }
    }
}

// out = g · a + (1 − g) · b with g = σ(scores), of `count` numbers each, a multiple of 16.
void docmt_gated_sum(const float *scores, const float *a, const float *b, long count, float *out) {
    for (long i = 0; i < count; i += LANES) {
        const floats score = load(scores + i), zero = all(0.0f), one = all(1.0f);
        const ints negative = greater(zero, score);
        const floats power = exponential(choose(negative, score, subtract(zero, score)));
        floats gate = choose(negative, power, one);
        EACH(part) gate.part[part] /= 1.0f + power.part[part];
        const floats other = multiply(subtract(one, gate), load(b + i));
        store(out + i, multiply_add(gate, load(a + i), other));
    }
}

// In a cache of (units, heads, slots) entries of `size` bytes, move the entries of a unit from the
// slots in `order`, (units, moved), to those from `first` on. The slots come in ascending order,
// apart from those of entries that nobody reads.
void docmt_move_slots(char *cached, const int64_t *order, long units, long heads, long slots,
                      long size, long first, long moved) {
    for (long unit = 0; unit < units; unit++, order += moved)
        for (long head = 0; head < heads; head++, cached += slots * size)
            for (long i = 0; i < moved; i++)
                if (order[i] != first + i)
                    memcpy(cached + (first + i) * size, cached + order[i] * size, (size_t)size);
}
