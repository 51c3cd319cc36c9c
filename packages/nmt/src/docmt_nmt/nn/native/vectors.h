// Vectors of 16 floats, in as many registers as the processor needs for them. Every sum is taken in
// an order of 16 lanes: processors with the same operations compute the same bits.

#ifndef VECTORS_H
#define VECTORS_H

#include <stdint.h>
#include <string.h>

#define LANES 16

// Numbers of a register.
#if defined(__AVX512F__)
#define WIDTH 16
#elif defined(__AVX__)
#define WIDTH 8
#else
#define WIDTH 4
#endif
#define PARTS (LANES / WIDTH)

typedef float floats_part __attribute__((vector_size(4 * WIDTH)));
typedef int32_t ints_part __attribute__((vector_size(4 * WIDTH)));
typedef uint32_t words_part __attribute__((vector_size(4 * WIDTH)));
typedef uint16_t halves_part __attribute__((vector_size(2 * WIDTH)));

// The same in memory, at any address.
typedef floats_part floats_there __attribute__((aligned(4), may_alias));
typedef ints_part ints_there __attribute__((aligned(4), may_alias));
typedef words_part words_there __attribute__((aligned(2), may_alias));
typedef halves_part halves_there __attribute__((aligned(2), may_alias));

typedef struct { floats_part part[PARTS]; } floats;
typedef struct { ints_part part[PARTS]; } ints;

#define INLINE static inline __attribute__((always_inline, unused))
#define EACH(i) for (int i = 0; i < PARTS; i++)

#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (ints_part){__VA_ARGS__})
#endif

INLINE floats load(const float *from) {
    floats found;
    EACH(i) found.part[i] = *(const floats_there *)(from + i * WIDTH);
    return found;
}

INLINE ints load_ints(const int32_t *from) {
    ints found;
    EACH(i) found.part[i] = *(const ints_there *)(from + i * WIDTH);
    return found;
}

INLINE void store(float *to, floats value) {
    EACH(i) *(floats_there *)(to + i * WIDTH) = value.part[i];
}

INLINE floats all(float value) {
    floats found;
    EACH(i) found.part[i] = value - (floats_part){0};
    return found;
}

INLINE floats add(floats a, floats b) {
    EACH(i) a.part[i] += b.part[i];
    return a;
}

INLINE floats subtract(floats a, floats b) {
    EACH(i) a.part[i] -= b.part[i];
    return a;
}

INLINE floats multiply(floats a, floats b) {
    EACH(i) a.part[i] *= b.part[i];
    return a;
}

// a · b + c, rounded once where the processor can.
INLINE floats multiply_add(floats a, floats b, floats c) {
    EACH(i) c.part[i] = a.part[i] * b.part[i] + c.part[i];
    return c;
}

// Lanes of `a` where the mask is -1, of `b` where it is 0.
INLINE floats choose(ints mask, floats a, floats b) {
    EACH(i)
    b.part[i] = (floats_part)((mask.part[i] & (ints_part)a.part[i]) |
                              (~mask.part[i] & (ints_part)b.part[i]));
    return b;
}

INLINE ints greater(floats a, floats b) {
    ints found;
    EACH(i) found.part[i] = a.part[i] > b.part[i];
    return found;
}

// e to the power of x ≤ 0 (Cephes' polynomial); NaN stays NaN.
INLINE floats exponential(floats x) {
    x = choose(greater(all(-87.0f), x), all(-87.0f), x);
    EACH(i) {
        const floats_part v = x.part[i];
        const floats_part shifted = v * 1.44269504f + 12582912.0f;  // rounded to an integer
        const floats_part n = shifted - 12582912.0f;
        floats_part r = v - n * 0.693359375f;
        r = r - n * -2.12194440e-4f;
        floats_part p = r * 1.9875691500e-4f + 1.3981999507e-3f;
        p = p * r + 8.3334519073e-3f;
        p = p * r + 4.1665795894e-2f;
        p = p * r + 1.6666665459e-1f;
        p = p * r + 5.0000001201e-1f;
        p = p * (r * r) + r + 1.0f;
        x.part[i] = p * (floats_part)(((ints_part)shifted - 0x4b400000 + 127) << 23);
    }
    return x;
}

