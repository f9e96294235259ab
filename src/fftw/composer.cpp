#include "fftw/composer.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"
#include "problem/overlap.hpp"
#include "problem/validate.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace swirl::fftw {
namespace {

/// Row-major strides of contiguous data. Throws UserError if the number of its elements does not fit.
std::vector<Integer> contiguous_strides(const std::vector<Integer>& lengths, Integer& elements) {
    std::vector<Integer> strides(lengths.size());
    elements = 1;
    for (std::size_t i = lengths.size(); i-- > 0;) {
        strides[i] = elements;
        const auto larger = checked_multiply(elements, lengths[i]);
        if (!larger) throw UserError("the data have more elements than fit in 64 bits");
        elements = *larger;
    }
    return strides;
}

bool is_valid(const Transform& transform) {
    try {
        validate(transform);
        return true;
    } catch (const UserError&) {
        return false;
    }
}

/// The pointer of a place in the arrays; none in scratch memory.
std::optional<std::uintptr_t> address_of(const Arrays& arrays, const Place& place) {
    const auto offset = static_cast<std::uintptr_t>(place.offset);
    switch (place.memory) {
    case Memory::input_real: return reinterpret_cast<std::uintptr_t>(arrays.input_real) + offset;
    case Memory::input_imaginary: return reinterpret_cast<std::uintptr_t>(arrays.input_imaginary) + offset;
    case Memory::output_real: return reinterpret_cast<std::uintptr_t>(arrays.output_real) + offset;
    case Memory::output_imaginary: return reinterpret_cast<std::uintptr_t>(arrays.output_imaginary) + offset;
    case Memory::scratch: break;
    }
    return std::nullopt;
}

/// How many arrays hold the components of a side.
std::size_t arrays_of_side(const Transform& transform, Side side) {
    return is_complex(transform, side) && transform.layout == ComplexLayout::planar ? 2 : 1;
}

/// Whether every byte of one side lies before every byte of the other. The transform must be valid.
bool is_apart(const Transform& transform, std::uintptr_t input, std::uintptr_t output) {
    const auto bounds = [&](Side side, std::uintptr_t base) {
        const Extent reach = extent(transform, side);
        const Integer bytes = element_bytes(transform, side);
        return std::pair(base + static_cast<std::uintptr_t>(reach.lowest * bytes),
                         base + static_cast<std::uintptr_t>((reach.highest + 1) * bytes));
    };
    const auto [first_input, last_input] = bounds(Side::input, input);
    const auto [first_output, last_output] = bounds(Side::output, output);
    return last_input <= first_output || last_output <= first_input;
}

} // namespace

Place Composer::take_scratch(Integer reals) {
    const auto bytes = checked_multiply(reals, real_bytes());
    const auto end =
        bytes ? checked_add(static_cast<Integer>(sequence_.scratch_bytes), *bytes) : std::nullopt;
    const auto rounded = end ? checked_add(*end, scratch_alignment - 1) : std::nullopt;
    if (!rounded) throw UserError("the data have more bytes than fit in 64 bits");
    const Place place{Memory::scratch, static_cast<Integer>(sequence_.scratch_bytes)};
    sequence_.scratch_bytes = static_cast<std::size_t>(*rounded / scratch_alignment * scratch_alignment);
    return place;
}

View Composer::scratch(const std::vector<Integer>& lengths) {
    Integer elements = 0;
    View view{.strides = contiguous_strides(lengths, elements)};
    view.places[0] = take_scratch(elements);
    return view;
}

View Composer::complex_scratch(const std::vector<Integer>& lengths, ComplexLayout layout) {
    Integer elements = 0;
    View view{.strides = contiguous_strides(lengths, elements)};
    view.places[0] = take_scratch(elements);
    view.places[1] = take_scratch(elements);
    if (layout == ComplexLayout::interleaved) view.places[1] = {};
    return view;
}

Transform Composer::transform(TransformKind kind, const std::vector<Integer>& lengths,
                              std::span<const std::size_t> along, const View& from, const View& to) const {
    Transform result;
    result.kind = kind;
    result.precision = precision_;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const Dimension axis{lengths[i], from.strides[i], to.strides[i]};
        const bool is_dimension = std::find(along.begin(), along.end(), i) != along.end();
        if (is_dimension)
            result.dimensions.push_back(axis);
        else if (axis.length != 1)
            result.batches.push_back(axis);
    }
    if (result.dimensions.empty()) result.dimensions.push_back({});
    return result;
}

Transform Composer::identity(const std::vector<Integer>& lengths, const View& from, const View& to) const {
    Transform result = transform(TransformKind::real_formula, lengths, {}, from, to);
    result.matrix = MatrixFormula("I(1)");
    return result;
}

void Composer::copy_complex(const std::vector<Integer>& lengths, ComplexLayout layout, const View& from,
                            const View& to) {
    Transform identity = transform(TransformKind::dft, lengths, {}, from, to); // of one point
    identity.layout = layout;
    append(std::move(identity), from, to);
}

bool Composer::are_one_array(const Transform& transform, const View& from, const View& to) const {
    const std::size_t count = arrays_of_side(transform, Side::input);
    if (count != arrays_of_side(transform, Side::output)) return false;
    for (std::size_t i = 0; i < count; ++i)
        if (address_of(arrays_, from.places[i]) != address_of(arrays_, to.places[i])) return false;
    return true;
}

bool Composer::overlap(const Transform& transform, const View& from, const View& to) const {
    for (std::size_t i = 0; i < arrays_of_side(transform, Side::input); ++i)
        for (std::size_t k = 0; k < arrays_of_side(transform, Side::output); ++k) {
            const auto input = address_of(arrays_, from.places[i]),
                       output = address_of(arrays_, to.places[k]);
            if (!input || !output || is_apart(transform, *input, *output)) continue;
            if (share_a_byte({axes(transform, Side::input), element_bytes(transform, Side::input)},
                             reinterpret_cast<const void*>(*input),
                             {axes(transform, Side::output), element_bytes(transform, Side::output)},
                             reinterpret_cast<const void*>(*output)))
                return true;
        }
    return false;
}

void Composer::append_any(Transform transform, const std::vector<Integer>& lengths,
                          std::span<const std::size_t> along, const View& from, const View& to) {
    if (are_one_array(transform, from, to)) {
        transform.placement = Placement::in_place;
        if (is_valid(transform)) return append(std::move(transform), from, to);
        transform.placement = Placement::out_of_place;
    } else {
        validate(transform);
        if (!overlap(transform, from, to)) return append(std::move(transform), from, to);
    }
    std::vector<Integer> stored = lengths;
    const bool writes_complex = is_complex(transform, Side::output);
    if (transform.kind == TransformKind::real_dft && writes_complex && !along.empty())
        stored[along.back()] = stored[along.back()] / 2 + 1;
    const View between = writes_complex ? complex_scratch(stored, transform.layout) : scratch(stored);
    Transform into_scratch = this->transform(transform.kind, lengths, along, from, between);
    into_scratch.layout = transform.layout;
    into_scratch.direction = transform.direction;
    into_scratch.matrix = transform.matrix;
    into_scratch.kinds = transform.kinds;
    append(std::move(into_scratch), from, between);
    if (writes_complex)
        copy_complex(stored, transform.layout, between, to);
    else
        append(identity(stored, between, to), between, to);
}

std::vector<Integer> lengths_of(const GuruProblem& problem) {
    std::vector<Integer> lengths;
    for (const auto* axes : {&problem.dimensions, &problem.loops})
        for (const GuruAxis& axis : *axes) lengths.push_back(axis.length);
    return lengths;
}

} // namespace swirl::fftw
