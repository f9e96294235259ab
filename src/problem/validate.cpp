#include "problem/validate.hpp"

#include "problem/data_type.hpp"
#include "problem/overlap.hpp"
#include "problem/syntax.hpp"
#include "problem/validate_expression.hpp"
#include "problem/validate_formula.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace swirl {

namespace {

const char* side_name(Side side) { return side == Side::input ? "input" : "output"; }

/// Message: what is wrong, the problem, what would work.
[[noreturn]] void reject(const Transform& problem, const std::string& what, const std::string& remedy) {
    throw UserError("{}\n  problem: {}\n  {}", what, to_text(problem), remedy);
}

/// The same for what a CPU cannot compute.
[[noreturn]] void refuse_on_cpu(const Transform& problem, const std::string& what,
                                const std::string& remedy) {
    throw Unsupported("{}\n  problem: {}\n  {}", what, to_text(problem), remedy);
}

/// "batch 0" or "dimension 1" for a position in the list that `axes` returns.
std::string axis_name(const Transform& problem, std::size_t axis) {
    const std::size_t batches = problem.batches.size();
    return axis < batches ? fmt::format("batch {}", axis) : fmt::format("dimension {}", axis - batches);
}

void check_lengths(const Transform& problem) {
    check_rank(problem.dimensions.size(),
               problem.batches.size()); // without the problem's text, which would be long
    if (problem.dimensions.empty())
        reject(problem, "the transform has no dimensions", "give at least one length");
    for (std::size_t i = 0; i < problem.batches.size(); ++i)
        if (problem.batches[i].length < 1)
            reject(problem, fmt::format("count of batch {} is {}", i, problem.batches[i].length),
                   "counts are at least 1");
    for (std::size_t i = 0; i < problem.dimensions.size(); ++i)
        if (problem.dimensions[i].length < 1)
            reject(problem, fmt::format("length of dimension {} is {}", i, problem.dimensions[i].length),
                   "lengths are at least 1");
}

void check_data_type(const Transform& problem) {
    if (is_transform_type(problem.precision)) return;
    reject(problem, fmt::format("precision is {}", name_of(problem.precision)),
           is_complex(problem.precision)
               ? fmt::format("it is that of a component: for elements of {} use {}",
                             name_of(problem.precision), name_of(component_of(problem.precision)))
               : std::string("use float64, float32, float16 or bfloat16"));
}

void check_powers_of_two(const Transform& problem) {
    for (std::size_t i = 0; i < problem.dimensions.size(); ++i) {
        if (!is_wht(kind_along(problem, i))) continue;
        const auto length = static_cast<std::uint64_t>(problem.dimensions[i].length);
        if (std::has_single_bit(length)) continue;
        const std::uint64_t below = std::bit_floor(length);
        reject(
            problem, fmt::format("length of dimension {} is {}, which is not a power of two", i, length),
            fmt::format("a Walsh–Hadamard transform has a power of two, such as {} or {}", below, 2 * below));
    }
}

void check_kinds(const Transform& problem) {
    const std::vector<TransformKind>& kinds = problem.kinds;
    if (problem.kind != TransformKind::mixed) {
        if (!kinds.empty())
            reject(problem, fmt::format("kinds of dimensions are given for a {}", name_of(problem.kind)),
                   "leave them out, or use TransformKind::mixed");
        return;
    }
    if (kinds.size() != problem.dimensions.size())
        throw UserError("{} kinds for {} dimensions\n  give one kind for each dimension", kinds.size(),
                        problem.dimensions.size());
    for (std::size_t i = 0; i < kinds.size(); ++i)
        if (!is_real_to_real(kinds[i]))
            throw UserError(
                "the kind of dimension {} is {}\n  a mixed transform takes reals to as many reals: "
                "use wht, a dct, a dst, dht, r2hc or hc2r",
                i, name_of(kinds[i]));
    if (std::equal(kinds.begin() + 1, kinds.end(), kinds.begin()))
        throw UserError(
            "all kinds of a mixed transform are {0}\n  use TransformKind::{0}, or Transform::mixed",
            name_of(kinds[0]));
}

void check_lengths_of_dct1(const Transform& problem) {
    for (std::size_t i = 0; i < problem.dimensions.size(); ++i)
        if (kind_along(problem, i) == TransformKind::dct1 && problem.dimensions[i].length == 1)
            reject(problem, fmt::format("length of dimension {} is 1", i), "a dct1 has at least two points");
}

void check_kind(const Transform& problem) {
    const bool has_complex_side =
        has_complex_elements(problem, Side::input) || has_complex_elements(problem, Side::output);
    const std::string kind = kind_text(problem);
    if (!std::isfinite(problem.scale))
        reject(problem, fmt::format("scale is {}", problem.scale), "use a finite number");
    if (is_convolution(problem) && problem.direction == Direction::backward)
        reject(problem, fmt::format("{} has no direction", kind),
               "leave out 'backward'; to divide by a kernel's spectrum, give that of its inverse");
    if (!has_complex_side && problem.direction == Direction::backward)
        reject(problem, fmt::format("{} has no direction", kind),
               "leave out 'backward'; up to scale, wht, dht and types 1, 4, 5 and 8 are their own "
               "inverses, types 2 and 3, types 6 and 7, r2hc and hc2r each other's");
    if (!has_complex_side && problem.layout == ComplexLayout::planar)
        reject(problem, fmt::format("{} transforms real data, which has no complex layout", kind),
               "leave out 'planar'");
    if (has_formula(problem) && problem.direction == Direction::backward)
        reject(problem, "a formula has no direction",
               "leave out 'backward', or give it to the formula's transforms: DFT(8, backward)");
    if (!is_convolution(problem) && problem.spectrum != Sharing::shared)
        reject(problem, fmt::format("{} has no spectrum to be given at execution", kind),
               "leave out 'spectrum'; a convolution has one");
    if (problem.kind == TransformKind::real_dft && problem.layout == ComplexLayout::planar &&
        problem.placement == Placement::in_place)
        reject(problem, "an in-place rdft cannot be planar: its reals need one array, its spectrum two",
               "use the interleaved layout or an out-of-place transform");
}

void check_size(const Transform& problem, Side side) {
    const std::vector<Axis> loops = axes(problem, side);
    Integer size = element_bytes(problem, side);
    for (std::size_t i = 0; i < loops.size(); ++i) {
        const auto larger = checked_multiply(size, loops[i].length);
        if (!larger)
            reject(problem,
                   fmt::format("the {} has too many elements: their bytes do not fit in 64 bits",
                               side_name(side)),
                   fmt::format("the lengths and counts up to {} already exceed it", axis_name(problem, i)));
        size = *larger;
    }
}

/// Offsets stay within 2⁶¹ bytes each way, so that twice the span, plus one stride, fits in 64 bits.
void check_reach(const Transform& problem, Side side) {
    const Integer limit = (Integer{1} << 61) / element_bytes(problem, side);
    const std::vector<Axis> loops = axes(problem, side);
    Extent reach;
    for (std::size_t i = 0; i < loops.size(); ++i) {
        const auto distance = checked_multiply(loops[i].length - 1, loops[i].stride);
        Integer& end = loops[i].stride < 0 ? reach.lowest : reach.highest;
        const auto sum = distance ? checked_add(end, *distance) : std::nullopt;
        if (!sum || *sum > limit || *sum < -limit)
            reject(problem,
                   fmt::format("{} (length {}, stride {}) takes the {} beyond the reach of a 64-bit address",
                               axis_name(problem, i), loops[i].length, loops[i].stride, side_name(side)),
                   "use a smaller stride; offsets are at most 2^61 bytes");
        end = *sum;
    }
}

std::string element_name(const Transform& problem, const std::vector<Integer>& indices) {
    const auto first_dimension = indices.begin() + static_cast<std::ptrdiff_t>(problem.batches.size());
    std::string name = fmt::format("[{}]", fmt::join(first_dimension, indices.end(), ","));
    if (first_dimension != indices.begin())
        name += fmt::format(" of batch [{}]", fmt::join(indices.begin(), first_dimension, ","));
    return name;
}

/// "dimension 0 (stride 8) and dimension 1 (stride 3)": the axes along which the two elements differ.
std::string crossing_axes(const Transform& problem, const std::vector<Axis>& loops, const Overlap& overlap) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < loops.size(); ++i)
        if (overlap.first[i] != overlap.second[i])
            names.push_back(fmt::format("{} (length {}, stride {})", axis_name(problem, i), loops[i].length,
                                        loops[i].stride));
    return fmt::format("{}", fmt::join(names, " and "));
}

