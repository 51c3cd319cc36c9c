// Products of matrices of 16-bit numbers (bf16), summed in fp32. Two neighbours along the summed
// dimension are a word of 32 bits: the lower half is the first of them.

#ifndef PRODUCTS_H
#define PRODUCTS_H

#ifdef __AVX512BF16__
#include <immintrin.h>
#endif

#include "vectors.h"

typedef uint32_t word_there __attribute__((aligned(2), may_alias));

typedef floats_part floats_any __attribute__((aligned(2), may_alias));

typedef struct { words_part part[PARTS]; } words;

// Rows and vectors of a block of a product, whose sums fit in the registers.
#define ROWS (WIDTH == 16 ? 6 : 3)
#define COLUMNS (WIDTH == 16 ? 4 : 2)
// Columns of a block of packed words.
#define BLOCK 64

INLINE long whole(long count) { return (count + LANES - 1) / LANES * LANES; }

INLINE words load_words(const uint32_t *from) {
    words found;
    EACH(i) found.part[i] = *(const words_there *)(from + i * WIDTH);
    return found;
}

INLINE words all_words(uint32_t value) {
    words found;
    EACH(i) found.part[i] = value - (words_part){0};
    return found;
}

// 16 numbers of 16 bits, each in the lower half of a word.
INLINE words load_halves(const uint16_t *from) {
    words found;
    EACH(i)
    found.part[i] =
        __builtin_convertvector(*(const halves_there *)(from + i * WIDTH), words_part);
    return found;
}

INLINE floats as_floats(words halves) {
    floats found;
    EACH(i) found.part[i] = (floats_part)(halves.part[i] << 16);
    return found;
}

// Rounded to 16 bits, ties to even, in the lower halves of words.
INLINE words rounded(floats x) {
    words found;
    EACH(i) {
        const words_part bits = (words_part)x.part[i];
        found.part[i] = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
        // A NaN remains one.
        const words_part nan = (words_part)(x.part[i] != x.part[i]);
        found.part[i] = (nan & 0x7fc0u) | (~nan & found.part[i]);
    }
    return found;
}

INLINE void store_halves(uint16_t *to, words halves) {
    EACH(i)
    *(halves_there *)(to + i * WIDTH) = __builtin_convertvector(halves.part[i], halves_part);
}

INLINE void store_pairs(uint32_t *to, words low, words high) {
    EACH(i) *(words_there *)(to + i * WIDTH) = low.part[i] | (high.part[i] << 16);
}

// sum + a · b of both halves of each word.
INLINE floats add_products(floats sum, words a, words b) {
    EACH(i) {
#ifdef __AVX512BF16__
        sum.part[i] = (floats_part)_mm512_dpbf16_ps((__m512)sum.part[i], (__m512bh)a.part[i],
                                                    (__m512bh)b.part[i]);
#else
        sum.part[i] += (floats_part)(a.part[i] << 16) * (floats_part)(b.part[i] << 16);
        sum.part[i] += (floats_part)(a.part[i] & 0xffff0000u) *
                       (floats_part)(b.part[i] & 0xffff0000u);
#endif
    }
    return sum;
}

// A matrix whose words at (row, pair) stand at row · by_row + pair · by_pair.
typedef struct {
    const word_there *words;
    long by_row, by_pair;
} Matrix;

INLINE void block_product(Matrix a, const uint32_t *b, long b_stride, long pairs, float *to,
                          long stride, int add_to, const int rows, const int columns) {
    floats sums[ROWS][COLUMNS];
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            sums[r][c] = add_to ? load(to + r * stride + c * LANES) : all(0.0f);
    for (long p = 0; p < pairs; p++) {
        words right[COLUMNS];
        for (int c = 0; c < columns; c++) right[c] = load_words(b + p * b_stride + c * LANES);
        for (int r = 0; r < rows; r++) {
            const words left = all_words(a.words[r * a.by_row + p * a.by_pair]);
            for (int c = 0; c < columns; c++)
                sums[r][c] = add_products(sums[r][c], left, right[c]);
        }
    }
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) store(to + r * stride + c * LANES, sums[r][c]);
}

#define EACH_ROWS(case) case(1) case(2) case(3)
#if WIDTH == 16
#define EACH_MORE_ROWS(case) case(4) case(5) case(6)
#else
#define EACH_MORE_ROWS(case)
#endif

#define ROW_CASE(n)                                                                                \
    case n:                                                                                        \
        block_product(own, b, b_stride, pairs, out, stride, add_to, n, columns);                   \
        break;

