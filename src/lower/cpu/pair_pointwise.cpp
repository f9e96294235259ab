#include "lower/cpu/pair_pointwise.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <utility>

namespace swirl::lower {

using Op = Pointwise::Op;

bool has_form_in_pairs(const Pointwise& pointwise) {
    return pointwise.needed.empty() && pointwise.where.empty() && !pointwise.half;
}

template <class Of> ir::Value PairPointwise::shuffled(ir::Value a, ir::Value b, Of&& of) {
    std::vector<std::int8_t> map;
    for (int j = 0; j < width_; ++j) {
        const std::pair<int, int> lanes = of(j);
        map.push_back(static_cast<std::int8_t>(lanes.first));
        map.push_back(static_cast<std::int8_t>(lanes.second));
    }
    return context_.builder.shuffle(a, b, std::move(map));
}

ir::Value PairPointwise::repeated(ir::Value a, int component) {
    return shuffled(a, a, [&](int j) { return std::pair(2 * j + component, 2 * j + component); });
}

ir::Value PairPointwise::mixed(ir::Value re, ir::Value im) {
    return shuffled(re, im, [&](int j) { return std::pair(2 * j, type_.lanes + 2 * j + 1); });
}

ir::Value PairPointwise::constants(const std::vector<long double>& elements) {
    if (std::all_of(elements.begin(), elements.end(), [&](long double each) { return each == elements[0]; }))
        return reals_.constant(elements[0]);
    std::vector<long double> lanes;
    for (const long double each : elements) lanes.insert(lanes.end(), 2, each);
    lanes.resize(static_cast<std::size_t>(type_.lanes), 0);
    return context_.vector_constant(std::move(lanes));
}

ir::Value PairPointwise::as_complex(const PairValue& a) {
    return a.is_complex ? a.lanes.re : mixed(a.lanes.re, reals_.constant(0));
}

ir::Value PairPointwise::sum(const PairValue& a, const PairValue& b, bool minus) {
    ir::Builder& builder = context_.builder;
    const ir::Value x = a.lanes.re, y = b.lanes.re;
    const ir::Value all = minus ? builder.subtract(x, y) : builder.add(x, y);
    if (a.is_complex == b.is_complex) return all;
    if (a.is_complex) return mixed(all, x);
    return mixed(all, minus ? builder.negate(y) : y);
}

/// re(a)·b + im(a)·i·b
ir::Value PairPointwise::product(ir::Value a, ir::Value b) {
    ir::Builder& builder = context_.builder;
    const ir::Value straight = builder.multiply(repeated(a, 0), b);
    const ir::Value exchanged = shuffled(b, b, [](int j) { return std::pair(2 * j + 1, 2 * j); });
    const ir::Value crossed = builder.multiply(repeated(a, 1), exchanged);
    std::vector<long double> signs;
    for (int lane = 0; lane < type_.lanes; ++lane) signs.push_back(lane % 2 == 0 ? -1 : 1);
    return builder.fma(context_.vector_constant(std::move(signs)), crossed, straight);
}

PairPointwise::PairValue PairPointwise::evaluate(const Pointwise::Node& node, ir::Value x,
                                                 const std::vector<PairValue>& known,
                                                 const ElementForms& forms) {
    ir::Builder& builder = context_.builder;
    const auto at = [&](std::size_t k) { return known[static_cast<std::size_t>(node.operands[k])]; };
    const auto real = [](ir::Value value) { return PairValue{{value}, false}; };
    const auto complex = [](ir::Value value) { return PairValue{{value}, true}; };
    const bool has_complex = std::any_of(node.operands.begin(), node.operands.end(), [&](int k) {
        return known[static_cast<std::size_t>(k)].is_complex;
    });
    switch (node.op) {
    case Op::x: return complex(x);
    case Op::form: return real(real_form(node.form, forms));
    case Op::array:
        return {{element(node, forms)},
                context_.request.arrays[static_cast<std::size_t>(node.array)].is_complex};
    case Op::form_negative:
    case Op::form_nonnegative:
    case Op::form_zero: return real(compared(node, forms));
    case Op::complex: return complex(mixed(at(0).lanes.re, at(1).lanes.re));
    default: break;
    }
    if (!has_complex) {
        std::vector<PointwiseArithmetic::ComplexValue> reals;
        for (const PairValue& value : known) reals.push_back(value.lanes);
        return {reals_.evaluate(node, {}, reals, {}), false};
    }
    switch (node.op) {
    case Op::add: return complex(sum(at(0), at(1), false));
    case Op::subtract: return complex(sum(at(0), at(1), true));
    case Op::multiply:
        return complex(at(0).is_complex && at(1).is_complex
                           ? product(at(0).lanes.re, at(1).lanes.re)
                           : builder.multiply(at(0).lanes.re, at(1).lanes.re));
    case Op::divide: return complex(builder.divide(at(0).lanes.re, at(1).lanes.re));
    case Op::negate: return complex(builder.negate(at(0).lanes.re));
    case Op::conj: return complex(mixed(at(0).lanes.re, builder.negate(at(0).lanes.re)));
    case Op::re: return real(repeated(at(0).lanes.re, 0));
    case Op::im: return real(repeated(at(0).lanes.re, 1));
    case Op::choose: return {reals_.choose(at(0).lanes, {as_complex(at(1))}, {as_complex(at(2))}), true};
    default: throw InternalError("a function of a complex element");
    }
}

ir::Value PairPointwise::apply(ir::Value x, const ElementForms& forms) {
    const ir::Builder::StrictScope strict(context_.builder, true);
    std::vector<PairValue> known;
    for (const Pointwise::Node& node : pointwise_.nodes) known.push_back(evaluate(node, x, known, forms));
    return as_complex(known.back());
}

ir::Value PairPointwise::element(const Pointwise::Node& node, const ElementForms& forms) {
    const AuxiliaryArray& array = context_.request.arrays[static_cast<std::size_t>(node.array)];
    std::vector<Affine> indices;
    for (const std::vector<Affine>& own : forms) indices.push_back(own[static_cast<std::size_t>(node.form)]);
    return loaded(context_.auxiliary_buffer(static_cast<std::size_t>(node.array)), indices,
                  array.is_complex ? 2 : 1);
}

/// Elements of `scalars` scalars; a single scalar is in both lanes.
ir::Value PairPointwise::loaded(ir::Buffer buffer, const std::vector<Affine>& indices, Integer scalars) {
    ir::Builder& builder = context_.builder;
    const auto load = [&](const Affine& index, Integer stride, std::size_t active) {
        return builder.load(
            buffer, index, {.lanes = type_.lanes, .lane_stride = stride, .active = static_cast<int>(active)});
    };
    const Affine first = scalars * indices[0];
    const std::size_t count = indices.size();
    const Affine difference = count > 1 ? indices[1] - indices[0] : Affine(1);
    bool is_regular = difference.is_constant();
    for (std::size_t j = 1; is_regular && j < count; ++j)
        is_regular = indices[j] == indices[0] + static_cast<Integer>(j) * difference.constant();
    const Integer stride = is_regular ? difference.constant() : 0;
    if (is_regular && stride == 0 && scalars == 1)
        return builder.splat(builder.load(buffer, first), type_.lanes);
    if (is_regular && stride == 0)
        return shuffled(load(first, 1, 2), load(first, 1, 2), [](int) { return std::pair(0, 1); });
    if (is_regular && scalars == 1) {
        const ir::Value all = load(first, stride, count);
        return shuffled(all, all, [](int j) { return std::pair(j, j); });
    }
    if (is_regular && stride == 1) return load(first, 1, 2 * count);
    ir::Value all = ir::no_value;
    for (std::size_t j = 0; j < count; ++j) { // one element after the other
        const ir::Value one = load(scalars * indices[j], 1, static_cast<std::size_t>(scalars));
        const int second = scalars == 2 ? 1 : 0;
        const ir::Value before = all == ir::no_value ? one : all;
        all = shuffled(before, one, [&](int k) {
            return k == static_cast<int>(j) ? std::pair(type_.lanes, type_.lanes + second)
                                            : std::pair(2 * k, 2 * k + 1);
        });
    }
    return all;
}

/// A form as a real, exact below 2^24 or 2^53.
ir::Value PairPointwise::real_form(int form, const ElementForms& forms) {
    ir::Builder& builder = context_.builder;
    const auto at = static_cast<std::size_t>(form);
    Affine base = forms[0][at];
    if (base.is_constant()) base = 0;
    std::vector<long double> distances;
    for (const std::vector<Affine>& own : forms) {
        const Affine distance = own[at] - base;
        ensure(distance.is_constant(), "elements of a vector differ in more than their lane");
        distances.push_back(static_cast<long double>(distance.constant()));
    }
    if (base == Affine(0)) return constants(distances);
    const ir::Value first =
        builder.splat(builder.convert(builder.index(base), context_.request.loops.scalar), type_.lanes);
    const bool is_uniform =
        std::all_of(distances.begin(), distances.end(), [](long double each) { return each == 0; });
    return is_uniform ? first : builder.add(first, constants(distances));
}

/// Whether forms satisfy the condition, as reals.
ir::Value PairPointwise::compared(const Pointwise::Node& node, const ElementForms& forms) {
    const ir::Value form = real_form(node.form, forms), zero = reals_.constant(0);
    const ir::Builder::StrictScope foldable(context_.builder, false); // 0 and 1 have no special values
    const ir::Value below = reals_.as_real(context_.builder.less(form, zero));
    if (node.op == Op::form_negative) return below;
    if (node.op == Op::form_nonnegative) return reals_.opposite(below);
    const ir::Value above = reals_.as_real(context_.builder.less(zero, form));
    return reals_.opposite(context_.builder.add(below, above));
}

} // namespace swirl::lower