void check_output_is_disjoint(const Transform& problem) {
    std::vector<Axis> loops = axes(problem, Side::output);
    const std::vector<IndexRange> ranges = touched_ranges(problem, Side::output);
    for (std::size_t k = 0; k < loops.size(); ++k) loops[k].length = ranges[k].end - ranges[k].first;
    const OverlapResult result = find_overlap(loops);
    if (result.verdict == OverlapResult::Verdict::disjoint) return;
    if (!result.witness) {
        const bool certain = result.verdict == OverlapResult::Verdict::overlapping;
        reject(problem,
               certain ? "the output has more elements than distinct offsets: its strides overlap"
                       : "whether the output strides keep all elements apart could not be decided",
               "use strides, each beyond all elements of the smaller ones");
    }
    Integer offset = 0;
    for (std::size_t i = 0; i < loops.size(); ++i) offset += result.witness->first[i] * loops[i].stride;
    reject(problem,
           fmt::format("output elements {} and {} have the same offset, {}",
                       element_name(problem, result.witness->first),
                       element_name(problem, result.witness->second), offset),
           fmt::format("{} cross; use output strides that keep all elements apart",
                       crossing_axes(problem, loops, *result.witness)));
}

void check_in_place_strides(const Transform& problem) {
    const bool real = problem.kind == TransformKind::real_dft;
    const bool forward = problem.direction == Direction::forward;
    const std::vector<Axis> input = axes(problem, Side::input);
    const std::vector<Axis> output = axes(problem, Side::output);
    for (std::size_t i = 0; i < input.size(); ++i) {
        if (input[i].length == 1 && output[i].length == 1) continue;
        const Integer reals = forward ? input[i].stride : output[i].stride;
        const Integer spectrum = forward ? output[i].stride : input[i].stride;
        const bool is_row = i + 1 == input.size();
        if (real && !is_row && reals != 2 * spectrum)
            reject(
                problem,
                fmt::format("{} has stride {} for the reals and {} for the spectrum of an in-place rdft",
                            axis_name(problem, i), reals, spectrum),
                fmt::format("use {} for the reals (two to a complex element, rows padded to 2(n/2+1)), or an "
                            "out-of-place transform",
                            2 * spectrum));
        if ((!real || is_row) && reals != spectrum)
            reject(
                problem,
                fmt::format("{} has input stride {} and output stride {}", axis_name(problem, i),
                            input[i].stride, output[i].stride),
                "in place they must be the same; use strides=… for both sides, or an out-of-place transform");
    }
}

