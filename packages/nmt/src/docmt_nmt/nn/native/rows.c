// Rows of floats to eight bits, and products of eight bits to floats, as
// docmt_nmt.nn.quantization.QuantizedLinear computes them: the same bits. Compiled without contraction
// of products and sums (-ffp-contract=off); where PyTorch fuses them, `fused` does.

#include "vectors.h"

#if defined(__FMA__) || defined(__aarch64__)
#define fused(a, b, c) __builtin_fmaf(a, b, c)
#else
#define fused(a, b, c) ((a) * (b) + (c))
#endif

// Codes of x, (n, k), with a distance of `stride` between rows: 128 plus a value over the row's
// largest magnitude times 127, rounded to the nearest, ties to even. `largest`, (n), is at least
// 1e-30; it is NaN in a row with NaN.
void docmt_quantize_rows(const float *x, long n, long k, long stride, uint8_t *restrict codes,
                         float *restrict largest) {
    for (long row = 0; row < n; row++) {
        const float *restrict values = x + row * stride;
        uint8_t *restrict out = codes + row * k;
        // Magnitudes are ordered like the integers of their bits, NaN last.
        int32_t most = 0;
        for (long i = 0; i < k; i++) {
            int32_t bits;
            memcpy(&bits, values + i, sizeof bits);
            bits &= 0x7fffffff;
            most = bits > most ? bits : most;
        }
        float top;
        memcpy(&top, &most, sizeof top);
        top = top < 1e-30f ? 1e-30f : top;
        largest[row] = top;
        const float scale = (1.0f / top) * 127.0f;
        for (long i = 0; i < k; i++) {
            // Beyond 2^23 floats are integers: the lowest bits of the sum are the rounded value.
            const float shifted = values[i] * scale + 12582912.0f;
            uint32_t bits;
            memcpy(&bits, &shifted, sizeof bits);
            out[i] = (uint8_t)(bits ^ 0x80);
        }
    }
}

// y, (n, m), times the scale of each row, (n), plus the bias, (m) or NULL; in place. With `relu`,
// negative results become 0.
void docmt_scale_rows(float *y, const float *restrict scales, const float *restrict bias, long n,
                      long m, int relu) {
    for (long row = 0; row < n; row++) {
        float *restrict values = y + row * m;
        const float scale = scales[row];
        if (bias && relu)
            for (long i = 0; i < m; i++) {
                const float value = fused(values[i], scale, bias[i]);
                values[i] = value < 0.0f ? 0.0f : value;
            }
        else if (bias)
            for (long i = 0; i < m; i++) values[i] = fused(values[i], scale, bias[i]);
        else
            for (long i = 0; i < m; i++) {
                const float value = values[i] * scale;
                values[i] = relu && value < 0.0f ? 0.0f : value;
            }
    }
}
