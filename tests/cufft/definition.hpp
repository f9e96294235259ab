#pragma once

#include "cufft/request.hpp"

#include <swirl/half.hpp>

#include <complex>
#include <cstddef>
#include <vector>

namespace swirl::cufft {

using Value = std::complex<long double>;

/// Memory of one side of a plan: reals or pairs of a data type, as bytes.
struct Data {
    DataType precision;
    bool is_complex;
    std::vector<std::byte> bytes;

    Data(DataType of, bool complex, Integer elements);
    Value get(Integer element) const;
    void set(Integer element, Value value);
};

/// What cuFFT's documentation says an execution computes, by sums: `input` and `output` as separate memories, with the index
/// of element (b, x, y, z) on either side.
struct Indexing {
    std::vector<Integer> lengths; ///< logical
    Integer batch = 1;
    std::vector<Integer> embedding[2];
    Integer stride[2] = {1, 1};
    Integer distance[2] = {0, 0};

    Integer at(int side, Integer transform, const std::vector<Integer>& index) const;
    Integer elements(int side, const std::vector<Integer>& stored) const; ///< that memory must have
};
/// Stored lengths: n/2+1 along the last dimension of a half spectrum.
std::vector<Integer> stored(const std::vector<Integer>& lengths, bool is_half);

/// The largest error of `output` relative to the largest result.
long double error_of(const Kind& kind, const Indexing& indexing, int sign, const Data& input,
                     const Data& output);

} // namespace swirl::cufft