/// In place, a row of an rdft covers its reals and its spectrum; rows must not overlap.
void check_in_place_rows(const Transform& problem) {
    if (problem.kind != TransformKind::real_dft) return;
    const bool forward = problem.direction == Direction::forward;
    std::vector<Axis> written_axes = axes(problem, forward ? Side::output : Side::input);
    Axis row = written_axes.back();
    written_axes.pop_back();
    std::erase_if(written_axes, [](const Axis& axis) { return axis.length == 1; });
    for (Axis& axis : written_axes) axis.stride *= 2;
    // Element k of the spectrum is the pair of reals at 2k·stride. With stride ±1 these pairs cover the reals;
    // otherwise every real takes a pair of addresses.
    row.length = 2 * row.length - 1;
    if (row.stride == 1 || row.stride == -1)
        row.length += 1;
    else
        written_axes.push_back({2, 1});
    written_axes.push_back(row);
    if (find_overlap(written_axes).verdict != OverlapResult::Verdict::disjoint)
        reject(
            problem, "rows of the in-place rdft overlap",
            "keep rows 2(n/2+1) reals apart and elements of a row next to each other, or use an out-of-place "
            "transform");
}

} // namespace

void validate(const Transform& problem) {
    check_lengths(problem);
    check_kinds(problem);
    check_formula(problem);
    check_powers_of_two(problem);
    check_lengths_of_dct1(problem);
    check_data_type(problem);
    check_kind(problem);
    for (const Side side : {Side::input, Side::output}) {
        check_size(problem, side);
        check_reach(problem, side);
    }
    check_expressions(problem); // multiplies lengths: of arrays, and in conditions
    check_output_is_disjoint(problem);
    if (problem.placement == Placement::out_of_place) return;
    check_in_place_strides(problem);
    check_in_place_rows(problem);
}

void validate_for_cpu(const Transform& problem) {
    validate(problem);
    const DataType arithmetic =
        problem.precision == DataType::float64 ? DataType::float64 : DataType::float32;
    const auto check = [&](const std::string& what, DataType stored) {
        const bool is_known = stored == arithmetic || bytes_of(stored) == bytes_of(arithmetic) / 2;
        if (is_known) return;
        refuse_on_cpu(problem,
                      fmt::format("{} of {} with arithmetic in {} is for GPUs only", what, name_of(stored),
                                  name_of(arithmetic)),
                      fmt::format("use {} there, or a plan for a GPU (Options::device, --device gpu)",
                                  arithmetic == DataType::float64 ? "float64 or float32"
                                                                  : "float32, float16 or bfloat16"));
    };
    for (const Side side : {Side::input, Side::output})
        check(fmt::format("{} data", side_name(side)), stored_precision(problem, side));
    for (const AuxiliaryArray& array : arrays_of(problem))
        check(fmt::format("array {}", array.name), array.precision);
}

} // namespace swirl
