#include "plan/transform/arguments.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <limits>

namespace swirl::planning {

Elements touched_elements(const Transform& problem, Side side) {
    Elements result{axes(problem, side), element_bytes(problem, side)};
    const std::vector<IndexRange> ranges = touched_ranges(problem, side);
    for (std::size_t k = 0; k < ranges.size(); ++k) {
        result.first += ranges[k].first * result.axes[k].stride * result.bytes;
        result.axes[k].length = std::max<Integer>(ranges[k].end - ranges[k].first, 1);
    }
    return result;
}

ArgumentCheck::ArgumentCheck(const Transform& problem)
    : planar_input_(problem.layout == ComplexLayout::planar && is_complex(problem, Side::input)),
      planar_output_(problem.layout == ComplexLayout::planar && is_complex(problem, Side::output)),
      in_place_(problem.placement == Placement::in_place),
      alignment_(static_cast<std::size_t>(std::min(bytes_of(stored_precision(problem, Side::input)),
                                                   bytes_of(stored_precision(problem, Side::output))))),
      arrays_(arrays_of(problem)),
      layout_(problem.layout) {
    const auto range = [&](Side side) {
        const Extent reach = touched_extent(problem, side);
        const Integer bytes = element_bytes(problem, side);
        return Range{reach.lowest * bytes, (reach.highest + 1) * bytes};
    };
    input_ = range(Side::input);
    output_ = range(Side::output);
    for (const Side side : {Side::input, Side::output})
        elements_[static_cast<std::size_t>(side)] = touched_elements(problem, side);
    has_more_ = planar_input_ || planar_output_ || !arrays_.empty();
    for (const AuxiliaryArray& array : arrays_) {
        const bool separate = array.is_complex && layout_ == ComplexLayout::planar;
        const Integer components = array.is_complex && !separate ? 2 : 1;
        array_bytes_.push_back({components * array.elements * bytes_of(array.precision),
                                static_cast<std::uintptr_t>(bytes_of(array.precision)), separate});
    }
    const auto nearest = in_place_ ? 1 : static_cast<std::uintptr_t>(input_.low - output_.high + 1);
    const auto forbidden = in_place_ ? std::numeric_limits<std::uintptr_t>::max()
                                     : static_cast<std::uintptr_t>(input_.high - output_.low) - nearest;
    pointers_ = PointerCheck(alignment_, nearest, forbidden);
}

void ArgumentCheck::check_pointer(const char* name, const void* pointer) const {
    if (!pointer) throw UserError("{} is null; it must point at the element of index 0", name);
    if (reinterpret_cast<std::uintptr_t>(pointer) % alignment_ != 0)
        throw UserError("{} = {} is not aligned to its elements; use a multiple of {} bytes", name, pointer,
                        alignment_);
}

bool ArgumentCheck::are_disjoint(const void* a, const Range& a_range, const void* b, const Range& b_range) {
    const auto start = reinterpret_cast<std::intptr_t>(a), other = reinterpret_cast<std::intptr_t>(b);
    return start + a_range.high <= other + b_range.low || other + b_range.high <= start + a_range.low;
}

void ArgumentCheck::check_disjoint(const char* a_name, const void* a, Side a_side, const char* b_name,
                                   const void* b, Side b_side) const {
    if (are_disjoint(a, range_of(a_side), b, range_of(b_side))) return;
    if (!share_a_byte(elements_[static_cast<std::size_t>(a_side)], a,
                      elements_[static_cast<std::size_t>(b_side)], b))
        return;
    throw UserError(
        "{} = {} and {} = {} overlap: they share elements; an out-of-place plan "
        "needs them apart (or plan it in place)",
        a_name, a, b_name, b);
}

void ArgumentCheck::require_disjoint(const void* workspace, std::size_t bytes, const Arguments& call) const {
    const auto start = reinterpret_cast<std::intptr_t>(workspace);
    const auto end = start + static_cast<std::intptr_t>(bytes);
    const auto require = [&](const char* name, const void* array, const Range& range) {
        const auto first = reinterpret_cast<std::intptr_t>(array) + range.low;
        const auto last = reinterpret_cast<std::intptr_t>(array) + range.high;
        if (bytes > 0 && start < last && first < end)
            throw UserError("workspace = {} of {} bytes and {} = {} overlap; use memory outside the data",
                            workspace, bytes, name, array);
    };
    require("input", call.input, input_);
    require("output", call.output, output_);
    if (planar_input_) require("imaginary input", call.input_imaginary, input_);
    if (planar_output_) require("imaginary output", call.output_imaginary, output_);
    for (const Named& array : arrays_of_call(call)) require(array.name.c_str(), array.pointer, array.range);
}

std::vector<ArgumentCheck::Named> ArgumentCheck::arrays_of_call(const Arguments& call) const {
    std::vector<Named> result;
    for (std::size_t k = 0; k < call.arrays.size() && k < arrays_.size(); ++k) {
        const Range range{0, array_bytes_[k].all};
        result.push_back({"array " + arrays_[k].name, call.arrays[k].data, range});
        if (array_bytes_[k].separate)
            result.push_back({"imaginary array " + arrays_[k].name, call.arrays[k].imaginary, range});
    }
    return result;
}

bool ArgumentCheck::admits_imaginary(const Arguments& call) const {
    if (!planar_input_ && !planar_output_) return true;
    const auto is_right = [&](const void* pointer) {
        return pointer != nullptr && (reinterpret_cast<std::uintptr_t>(pointer) & (alignment_ - 1)) == 0;
    };
    if (planar_input_ && !is_right(call.input_imaginary)) return false;
    if (planar_output_ && !is_right(call.output_imaginary)) return false;
    if (planar_output_ && !are_disjoint(call.output, output_, call.output_imaginary, output_)) return false;
    if (in_place_) return !planar_input_ || !planar_output_ || call.input_imaginary == call.output_imaginary;
    const auto is_apart_from_input = [&](const void* output) {
        return are_disjoint(call.input, input_, output, output_) &&
               (!planar_input_ || are_disjoint(call.input_imaginary, input_, output, output_));
    };
    return is_apart_from_input(call.output) &&
           (!planar_output_ || is_apart_from_input(call.output_imaginary));
}

bool ArgumentCheck::admits_arrays(const Arguments& call) const {
    if (call.arrays.size() < arrays_.size()) return false;
    for (std::size_t k = 0; k < array_bytes_.size(); ++k) {
        const ArrayBytes& bytes = array_bytes_[k];
        const auto is_right = [&](const void* array) {
            const auto is_apart = [&](const void* output) {
                return are_disjoint(array, {0, bytes.all}, output, output_);
            };
            return array != nullptr && (reinterpret_cast<std::uintptr_t>(array) & (bytes.scalar - 1)) == 0 &&
                   is_apart(call.output) && (!planar_output_ || is_apart(call.output_imaginary));
        };
        if (!is_right(call.arrays[k].data)) return false;
        if (bytes.separate && !is_right(call.arrays[k].imaginary)) return false;
    }
    return true;
}

std::vector<ArgumentCheck::Named> ArgumentCheck::outputs_of_call(const Arguments& call) const {
    const Elements& elements = elements_[static_cast<std::size_t>(Side::output)];
    std::vector<Named> result{{"output", call.output, output_, elements}};
    if (planar_output_) result.push_back({"imaginary output", call.output_imaginary, output_, elements});
    return result;
}

void ArgumentCheck::check_arrays(const Arguments& call) const {
    if (admits_arrays(call)) return;
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
        const AuxiliaryArray& array = arrays_[k];
        if (k >= call.arrays.size() || call.arrays[k].data == nullptr)
            throw UserError("array {} is missing; the plan reads {} {} elements of it", array.name,
                            array.elements, array.is_complex ? "complex" : "real");
        if (array_bytes_[k].separate && call.arrays[k].imaginary == nullptr)
            throw UserError("array {} has no imaginary components; the plan is planar and needs them",
                            array.name);
        const std::uintptr_t bytes = array_bytes_[k].scalar;
        for (const void* pointer : {call.arrays[k].data, call.arrays[k].imaginary})
            if (reinterpret_cast<std::uintptr_t>(pointer) % bytes != 0)
                throw UserError("array {} = {} is not aligned to its elements; use a multiple of {} bytes",
                                array.name, pointer, bytes);
    }
    for (const Named& array : arrays_of_call(call))
        for (const Named& output : outputs_of_call(call)) {
            if (are_disjoint(array.pointer, array.range, output.pointer, output.range)) continue;
            const Elements bytes{{{array.range.high, 1}}, 1};
            if (!share_a_byte(bytes, array.pointer, output.elements, output.pointer)) continue;
            throw UserError(
                "{} = {} and {} = {} overlap; auxiliary arrays must not overlap "
                "what is written",
                array.name, array.pointer, output.name, output.pointer);
        }
}

