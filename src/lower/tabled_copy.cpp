#include "lower/tabled_copy.hpp"

#include "base/interrupt_scope.hpp"
#include "lower/twiddle_tables.hpp"

#include <algorithm>
#include <functional>

namespace swirl::lower {

namespace {

/// One side of a copy, addressed through an index table.
class TabledSide {
public:
    TabledSide(Context& context, const Memory& memory, const Location& location, bool complex,
               const std::vector<Loop>& loops)
        : context_(context),
          memory_(context.buffers_of(memory)),
          location_(location),
          complex_(complex),
          tables_(context, {location}, loops) {}

    Scaled load() {
        Scaled value;
        const ir::Access re{.dynamic = tables_.dynamic(0)};
        value.re.value = context_.builder.load(memory_.re, context_.placed(location_.re), re);
        value.re.negative = location_.re_negative;
        if (!complex_) return value;
        const ir::Access im{.dynamic = tables_.dynamic_of_imaginary(0)};
        value.im.value = context_.builder.load(memory_.im, context_.placed(location_.im), im);
        value.im.negative = location_.im_negative;
        return value;
    }

    void store(Scaled value, Arithmetic& arithmetic) {
        if (location_.re_negative) value.re = -value.re;
        if (location_.im_negative) value.im = -value.im;
        const ir::Access re{.dynamic = tables_.dynamic(0)};
        context_.builder.store(memory_.re, context_.placed(location_.re), arithmetic.materialize(value.re),
                               re);
        if (!complex_) return;
        const ir::Access im{.dynamic = tables_.dynamic_of_imaginary(0)};
        context_.builder.store(memory_.im, context_.placed(location_.im), arithmetic.materialize(value.im),
                               im);
    }

private:
    Context& context_;
    Buffers memory_;
    const Location& location_;
    bool complex_;
    IndexTables tables_;
};

} // namespace

IndexTables::IndexTables(Context& context, const std::vector<Location>& locations,
                         const std::vector<Loop>& loops)
    : context_(context), indices_(locations.size()), imaginary_(locations.size()) {
    for (std::size_t k = 0; k < locations.size(); ++k) {
        const Location& location = locations[k];
        if (!location.table) continue;
        const Variable symbol = location.table->symbol;
        context.bind(symbol, 0);
        indices_[k] = add(location, location.re, loops);
        const bool same = location.im.coefficient(symbol) == location.re.coefficient(symbol);
        imaginary_[k] = same ? indices_[k] : add(location, location.im, loops);
    }
    if (!sections_.empty()) table_ = context.add_table(ir::TableKind::index_table, contents());
    sections_.clear();
}

Integer IndexTables::Section::size() const {
    Integer size = 1;
    for (const Loop& loop : varying) size *= loop.count;
    return size;
}

/// Appends the table values that a form of the location needs, and returns their offset.
Affine IndexTables::add(const Location& location, const Affine& form, const std::vector<Loop>& loops) {
    const Integer first = sections_.empty() ? 0 : sections_.back().first + sections_.back().size();
    sections_.push_back({&*location.table, table_loops(*location.table, loops),
                         form.coefficient(location.table->symbol), first});
    const std::vector<Loop>& varying = sections_.back().varying;
    Affine index = first;
    Integer stride = 1;
    for (std::size_t v = varying.size(); v-- > 0; stride *= varying[v].count)
        index += Affine::of(varying[v].variable, stride);
    return index;
}

ir::Table IndexTables::contents() const {
    ir::Table result(DataType::int64, sections_.back().first + sections_.back().size());
    InterruptCounter counter;
    for (const Section& section : sections_) {
        Integer next = section.first;
        for_each_value(*section.table, section.varying, [&](Integer value) {
            result.set_integer(next++, section.coefficient * value);
            counter.after_element();
        });
    }
    return result;
}

ir::Value IndexTables::load(const std::optional<Affine>& index) {
    return index ? context_.builder.load(table_->buffer, context_.placed(*index) + table_->first)
                 : ir::no_value;
}

void emit_tabled_copy(Context& context, const Call& call) {
    std::vector<Loop> around = context.open_loops();
    around.insert(around.end(), call.loops.begin(), call.loops.end());
    const Location &from = call.placement.sources[0], &to = call.placement.targets[0];
    TabledSide source(context, call.input, from, call.complex, around);
    TabledSide target(context, call.output, to, call.complex, around);
    TwiddleTables before(context, call.complex, {twiddle_of(from.diagonals, context.extents())}, around,
                         std::nullopt);
    TwiddleTables after(context, call.complex, {twiddle_of(to.diagonals, context.extents())}, around,
                        std::nullopt);
    const std::function<void(std::size_t)> nest = [&](std::size_t k) {
        if (k < call.loops.size()) return context.in_loop(call.loops[k], "i", [&] { nest(k + 1); });
        Arithmetic arithmetic(context.builder, context.request.loops.scalar, context.request.multiplication);
        Scaled value = before.apply(0, source.load(), arithmetic, 0, 0);
        target.store(arithmetic.settle(after.apply(0, value, arithmetic, 0, 0)), arithmetic);
    };
    nest(0);
}

} // namespace swirl::lower
