#include "fftw/requests.hpp"

#include "fftw/planner.hpp"
#include "fftw/r2r_kinds.hpp"

#include <cstdint>
#include <utility>

namespace swirl::fftw {
namespace {

/// The number of real numbers between neighbours along each dimension; empty if one does not fit.
std::optional<std::vector<Integer>> strides_of(const ManySide& side, int rank, const int* lengths,
                                               std::optional<Integer> row) {
    std::vector<Integer> strides(static_cast<std::size_t>(rank));
    Integer stride = static_cast<Integer>(side.stride) * static_cast<Integer>(side.element);
    for (int i = rank; i-- > 0;) {
        strides[static_cast<std::size_t>(i)] = stride;
        Integer length = side.embedding == nullptr ? lengths[i] : side.embedding[i];
        if (side.embedding == nullptr && i == rank - 1 && row) length = *row;
        const auto next = checked_multiply(stride, length);
        if (!next) return std::nullopt;
        stride = *next;
    }
    return strides;
}

void* second_of(void* pair, DataType precision) {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(pair) + bytes_of(precision));
}

} // namespace

MaybeLoops many_loops(int rank, const int* lengths, int count, const ManySide& input, const ManySide& output,
                      bool is_half, bool is_in_place) {
    if (rank < 0 || count < 0) return std::nullopt;
    for (int i = 0; i < rank; ++i)
        if (lengths[i] <= 0) return std::nullopt;
    const auto row_of = [&](const ManySide& side) -> std::optional<Integer> {
        if (!is_half || rank == 0) return std::nullopt;
        const Integer spectrum = lengths[rank - 1] / 2 + 1;
        if (side.element == Element::complex) return spectrum;
        return is_in_place ? std::optional(2 * spectrum) : std::nullopt;
    };
    const auto input_strides = strides_of(input, rank, lengths, row_of(input));
    const auto output_strides = strides_of(output, rank, lengths, row_of(output));
    if (!input_strides || !output_strides) return std::nullopt;
    Loops loops;
    for (std::size_t i = 0; i < input_strides->size(); ++i)
        loops.dimensions.push_back({lengths[i], (*input_strides)[i], (*output_strides)[i]});
    const auto distance = [](const ManySide& side) {
        return static_cast<Integer>(side.distance) * static_cast<Integer>(side.element);
    };
    loops.loops.push_back({count, distance(input), distance(output)});
    return loops;
}

MaybeLoops guru_loops(int rank, const int* lengths, const int* input_strides, const int* output_strides,
                      int loops_rank, const int* loop_lengths, const int* loop_input_strides,
                      const int* loop_output_strides, Element input, Element output) {
    struct Axis {
        int n, is, os;
    };
    std::vector<Axis> dimensions, loops;
    for (int i = 0; i < rank; ++i) dimensions.push_back({lengths[i], input_strides[i], output_strides[i]});
    for (int i = 0; i < loops_rank; ++i)
        loops.push_back({loop_lengths[i], loop_input_strides[i], loop_output_strides[i]});
    return guru_loops(rank, dimensions.data(), loops_rank, loops.data(), input, output);
}

Arrays complex_arrays(void* input, void* output, DataType precision, bool is_backward) {
    Arrays arrays = {input, second_of(input, precision), output, second_of(output, precision)};
    if (is_backward) {
        std::swap(arrays.input_real, arrays.input_imaginary);
        std::swap(arrays.output_real, arrays.output_imaginary);
    }
    return arrays;
}

Arrays real_to_complex_arrays(void* input, void* output, DataType precision) {
    return {input, nullptr, output, second_of(output, precision)};
}

Arrays complex_to_real_arrays(void* input, void* output, DataType precision) {
    return {input, second_of(input, precision), output, nullptr};
}

const Plan* request(GuruKind kind, DataType precision, MaybeLoops loops, const Arrays& arrays, unsigned flags,
                    bool is_backward) {
    if (!loops) return nullptr;
    const GuruProblem problem{.kind = kind,
                              .precision = precision,
                              .dimensions = std::move(loops->dimensions),
                              .loops = std::move(loops->loops),
                              .arrays = arrays};
    return Planner::of_process().plan(problem, flags, is_backward).release();
}

const Plan* request_r2r(DataType precision, MaybeLoops loops, const Arrays& arrays,
                        const std::vector<int>& kinds, unsigned flags) {
    if (!loops) return nullptr;
    GuruProblem problem{.kind = GuruKind::r2r,
                        .precision = precision,
                        .dimensions = std::move(loops->dimensions),
                        .loops = std::move(loops->loops),
                        .arrays = arrays};
    for (const int kind : kinds) {
        if (!is_r2r_kind(kind)) return nullptr;
        problem.kinds.push_back(r2r_kinds[static_cast<std::size_t>(kind)]);
    }
    return Planner::of_process().plan(problem, flags, false).release();
}

} // namespace swirl::fftw
