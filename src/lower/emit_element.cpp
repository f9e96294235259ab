#include "lower/emit_element.hpp"

#include <algorithm>
#include <map>

namespace swirl::lower {

bool is_at_even_offset(const Array& array, const Affine& form) {
    const auto& terms = form.terms();
    return form.constant() % 2 == 0 && array.pitch % 2 == 0 &&
           std::all_of(terms.begin(), terms.end(),
                       [](const Affine::Term& term) { return term.coefficient % 2 == 0; });
}

bool is_one_access(const Context& context, const Memory& memory, const Location& location) {
    if (!context.request.loops.for_gpu || location.im != location.re + 1) return false;
    const Array& array = context.loops.arrays[static_cast<std::size_t>(memory.array)];
    return array.kind == Memory::Kind::interleaved || is_at_even_offset(array, location.re);
}

PairsOfReals pairs_of_reals(const Context& context, const Memory& memory,
                            const std::vector<Location>& locations, bool complex) {
    PairsOfReals pairs(locations.size());
    for (std::size_t k = 0; k < locations.size(); ++k) pairs[k] = k;
    const bool pointwise = !locations.empty() && !locations.front().forms.empty();
    if (!context.request.loops.for_gpu || complex || pointwise) return pairs;
    const Array& array = context.loops.arrays[static_cast<std::size_t>(memory.array)];
    std::map<Affine, std::size_t> seconds;
    for (std::size_t k = 0; k < locations.size(); ++k)
        if (!locations[k].table) seconds[locations[k].re - 1] = k;
    for (std::size_t k = 0; k < locations.size(); ++k) {
        const auto second = seconds.find(locations[k].re);
        if (second == seconds.end() || locations[k].table || !is_at_even_offset(array, locations[k].re))
            continue;
        pairs[k] = second->second;
        pairs[second->second].reset();
    }
    return pairs;
}

namespace {

/// Whether the array has a scalar after the real component of every entry, also of those with no imaginary component.
bool has_both_components(const Context& context, const Memory& memory, const Location& location) {
    const Array& array = context.loops.arrays[static_cast<std::size_t>(memory.array)];
    return array.kind == Memory::Kind::interleaved ||
           loops::bounds(location.re, context.extents()).second + 1 < array.first + array.elements;
}

} // namespace

Scaled load_if_present(Context& context, const Memory& memory, const Location& location,
                       const Location& instead, bool complex) {
    if (location.is_nowhere()) return {};
    ir::Builder& builder = context.builder;
    const Buffers buffers = context.buffers_of(memory);
    const auto is_negative = [&](const Affine& form) {
        return builder.less(builder.index(context.placed(form)), builder.index(0));
    };
    const auto index = [&](const Affine& form) { return builder.index(context.placed(memory, form)); };
    const ir::Value chooser = location.limit ? is_negative(*location.limit) : ir::no_value;
    const auto read = [&](ir::Buffer buffer, const Affine& own, const Affine& other, int lanes) {
        if (!location.limit || own == other)
            return builder.load(buffer, context.placed(memory, own), {.lanes = lanes, .active = lanes});
        const ir::Value at = builder.select(chooser, index(own), index(other));
        return builder.load(buffer, 0, {.lanes = lanes, .active = lanes, .dynamic = at});
    };
    const auto chosen = [&](ir::Value value, bool negative) {
        if (!location.limit) return Real{value, negative};
        return Real{builder.select(chooser, value, builder.constant(builder.type(value), 0)), negative};
    };
    const ir::Value is_pair =
        location.im_limit && !location.is_real() ? is_negative(*location.im_limit) : ir::no_value;
    const auto zero_like = [&](ir::Value value) { return builder.constant(builder.type(value), 0); };
    /// The imaginary component only of a pair, and a pair times its factor.
    const auto of_half_spectrum = [&](Scaled value) {
        if (is_pair == ir::no_value) return value;
        value.im.value = builder.select(is_pair, value.im.value, zero_like(value.im.value));
        if (location.pair_factor == 1) return value;
        const ir::Type type = builder.type(value.re.value);
        const ir::Value factor = builder.constant(type, location.pair_factor);
        value.re.value =
            builder.multiply(value.re.value, builder.select(is_pair, factor, builder.constant(type, 1)));
        value.im.value = builder.multiply(value.im.value, factor);
        return value;
    };
    const bool is_together = is_one_access(context, memory, location) &&
                             (!location.im_limit || has_both_components(context, memory, location));
    if (complex && is_together && is_one_access(context, memory, instead)) {
        const ir::Value both = read(buffers.re, location.re, instead.re, 2);
        return of_half_spectrum({chosen(builder.shuffle(both, both, {0}), location.re_negative),
                                 chosen(builder.shuffle(both, both, {1}), location.im_negative)});
    }
    Scaled value;
    value.re = chosen(read(buffers.re, location.re, instead.re, 1), location.re_negative);
    if (!complex || location.is_real()) return value;
    if (!location.im_limit) {
        const Affine& other = instead.im_limit ? instead.re : instead.im; // which always exists
        value.im = chosen(read(buffers.im, location.im, other, 1), location.im_negative);
        return value;
    }
    ir::Value at = builder.select(is_pair, index(location.im), index(location.re));
    if (location.limit) at = builder.select(chooser, at, index(instead.re));
    value.im = chosen(builder.load(buffers.im, 0, {.dynamic = at}), location.im_negative);
    return of_half_spectrum(value);
}

void store_if_present(Context& context, const Memory& memory, const Location& location, ir::Value re,
                      ir::Value im) {
    ir::Builder& builder = context.builder;
    const Buffers buffers = context.buffers_of(memory);
    const auto where = [&](const std::optional<Affine>& limit, auto&& store) {
        if (!limit) return store();
        builder.if_then({{context.placed(*limit), ir::Condition::Relation::negative}}, store);
    };
    where(location.limit, [&] {
        const auto store_real = [&] { builder.store(buffers.re, context.placed(memory, location.re), re); };
        const auto store_both = [&] {
            builder.store(buffers.re, context.placed(memory, location.re), builder.shuffle(re, im, {0, 1}),
                          {.active = 2});
        };
        if (is_one_access(context, memory, location)) {
            if (!location.im_limit) return store_both();
            return builder.if_then({{context.placed(*location.im_limit), ir::Condition::Relation::negative}},
                                   store_both, store_real);
        }
        store_real();
        if (location.is_real()) return;
        where(location.im_limit, [&] { builder.store(buffers.im, context.placed(memory, location.im), im); });
    });
}

} // namespace swirl::lower