void ArgumentCheck::explain(const Arguments& call) const {
    check_pointer("input", call.input);
    check_pointer("output", call.output);
    if (planar_input_) check_pointer("imaginary input", call.input_imaginary);
    if (planar_output_) check_pointer("imaginary output", call.output_imaginary);
    if (in_place_) {
        if (call.input != call.output)
            throw UserError("input = {} differs from output = {}; an in-place plan needs one pointer",
                            call.input, call.output);
        if (planar_input_ && planar_output_ && call.input_imaginary != call.output_imaginary)
            throw UserError(
                "imaginary input = {} differs from imaginary output = {}; an in-place plan needs one pointer",
                call.input_imaginary, call.output_imaginary);
    } else {
        check_disjoint("input", call.input, Side::input, "output", call.output, Side::output);
        if (planar_input_)
            check_disjoint("imaginary input", call.input_imaginary, Side::input, "output", call.output,
                           Side::output);
        if (planar_output_)
            check_disjoint("input", call.input, Side::input, "imaginary output", call.output_imaginary,
                           Side::output);
        if (planar_input_ && planar_output_)
            check_disjoint("imaginary input", call.input_imaginary, Side::input, "imaginary output",
                           call.output_imaginary, Side::output);
    }
    if (planar_output_)
        check_disjoint("output", call.output, Side::output, "imaginary output", call.output_imaginary,
                       Side::output);
    check_arrays(call);
}

} // namespace swirl::planning
