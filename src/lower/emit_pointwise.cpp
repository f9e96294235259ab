#include "lower/emit_pointwise.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace swirl::lower {

using Op = Pointwise::Op;

PointwiseEmitter::PointwiseEmitter(Context& context, const std::optional<Pointwise>& pointwise,
                                   const std::vector<Location>& locations, const std::vector<Loop>& loops)
    : context_(context),
      pointwise_(pointwise),
      locations_(locations),
      arithmetic_(context.builder, {context.request.loops.scalar, 1}),
      looked_up_(locations.size()) {
    for (std::size_t k = 0; k < locations.size(); ++k) {
        if (!locations[k].table) continue;
        for (const std::vector<Affine>& forms : locations[k].forms) {
            looked_up_[k].emplace_back();
            for (const Affine& form : forms) {
                looked_up_[k].back().push_back(table_places_.size());
                table_places_.push_back(
                    {.re = form, .im = form, .diagonals = {}, .table = locations[k].table});
            }
        }
    }
    if (!table_places_.empty()) tables_.emplace(context, table_places_, loops);
}

const std::vector<Affine>& PointwiseEmitter::forms_of(const Component& component) const {
    return locations_[component.location].forms.at(component.component);
}

ir::Value PointwiseEmitter::integer(const Component& component, int form, Integer factor) {
    const auto at = static_cast<std::size_t>(form);
    ir::Builder& builder = context_.builder;
    const ir::Value affine = builder.index(factor * context_.placed(forms_of(component)[at]));
    if (looked_up_[component.location].empty()) return affine;
    const ir::Value dynamic = tables_->dynamic(looked_up_[component.location][component.component][at]);
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

PointwiseEmitter::Touch PointwiseEmitter::touch(const Component& component, bool loading) const {
    Touch result = Touch::always;
    for (const Pointwise::Condition& condition : conditions_of(loading)) {
        const Holds known = holds(condition.op, forms_of(component)[static_cast<std::size_t>(condition.form)],
                                  context_.extents());
        if (known == Holds::never) return Touch::never;
        if (known == Holds::unknown) result = Touch::sometimes;
    }
    return result;
}

ir::Value PointwiseEmitter::is_negative(ir::Value integer) {
    return context_.builder.less(integer, context_.builder.index(0));
}

ir::Value PointwiseEmitter::condition(const Component& component, bool loading) {
    ir::Builder& builder = context_.builder;
    ir::Value all = ir::no_value;
    for (const Pointwise::Condition& condition : conditions_of(loading)) {
        const Affine& form = forms_of(component)[static_cast<std::size_t>(condition.form)];
        if (holds(condition.op, form, context_.extents()) == Holds::always) continue;
        const auto add = [&](ir::Value one) {
            all = all == ir::no_value ? one : builder.select(all, one, all);
        };
        // form ≥ 0 is −1 − form < 0
        const auto is_nonnegative = [&] {
            return is_negative(builder.add(builder.index(-1), integer(component, condition.form, -1)));
        };
        if (condition.op == Op::form_negative) {
            add(is_negative(integer(component, condition.form, 1)));
            continue;
        }
        add(is_nonnegative());
        if (condition.op == Op::form_zero)
            add(is_negative(builder.add(builder.index(-1), integer(component, condition.form, 1))));
    }
    return all;
}

std::vector<ir::Condition> PointwiseEmitter::conditions(const Component& component, bool loading) {
    std::vector<ir::Condition> result;
    for (const Pointwise::Condition& condition : conditions_of(loading)) {
        const auto at = static_cast<std::size_t>(condition.form);
        const Affine& form = forms_of(component)[at];
        if (holds(condition.op, form, context_.extents()) == Holds::always) continue;
        using Relation = ir::Condition::Relation;
        const Relation relation = condition.op == Op::form_negative      ? Relation::negative
                                  : condition.op == Op::form_nonnegative ? Relation::nonnegative
                                                                         : Relation::zero;
        const bool is_looked_up = !looked_up_[component.location].empty();
        if (is_looked_up &&
            tables_->dynamic(looked_up_[component.location][component.component][at]) != ir::no_value)
            throw UserError(
                "the schedule locates results by an index table, but the store expression omits some "
                "out by their index\n  use 'bluestein' in place of 'rader'");
        result.push_back({context_.placed(form), relation});
    }
    return result;
}

/// A form as a real, exact below 2^24 or 2^53. On a CPU lanes differ in it.
ir::Value PointwiseEmitter::real_form(const Component& component, int form) {
    ir::Builder& builder = context_.builder;
    if (context_.request.loops.for_gpu)
        return builder.convert(integer(component, form, 1), context_.request.loops.scalar);
    Affine base = context_.placed(forms_of(component)[static_cast<std::size_t>(form)]);
    const Integer stride = lane_ ? base.coefficient(*lane_) : 0;
    if (stride != 0) base = base.substitute(*lane_, 0);
    const ir::Value first = base.is_constant()
                                ? arithmetic_.constant(static_cast<long double>(base.constant()))
                                : builder.convert(builder.index(base), context_.request.loops.scalar);
    if (stride == 0) return first;
    const Context::TableLocation multiples = context_.multiples_of(stride);
    const ir::Value rest = builder.load(multiples.buffer, Affine::of(*lane_) + multiples.first);
    return base == Affine(0) ? rest : builder.add(first, rest);
}

ir::Value PointwiseEmitter::is_form_negative(const Component& component, int form) {
    if (context_.request.loops.for_gpu) return is_negative(integer(component, form, 1));
    return context_.builder.less(real_form(component, form), arithmetic_.constant(0));
}

ir::Value PointwiseEmitter::is_form_positive(const Component& component, int form) {
    if (context_.request.loops.for_gpu) return is_negative(integer(component, form, -1));
    return context_.builder.less(arithmetic_.constant(0), real_form(component, form));
}

PointwiseEmitter::ComplexValue PointwiseEmitter::masked(const Component& component, ComplexValue value) {
    const ComplexValue zero = arithmetic_.zero(value.im != ir::no_value);
    const auto choose = [&](ir::Value test, const ComplexValue& yes, const ComplexValue& no) {
        ir::Builder& builder = context_.builder;
        value.re = builder.select(test, yes.re, no.re);
        if (value.im != ir::no_value) value.im = builder.select(test, yes.im, no.im);
    };
    for (const Pointwise::Condition& condition : conditions_of(false)) {
        const Affine& form = forms_of(component)[static_cast<std::size_t>(condition.form)];
        if (holds(condition.op, form, context_.extents()) == Holds::always) continue;
        const ir::Value negative = is_form_negative(component, condition.form);
        if (condition.op == Op::form_negative) {
            choose(negative, value, zero);
            continue;
        }
        choose(negative, zero, value);
        if (condition.op == Op::form_zero) choose(is_form_positive(component, condition.form), zero, value);
    }
    return value;
}

PointwiseEmitter::ComplexValue PointwiseEmitter::element(const Pointwise::Node& node,
                                                         const Component& component) {
    ir::Builder& builder = context_.builder;
    const AuxiliaryArray& array = context_.request.arrays[static_cast<std::size_t>(node.array)];
    const ir::Buffer buffer = context_.auxiliary_buffer(static_cast<std::size_t>(node.array));
    const Integer scalars = array.is_complex ? 2 : 1;
    const Affine& form = forms_of(component)[static_cast<std::size_t>(node.form)];
    ir::Access access;
    if (!looked_up_[component.location].empty()) {
        access.dynamic = tables_->dynamic(
            looked_up_[component.location][component.component][static_cast<std::size_t>(node.form)]);
        if (access.dynamic != ir::no_value && scalars == 2)
            access.dynamic = builder.add(access.dynamic, access.dynamic);
    }
    const Affine index = scalars * context_.placed(form);
    if (!array.is_complex) return {builder.load(buffer, index, access), ir::no_value};
    if (!context_.request.loops.for_gpu) {
        const ir::Value re = builder.load(buffer, index, access);
        return {re, builder.load(buffer, index + 1, access)};
    }
    access.lanes = access.active = 2;
    const ir::Value both = builder.load(buffer, index, access);
    return {builder.shuffle(both, both, {0}), builder.shuffle(both, both, {1})};
}

/// Whether a form satisfies the condition, as a real.
ir::Value PointwiseEmitter::compared(const Pointwise::Node& node, const Component& component) {
    const Holds fixed =
        holds(node.op, forms_of(component)[static_cast<std::size_t>(node.form)], context_.extents());
    if (fixed != Holds::unknown) return arithmetic_.constant(fixed == Holds::always ? 1 : 0);
    const ir::Value below = arithmetic_.as_real(is_form_negative(component, node.form));
    if (node.op == Op::form_negative) return below;
    if (node.op == Op::form_nonnegative) return arithmetic_.opposite(below);
    const ir::Value above = arithmetic_.as_real(is_form_positive(component, node.form));
    return arithmetic_.opposite(context_.builder.add(below, above));
}

PointwiseEmitter::ComplexValue PointwiseEmitter::apply(const Component& component, const ComplexValue& x) {
    return arithmetic_.evaluate(pointwise_->nodes, x, [&](const Pointwise::Node& node) -> ComplexValue {
        if (node.op == Op::array) return element(node, component);
        if (node.op != Op::form) return {compared(node, component), ir::no_value};
        return {real_form(component, node.form), ir::no_value};
    });
}

} // namespace swirl::lower