// Write 16 even and 16 odd numbers in turn.
INLINE void store_in_turn(float *to, floats even, floats odd) {
    EACH(i) {
        const floats_part x = even.part[i], y = odd.part[i];
#if WIDTH == 16
        const floats_part low = SHUFFLE(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        const floats_part high =
            SHUFFLE(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
#elif WIDTH == 8
        const floats_part low = SHUFFLE(x, y, 0, 8, 1, 9, 2, 10, 3, 11);
        const floats_part high = SHUFFLE(x, y, 4, 12, 5, 13, 6, 14, 7, 15);
#else
        const floats_part low = SHUFFLE(x, y, 0, 4, 1, 5);
        const floats_part high = SHUFFLE(x, y, 2, 6, 3, 7);
#endif
        *(floats_there *)(to + 2 * i * WIDTH) = low;
        *(floats_there *)(to + (2 * i + 1) * WIDTH) = high;
    }
}

// The sum of the lanes of each of 16 vectors. Halves of a vector are added until one lane is left.
INLINE floats sums_of(const floats *v) {
    floats found;
    floats_part a[16];
#if WIDTH == 16
    for (int i = 0; i < 8; i++) {
        const floats_part x = v[2 * i].part[0], y = v[2 * i + 1].part[0];
        a[i] = SHUFFLE(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23) +
               SHUFFLE(x, y, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
    }
    for (int i = 0; i < 4; i++) {
        const floats_part x = a[2 * i], y = a[2 * i + 1];
        a[i] = SHUFFLE(x, y, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27) +
               SHUFFLE(x, y, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    }
    for (int i = 0; i < 2; i++) {
        const floats_part x = a[2 * i], y = a[2 * i + 1];
        a[i] = SHUFFLE(x, y, 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29) +
               SHUFFLE(x, y, 2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31);
    }
    found.part[0] = SHUFFLE(a[0], a[1], 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30) +
                    SHUFFLE(a[0], a[1], 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#elif WIDTH == 8
    for (int i = 0; i < 16; i++) a[i] = v[i].part[0] + v[i].part[1];
    for (int i = 0; i < 8; i++) {
        const floats_part x = a[2 * i], y = a[2 * i + 1];
        a[i] = SHUFFLE(x, y, 0, 1, 2, 3, 8, 9, 10, 11) + SHUFFLE(x, y, 4, 5, 6, 7, 12, 13, 14, 15);
    }
    for (int i = 0; i < 4; i++) {
        const floats_part x = a[2 * i], y = a[2 * i + 1];
        a[i] = SHUFFLE(x, y, 0, 1, 4, 5, 8, 9, 12, 13) + SHUFFLE(x, y, 2, 3, 6, 7, 10, 11, 14, 15);
    }
    EACH(i) {
        const floats_part x = a[2 * i], y = a[2 * i + 1];
        found.part[i] =
            SHUFFLE(x, y, 0, 2, 4, 6, 8, 10, 12, 14) + SHUFFLE(x, y, 1, 3, 5, 7, 9, 11, 13, 15);
    }
#else
    for (int i = 0; i < 16; i++)
        a[i] = (v[i].part[0] + v[i].part[2]) + (v[i].part[1] + v[i].part[3]);
    for (int i = 0; i < 8; i++) {
        const floats_part x = a[2 * i], y = a[2 * i + 1];
        a[i] = SHUFFLE(x, y, 0, 1, 4, 5) + SHUFFLE(x, y, 2, 3, 6, 7);
    }
    EACH(i) {
        const floats_part x = a[2 * i], y = a[2 * i + 1];
        found.part[i] = SHUFFLE(x, y, 0, 2, 4, 6) + SHUFFLE(x, y, 1, 3, 5, 7);
    }
#endif
    return found;
}

// The sum of the lanes, in the order of `sums_of`.
INLINE float sum_of(floats a) {
    float lanes[LANES];
    store(lanes, a);
    for (int half = LANES / 2; half; half /= 2)
        for (int i = 0; i < half; i++) lanes[i] += lanes[i + half];
    return lanes[0];
}

INLINE float largest_of(floats a) {
    float lanes[LANES];
    store(lanes, a);
    for (int half = LANES / 2; half; half /= 2)
        for (int i = 0; i < half; i++)
            lanes[i] = lanes[i] > lanes[i + half] ? lanes[i] : lanes[i + half];
    return lanes[0];
}

#endif
