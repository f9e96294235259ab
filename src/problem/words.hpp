#pragma once

#include <swirl/data_type.hpp>

#include "problem/kinds.hpp"
#include "problem/suggestion.hpp"

#include <cstdint>
#include <string_view>

namespace swirl {

/// An enumerator and its keyword in the text of a problem; the first of each table is the default.
template <class Value> struct Word {
    Value value;
    const char* text;
};

inline constexpr Word<TransformKind> kind_words[] = {
    {TransformKind::dft, "dft"},
    {TransformKind::real_dft, "rdft"},
    {TransformKind::wht, "wht"},
    {TransformKind::wht_dyadic, "wht_dyadic"},
    {TransformKind::wht_sequency, "wht_sequency"},
    {TransformKind::dct1, "dct1"},
    {TransformKind::dct2, "dct2"},
    {TransformKind::dct3, "dct3"},
    {TransformKind::dct4, "dct4"},
    {TransformKind::dct5, "dct5"},
    {TransformKind::dct6, "dct6"},
    {TransformKind::dct7, "dct7"},
    {TransformKind::dct8, "dct8"},
    {TransformKind::dst1, "dst1"},
    {TransformKind::dst2, "dst2"},
    {TransformKind::dst3, "dst3"},
    {TransformKind::dst4, "dst4"},
    {TransformKind::dst5, "dst5"},
    {TransformKind::dst6, "dst6"},
    {TransformKind::dst7, "dst7"},
    {TransformKind::dst8, "dst8"},
    {TransformKind::dht, "dht"},
    {TransformKind::r2hc, "r2hc"},
    {TransformKind::hc2r, "hc2r"},
    {TransformKind::convolution, "convolution"},
    {TransformKind::real_convolution, "rconvolution"},
    {TransformKind::formula, "formula"},
};
inline constexpr Word<Direction> direction_words[] = {
    {Direction::forward, "forward"},
    {Direction::backward, "backward"},
};
inline constexpr Word<ComplexLayout> layout_words[] = {
    {ComplexLayout::interleaved, "interleaved"},
    {ComplexLayout::planar, "planar"},
};
inline constexpr Word<Sharing> sharing_words[] = {
    {Sharing::shared, "shared"},
    {Sharing::each, "each"},
};
inline constexpr Word<Placement> placement_words[] = {
    {Placement::out_of_place, "outofplace"},
    {Placement::in_place, "inplace"},
};

/// Other libraries' names of transforms.
struct KindSynonym {
    const char* text;
    TransformKind kind;
    Direction direction;
    bool has_direction; ///< no option may say another
    bool is_normalised; ///< 1/n unless a scale is given, as NumPy's and PyTorch's inverse transforms
};
inline constexpr KindSynonym kind_synonyms[] = {
    {"fft", TransformKind::dft, Direction::forward, false, false},
    {"c2c", TransformKind::dft, Direction::forward, false, false},
    {"ifft", TransformKind::dft, Direction::backward, true, true},
    {"rfft", TransformKind::real_dft, Direction::forward, true, false},
    {"r2c", TransformKind::real_dft, Direction::forward, true, false},
    {"irfft", TransformKind::real_dft, Direction::backward, true, true},
    {"c2r", TransformKind::real_dft, Direction::backward, true, false},
    {"hartley", TransformKind::dht, Direction::forward, false, false},
    {"redft00", TransformKind::dct1, Direction::forward, false, false},
    {"redft10", TransformKind::dct2, Direction::forward, false, false},
    {"redft01", TransformKind::dct3, Direction::forward, false, false},
    {"redft11", TransformKind::dct4, Direction::forward, false, false},
    {"rodft00", TransformKind::dst1, Direction::forward, false, false},
    {"rodft10", TransformKind::dst2, Direction::forward, false, false},
    {"rodft01", TransformKind::dst3, Direction::forward, false, false},
    {"rodft11", TransformKind::dst4, Direction::forward, false, false},
};
inline constexpr Word<Direction> direction_synonyms[] = {{Direction::backward, "inverse"}};
inline constexpr Word<ComplexLayout> layout_synonyms[] = {{ComplexLayout::planar, "split"}};
inline constexpr Word<DataType> type_synonyms[] = {
    {DataType::float64, "double"},
    {DataType::float32, "single"},
    {DataType::float16, "half"},
};
/// Of the complex elements of a dft or rdft.
inline constexpr Word<DataType> complex_synonyms[] = {
    {DataType::float64, "complex128"},
    {DataType::float32, "complex64"},
};

/// What multiplies the result, as NumPy's norm= says.
enum class Norm : std::uint8_t { backward, ortho, forward };
inline constexpr Word<Norm> norm_words[] = {
    {Norm::backward, "backward"},
    {Norm::ortho, "ortho"},
    {Norm::forward, "forward"},
};

/// BLAS's names of products.
struct GemmWord {
    const char* text;
    DataType data_type;
    bool has_data_type;
};
inline constexpr GemmWord gemm_words[] = {
    {"gemm", DataType::float64, false},   {"matmul", DataType::float64, false},
    {"sgemm", DataType::float32, true},   {"dgemm", DataType::float64, true},
    {"cgemm", DataType::complex64, true}, {"zgemm", DataType::complex128, true},
};

/// For "did you mean": words that are refused because they say too little or belong elsewhere.
inline constexpr ForeignWord foreign_kinds[] = {
    {"chirpz", "formula CZT(n, m, start, step)"},
    {"conv", "convolution"},
    {"convolve", "convolution"},
    {"czt", "formula CZT(n, m, start, step)"},
    {"dct", "dct2"},
    {"dst", "dst2"},
    {"dwt", "formula DWT(n, db4, levels, symmetric) float64"},
    {"dyadic", "wht_dyadic"},
    {"fft2", "dft"},
    {"fft3", "dft"},
    {"fftn", "dft"},
    {"fir", "formula FIR(n; taps) float64"},
    {"fwht", "wht"},
    {"hadamard", "wht"},
    {"idct", "dct3"},
    {"idst", "dst3"},
    {"idwt", "formula IDWT(n, db4, levels, symmetric) float64"},
    {"imdct", "formula IMDCT(n) float64"},
    {"irfft2", "irfft"},
    {"irfftn", "irfft"},
    {"matrix", "gemm"},
    {"mdct", "formula MDCT(n) float64"},
    {"mm", "gemm"},
    {"paley", "wht_dyadic"},
    {"rfft2", "rfft"},
    {"rfftn", "rfft"},
    {"sequency", "wht_sequency"},
    {"walsh", "wht_sequency"},
    {"wavelet", "formula DWT(n, db4, levels, symmetric) float64"},
    {"z2z", "dft"},
    {"zoom", "formula CZT(n, m, start, step)"},
};
inline constexpr ForeignWord foreign_types[] = {
    {"bf16", "bfloat16"}, {"e4m3", "float8_e4m3"}, {"f16", "float16"},
    {"f32", "float32"},   {"f64", "float64"},      {"float", "float32"},
    {"fp16", "float16"},  {"fp32", "float32"},     {"fp64", "float64"},
};
inline constexpr ForeignWord foreign_options[] = {
    {"dist", "batch="},
    {"howmany", "batch="},
    {"idist", "batch="},
    {"in-place", "inplace"},
    {"in_place", "inplace"},
    {"inv", "inverse"},
    {"istride", "in="},
    {"many", "batch="},
    {"odist", "batch="},
    {"ortho", "norm=ortho"},
    {"ostride", "out="},
    {"out-of-place", "outofplace"},
    {"out_of_place", "outofplace"},
    {"overwrite", "inplace"},
    {"stride", "strides="},
};
inline constexpr ForeignWord foreign_gemm_options[] = {
    {"bf16", "a=bfloat16 b=bfloat16"},
    {"bfloat16", "a=bfloat16 b=bfloat16"},
    {"e4m3", "a=float8_e4m3 b=float8_e4m3"},
    {"f16", "a=float16 b=float16"},
    {"f32", "float32"},
    {"f64", "float64"},
    {"float", "float32"},
    {"float16", "a=float16 b=float16"},
    {"fp16", "a=float16 b=float16"},
    {"fp32", "float32"},
    {"fp64", "float64"},
    {"fp8", "a=float8_e4m3 b=float8_e4m3"},
    {"half", "a=float16 b=float16"},
    {"int8", "int32 a=int8 b=int8"},
    {"load", "a=, whose data type is converted, or epilogue="},
    {"store", "c=, whose data type is converted, or epilogue="},
    {"ta", "a=rows"},
    {"tb", "b=rows"},
    {"transa", "a=rows"},
    {"transb", "b=rows"},
};
inline constexpr ForeignWord foreign_layouts[] = {
    {"c", "rows"},    {"col", "columns"}, {"colmajor", "columns"}, {"column", "columns"},
    {"f", "columns"}, {"n", "columns"},   {"row", "rows"},         {"rowmajor", "rows"},
    {"t", "rows"},    {"trans", "rows"},  {"transpose", "rows"},
};

} // namespace swirl
