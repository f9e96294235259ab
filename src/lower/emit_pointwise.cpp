#include "lower/emit_pointwise.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace swirl::lower {

using Op = Pointwise::Op;

PointwiseEmitter::PointwiseEmitter(Context& context, const std::optional<Pointwise>& pointwise,
                                   const std::vector<Location>& places, const std::vector<Loop>& loops)
    : context_(context), pointwise_(pointwise), places_(places), looked_up_(places.size()) {
    for (std::size_t k = 0; k < places.size(); ++k) {
        if (!places[k].table) continue;
        for (const std::vector<Affine>& forms : places[k].forms) {
            looked_up_[k].emplace_back();
            for (const Affine& form : forms) {
                looked_up_[k].back().push_back(table_places_.size());
                table_places_.push_back({.re = form, .im = form, .diagonals = {}, .table = places[k].table});
            }
        }
    }
    if (!table_places_.empty()) tables_.emplace(context, table_places_, loops);
}

const std::vector<Affine>& PointwiseEmitter::forms_of(const Part& part) const {
    return places_[part.place].forms.at(part.part);
}

ir::Value PointwiseEmitter::integer(const Part& part, int form, Integer factor) {
    const auto at = static_cast<std::size_t>(form);
    ir::Builder& builder = context_.builder;
    const ir::Value affine = builder.index(factor * context_.placed(forms_of(part)[at]));
    if (looked_up_[part.place].empty()) return affine;
    const ir::Value dynamic = tables_->dynamic(looked_up_[part.place][part.part][at]);
    if (dynamic == ir::no_value) return affine;
    if (factor < 0) return builder.subtract(affine, dynamic);
    return builder.add(affine, factor == 2 ? builder.add(dynamic, dynamic) : dynamic);
}

std::vector<Pointwise::Condition> PointwiseEmitter::conditions_of(bool loading) const {
    std::vector<Pointwise::Condition> all = pointwise_->where;
    if (loading) all.insert(all.end(), pointwise_->needed.begin(), pointwise_->needed.end());
    return all;
}

namespace {

enum class Holds : std::uint8_t { always, never, unknown };

Holds holds(Op op, const Affine& form, const Extents& extents) {
    const auto [low, high] = bounds(form, extents);
    const auto of = [](bool always, bool never) {
        return always ? Holds::always : never ? Holds::never : Holds::unknown;
    };
    if (op == Op::form_negative) return of(high < 0, low >= 0);
    if (op == Op::form_nonnegative) return of(low >= 0, high < 0);
    return of(low == 0 && high == 0, low > 0 || high < 0);
}

} // namespace

PointwiseEmitter::Touch PointwiseEmitter::touch(const Part& part, bool loading) const {
    Touch result = Touch::always;
    for (const Pointwise::Condition& condition : conditions_of(loading)) {
        const Holds known =
            holds(condition.op, forms_of(part)[static_cast<std::size_t>(condition.form)], context_.extents());
        if (known == Holds::never) return Touch::never;
        if (known == Holds::unknown) result = Touch::sometimes;
    }
    return result;
}

ir::Value PointwiseEmitter::is_negative(ir::Value integer) {
    return context_.builder.less(integer, context_.builder.index(0));
}

ir::Value PointwiseEmitter::condition(const Part& part, bool loading) {
    ir::Builder& builder = context_.builder;
    ir::Value all = ir::no_value;
    for (const Pointwise::Condition& condition : conditions_of(loading)) {
        const Affine& form = forms_of(part)[static_cast<std::size_t>(condition.form)];
        if (holds(condition.op, form, context_.extents()) == Holds::always) continue;
        const auto add = [&](ir::Value one) {
            all = all == ir::no_value ? one : builder.select(all, one, all);
        };
        // form ≥ 0 is −1 − form < 0
        const auto is_nonnegative = [&] {
            return is_negative(builder.add(builder.index(-1), integer(part, condition.form, -1)));
        };
        if (condition.op == Op::form_negative) {
            add(is_negative(integer(part, condition.form, 1)));
            continue;
        }
        add(is_nonnegative());
        if (condition.op == Op::form_zero)
            add(is_negative(builder.add(builder.index(-1), integer(part, condition.form, 1))));
    }
    return all;
}

std::vector<ir::Condition> PointwiseEmitter::conditions(const Part& part, bool loading) {
    std::vector<ir::Condition> result;
    for (const Pointwise::Condition& condition : conditions_of(loading)) {
        const Affine& form = forms_of(part)[static_cast<std::size_t>(condition.form)];
        if (holds(condition.op, form, context_.extents()) == Holds::always) continue;
        using Relation = ir::Condition::Relation;
        result.push_back({context_.placed(form), condition.op == Op::form_negative ? Relation::negative
                                                 : condition.op == Op::form_nonnegative
                                                     ? Relation::nonnegative
                                                     : Relation::zero});
    }
    return result;
}

ir::Value PointwiseEmitter::number(long double value) {
    return context_.builder.constant({context_.request.scalar, 1}, value);
}

PointwiseEmitter::Number PointwiseEmitter::zero(bool complex) {
    return {number(0), complex ? number(0) : ir::no_value};
}

ir::Value PointwiseEmitter::as_real(ir::Value boolean) {
    return context_.builder.select(boolean, number(1), number(0));
}