INLINE void columns_product(Matrix a, long rows, const uint32_t *b, long b_stride, long pairs,
                            float *to, long stride, int add_to, const int columns) {
    for (long r = 0; r < rows; r += ROWS) {
        const Matrix own = {a.words + r * a.by_row, a.by_row, a.by_pair};
        float *out = to + r * stride;
        switch (rows - r < ROWS ? rows - r : ROWS) { EACH_ROWS(ROW_CASE) EACH_MORE_ROWS(ROW_CASE) }
    }
}

// a · b, (rows, columns), or this added to what is there; b: words (pairs, columns), columns a
// multiple of 16.
static __attribute__((unused)) void multiply_matrices(Matrix a, long rows, const uint32_t *b,
                                                      long b_stride, long pairs, long columns,
                                                      float *to, long stride, int add_to) {
    for (long c = 0; c < columns;) {
        const long left = (columns - c) / LANES;
        if (left >= COLUMNS) {
            columns_product(a, rows, b + c, b_stride, pairs, to + c, stride, add_to, COLUMNS);
            c += COLUMNS * LANES;
        } else if (left >= 2) {
            columns_product(a, rows, b + c, b_stride, pairs, to + c, stride, add_to, 2);
            c += 2 * LANES;
        } else {
            columns_product(a, rows, b + c, b_stride, pairs, to + c, stride, add_to, 1);
            c += LANES;
        }
    }
}

// Words (⌈count / 2⌉, dim) of rows, (count, dim): each has two rows; the last of an odd number has
// zeros.
static __attribute__((unused)) void pair_rows(const uint16_t *rows, long stride, long count,
                                              long dim, uint32_t *to) {
    for (long i = 0; i < count; i += 2)
        for (long d = 0; d < dim; d += LANES, to += LANES) {
            const uint16_t *row = rows + i * stride + d;
            store_pairs(to, load_halves(row),
                        i + 1 < count ? load_halves(row + stride) : all_words(0));
        }
}

#if WIDTH == 16
#define EXCHANGE(a, b, low, high)                                                                  \
    do {                                                                                           \
        const floats_part x = a, y = b;                                                            \
        a = SHUFFLE(x, y, low);                                                                    \
        b = SHUFFLE(x, y, high);                                                                   \
    } while (0)
#define LOW_8 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
#define HIGH_8 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31
#define LOW_4 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27
#define HIGH_4 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31
#define LOW_2 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define HIGH_2 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define LOW_1 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30
#define HIGH_1 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31

// Transpose 16 vectors of 16 words.
INLINE void transpose_block(floats_part *v) {
    for (int i = 0; i < 8; i++) EXCHANGE(v[i], v[i + 8], LOW_8, HIGH_8);
    for (int h = 0; h < 16; h += 8)
        for (int i = h; i < h + 4; i++) EXCHANGE(v[i], v[i + 4], LOW_4, HIGH_4);
    for (int h = 0; h < 16; h += 4)
        for (int i = h; i < h + 2; i++) EXCHANGE(v[i], v[i + 2], LOW_2, HIGH_2);
    for (int i = 0; i < 16; i += 2) EXCHANGE(v[i], v[i + 1], LOW_1, HIGH_1);
}
#endif

// Words (dim / 2, BLOCK) of at most BLOCK rows, (count, dim), transposed; zeros up to a whole
// vector of columns.
static __attribute__((unused)) void transpose_rows(const uint16_t *rows, long stride, long count,
                                                   long dim, uint32_t *to) {
    for (long first = 0; first < whole(count); first += LANES) {
        const long here = count - first < LANES ? count - first : LANES;
        long p = 0;
#if WIDTH == 16
        for (; p + LANES <= dim / 2; p += LANES) {
            floats_part v[LANES];
            for (long i = 0; i < LANES; i++) {
                v[i] = (floats_part){0};
                if (i < here) v[i] = *(const floats_any *)(rows + (first + i) * stride + 2 * p);
            }
            transpose_block(v);
            for (int i = 0; i < LANES; i++) *(floats_there *)(to + (p + i) * BLOCK + first) = v[i];
        }
#endif
        for (; p < dim / 2; p++)
            for (long i = 0; i < LANES; i++)
                to[p * BLOCK + first + i] =
                    i < here ? *(const word_there *)(rows + (first + i) * stride + 2 * p) : 0;
    }
}

#endif
