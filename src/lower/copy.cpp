#include "lower/codelet.hpp"

#include <functional>

namespace swirl::lower {

namespace {

Endpoint at(const Endpoint& endpoint, const Affine& index) { return endpoint.through(View{index, 0}); }

bool is_affine(const Endpoint& endpoint, Extents& extents) { return endpoint.locate(0, extents).has_value(); }

/// The copy as loops over the given radices' digits, when both sides are affine in them.
bool emit_by_digits(Context& context, const std::vector<Integer>& radices, const Endpoint& in,
                    const Endpoint& out, std::vector<Loop> loops) {
    Affine index = 0;
    Integer stride = 1;
    std::vector<Loop> digits;
    for (std::size_t q = radices.size(); q-- > 0; stride *= radices[q]) {
        digits.insert(digits.begin(), Loop{context.new_variable(radices[q]), radices[q]});
        index += Affine::of(digits[0].variable, stride);
    }
    loops.insert(loops.end(), digits.begin(), digits.end());
    const Endpoint from = at(in, index), to = at(out, index);
    if (!is_affine(from, context.extents) || !is_affine(to, context.extents)) return false;
    emit_codelet(context, copying_codelet(), from, to, loops);
    return true;
}

/// One side of a copy whose address comes out of a table of indices.
class TabledSide {
public:
    TabledSide(Context& context, const Endpoint& endpoint, const std::vector<Loop>& loops)
        : context_(context), memory_(endpoint.memory()), complex_(endpoint.is_complex()) {
        const Variable symbol = context.new_variable(1);
        auto place = endpoint.locate(0, context.extents, symbol);
        ensure(place.has_value(), "an index map of a copy is neither affine nor a table");
        place_ = std::move(*place);
        context.bind(symbol, 0); // the table's part of the address travels as the dynamic index
        if (place_.table) add_table(symbol, loops);
    }

    const std::vector<MetDiagonal>& diagonals() const { return place_.diagonals; }

    Scaled load() {
        const ir::Access access{.dynamic = dynamic()};
        Scaled value;
        value.re.value = context_.builder.load(memory_.re, context_.placed(place_.re), access);
        if (complex_) value.im.value = context_.builder.load(memory_.im, context_.placed(place_.im), access);
        return value;
    }

    void store(const Scaled& value, Arithmetic& arithmetic) {
        const ir::Access access{.dynamic = dynamic()};
        context_.builder.store(memory_.re, context_.placed(place_.re), arithmetic.materialize(value.re),
                               access);
        if (complex_)
            context_.builder.store(memory_.im, context_.placed(place_.im), arithmetic.materialize(value.im),
                                   access);
    }

private:
    void add_table(Variable symbol, const std::vector<Loop>& loops) {
        std::vector<Loop> varying;
        Integer size = 1;
        for (const Loop& loop : loops)
            for (Variable v : place_.table->variables)
                if (v == loop.variable) {
                    varying.push_back(loop);
                    size *= loop.count;
                }
        const Integer scale = place_.re.coefficient(symbol);
        std::vector<Integer> values;
        for (Integer row = 0; row < size; ++row) {
            const auto lookup = [&](Variable v) {
                Integer rest = row;
                for (std::size_t k = varying.size(); k-- > 0; rest /= varying[k].count)
                    if (varying[k].variable == v) return rest % varying[k].count;
                throw InternalError("a table of indices depends on a variable outside its loops");
            };
            values.push_back(scale * place_.table->value(lookup));
        }
        Integer stride = 1;
        for (std::size_t k = varying.size(); k-- > 0; stride *= varying[k].count)
            index_ += Affine::of(varying[k].variable, stride);
        table_ = context_.add_table(std::move(values));
    }

    ir::Value dynamic() {
        return table_ ? context_.builder.load(*table_, context_.placed(index_)) : ir::no_value;
    }

    Context& context_;
    Memory memory_;
    bool complex_;
    Location place_;
    std::optional<ir::Buffer> table_;
    Affine index_ = 0;
};

void emit_by_tables(Context& context, const Endpoint& in, const Endpoint& out,
                    const std::vector<Loop>& loops) {
    std::vector<Loop> around = context.open_loops();
    around.insert(around.end(), loops.begin(), loops.end());
    TabledSide source(context, in, around), target(context, out, around);
    FactorTables before(context, in.is_complex(), {factor_of(source.diagonals(), context.extents)}, around,
                        std::nullopt);
    FactorTables after(context, out.is_complex(), {factor_of(target.diagonals(), context.extents)}, around,
                       std::nullopt);
    const std::function<void(std::size_t)> nest = [&](std::size_t k) {
        if (k < loops.size())
            return context.in_loop(loops[k], "i", ir::For::Kind::serial, [&] { nest(k + 1); });
        Arithmetic arithmetic(context.builder, context.request.scalar, context.request.multiplication);
        Scaled value = before.apply(0, source.load(), arithmetic, 0, 0);
        target.store(arithmetic.settle(after.apply(0, value, arithmetic, 0, 0)), arithmetic);
    };
    nest(0);
}

} // namespace

void emit_copy(Context& context, Integer n, const Endpoint& in, const Endpoint& out,
               const std::vector<Loop>& loops) {
    if (emit_by_digits(context, {n}, in, out, loops)) return;
    for (const Endpoint* side : {&in, &out}) {
        const auto radices = side->radices_for(n, context.extents, context.new_variable(n));
        if (radices.size() > 1 && emit_by_digits(context, radices, in, out, loops)) return;
    }
    std::vector<Loop> all = loops;
    all.push_back({context.new_variable(n), n});
    const Affine index = Affine::of(all.back().variable);
    emit_by_tables(context, at(in, index), at(out, index), all);
}

} // namespace swirl::lower