PointwiseEmitter::Number PointwiseEmitter::element(const Pointwise::Node& node, const Part& part) {
    ir::Builder& builder = context_.builder;
    const CallersArray& array = context_.request.arrays[static_cast<std::size_t>(node.array)];
    const ir::Buffer buffer = context_.callers_array(static_cast<std::size_t>(node.array));
    const Integer scalars = array.is_complex ? 2 : 1;
    const Affine& form = forms_of(part)[static_cast<std::size_t>(node.form)];
    ir::Access access;
    if (!looked_up_[part.place].empty()) {
        access.dynamic =
            tables_->dynamic(looked_up_[part.place][part.part][static_cast<std::size_t>(node.form)]);
        if (access.dynamic != ir::no_value && scalars == 2)
            access.dynamic = builder.add(access.dynamic, access.dynamic);
    }
    const Affine index = scalars * context_.placed(form);
    if (!array.is_complex) return {builder.load(buffer, index, access), ir::no_value};
    access.lanes = access.active = 2;
    const ir::Value both = builder.load(buffer, index, access);
    return {builder.shuffle(both, both, {0}), builder.shuffle(both, both, {1})};
}

PointwiseEmitter::Number PointwiseEmitter::compared(const Pointwise::Node& node, const Part& part,
                                                    const std::vector<Number>& known) {
    ir::Builder& builder = context_.builder;
    const auto real = [&](std::size_t k) { return known[static_cast<std::size_t>(node.operands[k])].re; };
    const auto opposite = [&](ir::Value a) { return builder.subtract(number(1), a); };
    switch (node.op) {
    case Op::less: return {as_real(builder.less(real(0), real(1))), ir::no_value};
    case Op::less_equal: return {opposite(as_real(builder.less(real(1), real(0)))), ir::no_value};
    case Op::equal:
        return {builder.multiply(opposite(as_real(builder.less(real(1), real(0)))),
                                 opposite(as_real(builder.less(real(0), real(1))))),
                ir::no_value};
    case Op::both: return {builder.multiply(real(0), real(1)), ir::no_value};
    case Op::either: return {opposite(builder.multiply(opposite(real(0)), opposite(real(1)))), ir::no_value};
    case Op::opposite: return {opposite(real(0)), ir::no_value};
    default: break;
    }
    const Holds fixed =
        holds(node.op, forms_of(part)[static_cast<std::size_t>(node.form)], context_.extents());
    if (fixed != Holds::unknown) return {number(fixed == Holds::always ? 1 : 0), ir::no_value};
    const ir::Value below = as_real(is_negative(integer(part, node.form, 1)));
    if (node.op == Op::form_negative) return {below, ir::no_value};
    if (node.op == Op::form_nonnegative) return {opposite(below), ir::no_value};
    const ir::Value above = as_real(is_negative(integer(part, node.form, -1)));
    return {opposite(builder.add(below, above)), ir::no_value};
}

PointwiseEmitter::Number PointwiseEmitter::evaluate(const Pointwise::Node& node, const Part& part,
                                                    const Number& x, const std::vector<Number>& known) {
    ir::Builder& builder = context_.builder;
    const auto at = [&](std::size_t k) { return known[static_cast<std::size_t>(node.operands[k])]; };
    const auto none = ir::no_value;
    /// Of parts that either may lack.
    const auto sum = [&](ir::Value a, ir::Value b, bool minus) {
        if (a == none) return b == none || !minus ? b : builder.negate(b);
        if (b == none) return a;
        return minus ? builder.subtract(a, b) : builder.add(a, b);
    };
    const auto product = [&](ir::Value a, ir::Value b) {
        return a == none || b == none ? none : builder.multiply(a, b);
    };
    switch (node.op) {
    case Op::number: return {number(node.number), none};
    case Op::x: return x;
    case Op::form: return {builder.convert(integer(part, node.form, 1), context_.request.scalar), none};
    case Op::array: return element(node, part);
    case Op::add:
    case Op::subtract: {
        const bool minus = node.op == Op::subtract;
        return {sum(at(0).re, at(1).re, minus), sum(at(0).im, at(1).im, minus)};
    }
    case Op::multiply: {
        const Number a = at(0), b = at(1);
        return {sum(product(a.re, b.re), product(a.im, b.im), true),
                sum(product(a.re, b.im), product(a.im, b.re), false)};
    }
    case Op::negate: return {builder.negate(at(0).re), at(0).im == none ? none : builder.negate(at(0).im)};
    case Op::conj: return {at(0).re, at(0).im == none ? none : builder.negate(at(0).im)};
    case Op::re: return {at(0).re, none};
    case Op::im: return {at(0).im == none ? number(0) : at(0).im, none};
    case Op::complex: return {at(0).re, at(1).re};
    case Op::choose: {
        const ir::Value chooser = builder.less(number(0.5L), at(0).re);
        const Number a = at(1), b = at(2);
        const bool complex = a.im != none || b.im != none;
        const auto part_of = [&](ir::Value value) { return value == none ? number(0) : value; };
        return {builder.select(chooser, a.re, b.re),
                complex ? builder.select(chooser, part_of(a.im), part_of(b.im)) : none};
    }
    default: return compared(node, part, known);
    }
}

PointwiseEmitter::Number PointwiseEmitter::apply(const Part& part, const Number& x) {
    std::vector<Number> known;
    for (const Pointwise::Node& node : pointwise_->nodes) known.push_back(evaluate(node, part, x, known));
    Number result = known.back();
    if (x.im != ir::no_value && result.im == ir::no_value) result.im = number(0);
    return result;
}

} // namespace swirl::lower
