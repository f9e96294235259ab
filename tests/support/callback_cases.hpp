#pragma once

/// What load and store callbacks are proved with on every device.
namespace swirl::support {

/// Each part of the language of expressions, for a DFT of 60 to 64 points and a batch.
inline constexpr const char* callback_expressions[] = {
    "x",
    "0.5 * x",
    "-x",
    "x * window[i]",
    "x * complex h[b, i]",
    "x + complex(i / 64, b)",
    "complex h[i] * conj(x) - im(x)",
    "re(x) < 0.25 ? x : 2 * x",
    "i < 40 and b > 0 ? x : 0",
    "i < 40 or not (b == 1) ? x : 1",
    "i != 3 and not (i > 60 or i == 7) ? x : -x",
    "complex(min(re(x), im(x)), max(re(x), 0.5))",
    "re(x) <= 0 and im(x) >= 0 ? conj(x) : x * abs2(x)",
    "complex(exp(re(x) / 8), tanh(im(x))) / (1 + abs(re(x)))", // exp(x) has x times the relative error of x
    "complex(sigmoid(re(x)), gelu(sqrt(abs(im(x)))))",
    "x where i >= 3 and i < 50",
    "x where i - 2 * b >= 8",
    "x where i == 5",
    "gain[b] * x",
};

/// Each kind of transform, layout and placement, and small and large prime factors.
inline constexpr const char* callback_problems[] = {
    "dft 1024 float32 batch=2 load=\"x * window[i] where i < 700\" store=\"0.5 * x where i >= 100\"",
    "dft 64 float32 inplace batch=5 load=\"x where i < 33\" store=\"x * s[i]\"",
    "dft 64 planar inplace batch=5 load=\"x where i < 33\" store=\"x * complex s[i]\"",
    "dft 64 strides=7 batch=7:1 load=\"x * w[i, b] * s[]\"",
    "dft 60 float32 batch=3x4 load=\"x * w[b1, i] + b0\"",
    "dft 127 float32 batch=3 load=\"x * w[i]\" store=\"x * s[b]\"",
    "dft 74 float32 batch=3 load=\"x * w[i] where i > 3\" store=\"x * s[i] where i < 70\"",
    "dft 8x12 batch=2 load=\"x * w[i0, i1]\" store=\"x * s[i1] - b\"",
    "dft 8x6x10 float32 load=\"x where i0 < 5 and i2 >= 2\" store=\"i1 * x\"",
    "rdft 64 float32 batch=3 load=\"x * window[i] where i < 48\"",
    "rdft 60 float32 backward batch=3 store=\"x * window[i] where i < 48\"",
    "rdft 27 batch=3 load=\"x * window[i]\"",
    "rdft 8x12 load=\"x * w[i0] where i1 < 9\"",
    "wht 64 batch=3 load=\"x * w[i]\" store=\"x * x\"",
    "dct2 32 batch=3 load=\"x * w[i]\" store=\"x < 0 ? 0 : x\"",
    "dft 16 float32 batch=40 load=\"x * w[i]\"",
    "dft 5 float32 batch=33 load=\"x * w[i] where i < 4\"",
    "dft 64 float32 batch=3 store=\"real: abs2(x)\"",
    "dft 1000 store=\"real: abs2(x) * w[i] where i < 501\"",
    "dft 60 planar backward batch=4x3 store=\"real float32: sqrt(abs2(x))\"",
    "dft 127 float32 store=\"real: im(x) + s[b]\" batch=2",
    "dft 12 in=3 out=-2 batch=5:(40,-30) store=\"real: re(x)\"",
    "rdft 60 float32 batch=5 load=\"x * w[i]\" store=\"real: abs2(x)\"",
    "rdft 27 batch=3 store=\"real: re(x) - im(x) where i > 1\"",
    "rdft 400 float32 batch=7:(160,201) load=\"x * w[i]\" store=\"real: abs2(x)\"",
    "convolution 48 float32 batch=2 store=\"real: abs2(x)\"",
    "formula CZT(40, 12, 0.1, 0.01) complex64 batch=2 store=\"real: abs2(x)\"",
};

} // namespace swirl::support
