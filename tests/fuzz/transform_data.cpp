#include "fuzz/transform_data.hpp"

#include "base/error.hpp"
#include "problem/data_type.hpp"

#include <swirl/half.hpp>

#include <algorithm>

namespace swirl::fuzz {
namespace {

long double read(const std::byte* at, DataType precision) {
    switch (precision) {
    case DataType::float64: return *reinterpret_cast<const double*>(at);
    case DataType::float32: return *reinterpret_cast<const float*>(at);
    case DataType::float16: return static_cast<float>(*reinterpret_cast<const float16*>(at));
    case DataType::bfloat16: return static_cast<float>(*reinterpret_cast<const bfloat16*>(at));
    default: throw InternalError("a transform of {}", name_of(precision));
    }
}

void write(std::byte* at, DataType precision, long double value) {
    switch (precision) {
    case DataType::float64: *reinterpret_cast<double*>(at) = static_cast<double>(value); break;
    case DataType::float32: *reinterpret_cast<float*>(at) = static_cast<float>(value); break;
    case DataType::float16: *reinterpret_cast<float16*>(at) = float16(static_cast<float>(value)); break;
    case DataType::bfloat16: *reinterpret_cast<bfloat16*>(at) = bfloat16(static_cast<float>(value)); break;
    default: throw InternalError("a transform of {}", name_of(precision));
    }
}

struct Loop {
    Integer length, stride;
};

std::vector<Loop> loops_of(const Transform& problem, const TransformDefinition& transform, From side) {
    std::vector<Loop> loops;
    const auto stride = [&](const Dimension& axis) {
        return side == From::input ? axis.input_stride : axis.output_stride;
    };
    for (const Dimension& batch : problem.batches) loops.push_back({batch.length, stride(batch)});
    for (std::size_t d = 0; d < problem.dimensions.size(); ++d)
        loops.push_back({side == From::input ? transform.stored_input(d) : transform.stored_output(d),
                         stride(problem.dimensions[d])});
    return loops;
}

struct Reach {
    Integer lowest = 0, highest = 0; ///< elements from index 0
};

Reach reach_of(const std::vector<Loop>& loops) {
    Reach reach;
    for (const Loop& loop : loops)
        (loop.stride < 0 ? reach.lowest : reach.highest) += (loop.length - 1) * loop.stride;
    return reach;
}

} // namespace

TransformData::TransformData(const Transform& problem, Random& random, bool for_pairs)
    : problem_(problem), scalar_(bytes_of(problem.precision)) {
    transform_ = {problem.kind, problem.direction, {}, problem.kinds};
    for (const Dimension& dimension : problem.dimensions) transform_.lengths.push_back(dimension.length);
    const bool both = problem.kind == TransformKind::dft || problem.kind == TransformKind::convolution;
    const bool forward = problem.direction == Direction::forward;
    input_.is_complex = both || (problem.kind == TransformKind::real_dft && !forward);
    output_.is_complex = both || (problem.kind == TransformKind::real_dft && forward);

    const bool in_place = problem.placement == Placement::in_place;
    const bool planar = problem.layout == ComplexLayout::planar;
    const auto bytes = [&](From side) {
        const SideArrays& of = arrays_of(side);
        const Reach reach = reach_of(loops_of(problem_, transform_, side));
        const Integer element = scalar_ * (of.is_complex && !planar ? 2 : 1);
        return std::pair(reach.lowest * element, (reach.highest + 1) * element);
    };
    const auto make = [&](const char* name, std::pair<Integer, Integer> range) {
        const Integer unit = for_pairs ? 2 * scalar_ : scalar_;
        const Integer offset = random.chance(50) ? 0 : unit * random.integer(0, 64 / unit - 1);
        return std::make_shared<GuardedMemory>(name, range.first, range.second, offset,
                                               for_pairs ? GuardedMemory::Fence::none : draw_fence(random));
    };
    auto in = bytes(From::input), out = bytes(From::output);
    if (in_place) in = {std::min(in.first, out.first), std::max(in.second, out.second)};
    const char* const names[] = {in_place ? "data" : "input", "imaginary input", "output",
                                 "imaginary output"};
    input_.real = make(names[0], in);
    if (planar && input_.is_complex) input_.imaginary = make(names[1], in);
    if (in_place) {
        output_.real = input_.real;
        output_.imaginary = input_.imaginary;
        return;
    }
    output_.real = make(names[2], out);
    if (planar && output_.is_complex) output_.imaginary = make(names[3], out);
}

std::size_t TransformData::transforms() const {
    Integer count = 1;
    for (const Dimension& batch : problem_.batches) count *= batch.length;
    return static_cast<std::size_t>(count);
}

void TransformData::for_each_offset(From side, const std::function<void(Integer)>& f) const {
    const std::vector<Loop> loops = loops_of(problem_, transform_, side);
    std::vector<Integer> index(loops.size(), 0);
    Integer offset = 0;
    for (;;) {
        f(offset);
        std::size_t k = loops.size();
        for (; k > 0; --k) {
            offset += loops[k - 1].stride;
            if (++index[k - 1] < loops[k - 1].length) break;
            offset -= loops[k - 1].stride * loops[k - 1].length;
            index[k - 1] = 0;
        }
        if (k == 0) return;
    }
}

Values TransformData::elements(From side) const {
    const SideArrays& of = arrays_of(side);
    Values result;
    for_each_offset(side, [&](Integer offset) {
        const std::byte* const re =
            of.real->origin() + offset * scalar_ * (of.is_complex && !is_planar(side) ? 2 : 1);
        const std::byte* const im =
            is_planar(side) ? of.imaginary->origin() + offset * scalar_ : re + scalar_;
        result.emplace_back(read(re, problem_.precision),
                            of.is_complex ? read(im, problem_.precision) : 0.0L);
    });
    return result;
}

void TransformData::set(From side, const Values& values) {
    const SideArrays& of = arrays_of(side);
    std::size_t next = 0;
    for_each_offset(side, [&](Integer offset) {
        const Complex value = values[next++];
        std::byte* const re =
            of.real->origin() + offset * scalar_ * (of.is_complex && !is_planar(side) ? 2 : 1);
        write(re, problem_.precision, value.real());
        if (!of.is_complex) return;
        write(is_planar(side) ? of.imaginary->origin() + offset * scalar_ : re + scalar_, problem_.precision,
              value.imag());
    });
}

std::vector<GuardedMemory*> TransformData::arrays(From side) const {
    const SideArrays& of = arrays_of(side);
    std::vector<GuardedMemory*> result{of.real.get()};
    if (of.imaginary) result.push_back(of.imaginary.get());
    return result;
}

std::byte* TransformData::real(From side) const { return arrays_of(side).real->origin(); }
std::byte* TransformData::imaginary(From side) const {
    return is_planar(side) ? arrays_of(side).imaginary->origin() : nullptr;
}

void TransformData::save() {
    for (const From side : {From::input, From::output})
        for (GuardedMemory* array : arrays(side)) array->save();
}

void TransformData::allow(From side) {
    const SideArrays& of = arrays_of(side);
    const Integer bytes = scalar_ * (of.is_complex && !is_planar(side) ? 2 : 1);
    for_each_offset(side, [&](Integer offset) {
        for (GuardedMemory* array : arrays(side)) array->allow(offset * bytes, bytes);
    });
}

void TransformData::require_unharmed() {
    allow(From::output);
    // In place, the rest of the input is undefined: the last pair of a row of reals.
    if (problem_.placement == Placement::in_place) allow(From::input);
    for (const From side : {From::input, From::output})
        for (GuardedMemory* array : arrays(side)) array->require_unharmed();
}

} // namespace swirl::fuzz
