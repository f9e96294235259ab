#include "lower/factors.hpp"

#include <algorithm>

namespace swirl::lower {

namespace {

void add_variables(std::vector<Variable>& variables, const Affine& form) {
    for (const auto& term : form.terms())
        if (std::find(variables.begin(), variables.end(), term.variable) == variables.end())
            variables.push_back(term.variable);
}

/// Variables a diagonal's entry really depends on; empty when it is constant.
std::vector<Variable> dependence(const MetDiagonal& met, const Extents& extents) {
    std::vector<Variable> variables;
    if (std::holds_alternative<formula::ConstantFunction>(met.diagonal.function)) return variables;
    const auto* twiddle = std::get_if<formula::TwiddleFunction>(&met.diagonal.function);
    const auto index = evaluate(met.diagonal.index, met.index, extents);
    if (twiddle && index && !met.table) {
        const auto first = digit_of(twiddle->first, *index, extents);
        const auto second = digit_of(twiddle->second, *index, extents);
        if ((first && *first == Affine(0)) || (second && *second == Affine(0))) return variables;
        if (first && second) {
            add_variables(variables, *first);
            add_variables(variables, *second);
            return variables;
        }
    }
    if (index && !met.table) {
        add_variables(variables, *index);
        return variables;
    }
    add_variables(variables, met.index);
    if (met.table && met.index.coefficient(met.table->symbol) != 0) {
        std::erase(variables, met.table->symbol);
        for (Variable v : met.table->variables) add_variables(variables, Affine::of(v));
    }
    return variables;
}

formula::Complex value_at(const MetDiagonal& met, const IndexTable::Lookup& lookup,
                          formula::DiagonalValues& values) {
    const Integer index = met.index.evaluate([&](Variable v) {
        return met.table && v == met.table->symbol ? met.table->value(lookup) : lookup(v);
    });
    return values(met.diagonal.function, met.diagonal.index(index));
}

Integer iterations_of(const std::vector<Loop>& loops) {
    Integer count = 1;
    for (const Loop& loop : loops) count *= loop.count;
    return count;
}

/// Calls f(row) for every assignment of the loops' variables in `values`, the last loop fastest.
template <class F> void for_each_row(const std::vector<Loop>& loops, std::vector<Integer>& values, F&& f) {
    const Integer rows = iterations_of(loops);
    for (Integer row = 0; row < rows; ++row) {
        Integer rest = row;
        for (std::size_t k = loops.size(); k-- > 0; rest /= loops[k].count)
            values[static_cast<std::size_t>(loops[k].variable)] = rest % loops[k].count;
        f(row);
    }
}

/// Entries of an even sequence whose first half is the list; nothing where the map means something else.
std::optional<Integer> even_length(const formula::IndexMap& map) {
    const auto* list = std::get_if<formula::PieceMap>(&map.kind());
    if (list == nullptr || list->pieces.size() != 2) return std::nullopt;
    const Integer half = map.range(), rest = map.domain() - half;
    const formula::DigitMap ahead{{half}, {1}, 0, 0}, back{{rest}, {-1}, rest, 0};
    const bool is_even = half == map.domain() / 2 + 1 && list->pieces[0] == ahead && list->pieces[1] == back;
    return is_even ? std::optional(map.domain()) : std::nullopt;
}

/// Whether a list as it is serves as the table of a factor, and of others: at a place that is a form of loop variables.
bool is_of_long_list(const Factor& factor) {
    constexpr Integer longest_copied_list = Integer{1} << 17;
    if (factor.limit || factor.varying.size() != 1 || factor.varying[0].table) return false;
    const formula::Diagonal& diagonal = factor.varying[0].diagonal;
    const auto* list = std::get_if<formula::ExplicitFunction>(&diagonal.function);
    return list && static_cast<Integer>(list->values.size()) > longest_copied_list &&
           (diagonal.index.is_identity() || even_length(diagonal.index));
}

bool contains(const std::vector<Variable>& variables, Variable variable) {
    return std::find(variables.begin(), variables.end(), variable) != variables.end();
}

} // namespace

std::optional<Affine> digit_of(const formula::Digit& digit, const Affine& index, const Extents& extents) {
    auto shifted = divide(index, digit.divisor, extents);
    if (!shifted) return std::nullopt;
    auto reduced = divide(shifted->quotient, digit.modulus, extents);
    if (!reduced) return std::nullopt;
    return reduced->remainder;
}

Factor factor_of(const std::vector<MetDiagonal>& diagonals, const Extents& extents) {
    Factor factor;
    formula::DiagonalValues values;
    for (const MetDiagonal& met : diagonals) {
        if (std::holds_alternative<formula::ArgumentFunction>(met.diagonal.function)) {
            factor.beside.push_back({.re = met.index, .im = met.index, .diagonals = {}, .table = met.table});
            continue;
        }
        const auto variables = dependence(met, extents);
        if (variables.empty()) {
            factor.constant *= value_at(
                met, [](Variable) { return Integer{0}; }, values);
            continue;
        }
        factor.varying.push_back(met);
        for (Variable v : variables) add_variables(factor.variables, Affine::of(v));
    }
    std::sort(factor.variables.begin(), factor.variables.end());
    return factor;
}

void limit_to(Factor& factor, const Affine& limit) {
    factor.limit = limit;
    for (Location& place : factor.beside) place.limit = limit;
}

formula::Complex value_of(const Factor& factor, const IndexTable::Lookup& lookup,
                          formula::DiagonalValues& values) {
    if (factor.limit && factor.limit->evaluate(lookup) >= 0) return 0;
    if (factor.varying.size() == 1 && factor.constant == formula::Complex(1))
        return value_at(factor.varying[0], lookup, values);
    formula::Complex value = factor.constant;
    for (const MetDiagonal& met : factor.varying) value *= value_at(met, lookup, values);
    return value;
}

FactorTables::FactorTables(Context& context, bool complex, std::vector<Factor> factors,
                           const std::vector<Loop>& loops, const std::optional<LaneLoop>& lane)
    : context_(context), complex_(complex) {
    FactorGroups groups = factor_groups(std::move(factors), complex, context.request.for_gpu,
                                        context.extents(), context.request.roots);
    factors_ = std::move(groups.factors);
    of_entry_ = std::move(groups.of_entry);
    digits_ = std::move(groups.digits);
    std::vector<Loop> all = loops;
    for (const LoopDigit& digit : digits_) all.push_back({digit.symbol, digit.count});
    for (Factor& factor : factors_) {
        const bool is_large =
            !factor.variables.empty() && is_near_overflow(std::abs(factor.constant), context.request.scalar);
        left_out_.push_back(is_large ? left_out : 1);
        factor.constant /= left_out_.back();
    }
    places_.resize(factors_.size());
    if (complex_ && context.request.for_gpu) add_lists();
    add_tables(all, lane);
    find_beside(loops);
}

void FactorTables::find_beside(const std::vector<Loop>& loops) {
    for (const Factor& factor : factors_) {
        auto& own = beside_of_.emplace_back();
        for (Location place : factor.beside) {
            own.push_back(beside_.size());
            if (complex_) place.re *= 2;
            place.im = complex_ ? place.re + 1 : place.re;
            beside_.push_back(std::move(place));
        }
    }
    if (!beside_.empty()) beside_tables_.emplace(context_, beside_, loops);
}

/// Factors out of one long list have its one table.
void FactorTables::add_lists() {
    for (std::size_t k = 0; k < factors_.size(); ++k) {
        if (!is_of_long_list(factors_[k])) continue;
        const MetDiagonal& met = factors_[k].varying[0];
        std::optional<Context::TablePlace> table;
        for (std::size_t other = 0; other < k && !table; ++other)
            if (places_[other] && factors_[other].constant == factors_[k].constant &&
                factors_[other].varying[0].diagonal == met.diagonal)
                table = places_[other]->table;
        const Integer whole = even_length(met.diagonal.index).value_or(0);
        places_[k] = Place{table ? *table : table_of_list(factors_[k]), 2 * met.index, 0, 1, whole};
    }
}

Context::TablePlace FactorTables::table_of_list(const Factor& factor) {
    const auto& list = *std::get<formula::ExplicitFunction>(factor.varying[0].diagonal.function).values;
    ir::Table contents(context_.request.scalar, 2 * std::ssize(list));
    Integer at = 0;
    for (const formula::Complex& entry : list) {
        const formula::Complex value =
            factor.constant == formula::Complex(1) ? entry : factor.constant * entry;
        contents.set(at++, value.real());
        contents.set(at++, value.imag());
    }
    return context_.add_table(std::move(contents));
}

/// Of an entry of an even sequence: where in the table it lies.
ir::Value FactorTables::place_in_half(const Place& place) {
    ir::Builder& builder = context_.builder;
    const Affine start = context_.placed(place.start);
    const ir::Value ahead = builder.index(start), back = builder.index(2 * place.whole - start);
    return builder.select(builder.less(back, ahead), back, ahead);
}

void FactorTables::add_tables(const std::vector<Loop>& loops, const std::optional<LaneLoop>& lane) {
    std::vector<bool> done(factors_.size());
    for (std::size_t first = 0; first < factors_.size(); ++first) {
        if (done[first] || factors_[first].variables.empty() || places_[first]) continue;
        std::vector<std::size_t> entries;
        for (std::size_t entry = first; entry < factors_.size(); ++entry)
            if (!done[entry] && !places_[entry] && factors_[entry].variables == factors_[first].variables) {
                entries.push_back(entry);
                done[entry] = true;
            }
        add_group(entries, loops, lane);
    }
}

void FactorTables::add_group(const std::vector<std::size_t>& entries, const std::vector<Loop>& loops,
                             const std::optional<LaneLoop>& lane) {
    const auto& variables = factors_[entries[0]].variables;
    std::vector<Loop> varying;
    for (const Loop& loop : loops)
        if (contains(variables, loop.variable)) varying.push_back(loop);
    const bool by_lane = lane && contains(variables, lane->loop.variable);
    const Integer lanes = by_lane ? lane->lanes : 1;
    const Integer lane_count = by_lane ? lane->loop.count : 1;
    const Integer vectors = by_lane ? lane->all_vectors() : 1;
    const Integer parts = complex_ ? 2 : 1;
    const Integer vector_size = static_cast<Integer>(entries.size()) * parts * lanes;

    std::vector<Integer> values(static_cast<std::size_t>(variables.back()) + 1);
    const auto lookup = [&](Variable v) {
        return static_cast<std::size_t>(v) < values.size() ? values[static_cast<std::size_t>(v)] : Integer{0};
    };
    // On a GPU rows are threads: neighbours for the same entry.
    const bool by_entry = context_.request.for_gpu;
    ensure(!by_entry || lanes == 1, "a table of factors for {} lanes on a GPU", lanes);
    const Integer rows = iterations_of(varying);
    const Integer row_stride = by_entry ? parts : vectors * vector_size;
    const Integer entry_stride = by_entry ? rows * parts : parts * lanes;
    ir::Table contents(context_.request.scalar, rows * vectors * vector_size);
    for_each_row(varying, values, [&](Integer row) {
        for (Integer l = 0; l < lane_count; ++l) {
            if (by_lane) values[static_cast<std::size_t>(lane->loop.variable)] = l;
            Integer at = row * row_stride;
            if (by_lane) at += lane->vector_of(l) * vector_size + lane->lane_of(l);
            for (std::size_t entry : entries) {
                const formula::Complex value = value_of(factors_[entry], lookup, diagonal_values_);
                contents.set(at, value.real());
                if (parts == 2) contents.set(at + lanes, value.imag());
                at += entry_stride;
            }
        }
    });

    Affine start = 0;
    Integer stride = row_stride;
    for (std::size_t k = varying.size(); k-- > 0; stride *= varying[k].count)
        start += Affine::of(varying[k].variable, stride);
    const Context::TablePlace table = context_.add_table(std::move(contents));
    for (std::size_t k = 0; k < entries.size(); ++k)
        places_[entries[k]] = Place{table, start + static_cast<Integer>(k) * entry_stride,
                                    by_lane ? vector_size : 0, parts == 2 ? lanes : 0};
}

Scaled FactorTables::apply(std::size_t entry, const Scaled& value, Arithmetic& arithmetic,
                           const Affine& vector, const Affine& lane) {
    Scaled scaled = value;
    for (const std::vector<std::size_t>& group : of_entry_[entry]) {
        scaled = multiply(group, scaled, arithmetic, vector, lane);
        for (const std::size_t factor : group)
            for (const std::size_t place : beside_of_[factor])
                scaled = multiply_beside(place, scaled, arithmetic);
    }
    return scaled;
}

Scaled FactorTables::multiply_beside(std::size_t place, const Scaled& value, Arithmetic& arithmetic) {
    const ir::Buffer array = context_.callers_array(context_.request.beside->array);
    Affine index = context_.placed(beside_[place].re);
    ir::Value dynamic = beside_tables_->dynamic(place);
    if (const auto& limit = beside_[place].limit) { // entry 0, which is always there, for those of no entry
        ir::Builder& builder = context_.builder;
        ir::Value wanted = builder.index(index);
        if (dynamic != ir::no_value) wanted = builder.add(wanted, dynamic);
        const ir::Value is_there = builder.less(builder.index(context_.placed(*limit)), builder.index(0));
        dynamic = builder.select(is_there, wanted, builder.index(0));
        index = 0;
    }
    Scaled factor;
    if (complex_ && context_.request.for_gpu) {
        const ir::Value both =
            context_.builder.load(array, index, {.lanes = 2, .active = 2, .dynamic = dynamic});
        factor.re.value = context_.builder.shuffle(both, both, {0});
        factor.im.value = context_.builder.shuffle(both, both, {1});
        return arithmetic.multiply_loaded(value, factor);
    }
    const ir::Access access{.dynamic = dynamic};
    factor.re.value = context_.builder.load(array, index, access);
    if (complex_) factor.im.value = context_.builder.load(array, index + 1, access);
    return arithmetic.multiply_loaded(value, factor);
}

Scaled FactorTables::multiply(const std::vector<std::size_t>& group, const Scaled& value,
                              Arithmetic& arithmetic, const Affine& vector, const Affine& lane) {
    Scaled result = value;
    std::optional<Scaled> product;
    for (const std::size_t factor : group) {
        if (!places_[factor]) {
            const formula::Complex constant = factors_[factor].constant;
            if (constant != formula::Complex(1)) result = arithmetic.multiply(result, constant);
            continue;
        }
        const Scaled loaded = load(*places_[factor], vector, lane);
        product = product ? arithmetic.multiply_loaded(*product, loaded) : loaded;
        result.scale *= left_out_[factor];
    }
    return product ? arithmetic.multiply_loaded(result, *product) : result;
}

/// Its value, of the loop's iteration.
ir::Value FactorTables::digit_of_loop(const LoopDigit& digit) {
    ir::Builder& builder = context_.builder;
    ir::Value value = builder.index(context_.placed(Affine::of(digit.variable)));
    if (digit.divisor > 1) value = builder.divide(value, builder.index(digit.divisor));
    return digit.is_highest ? value : builder.bit_and(value, builder.index(digit.count - 1));
}

Scaled FactorTables::load(const Place& place, const Affine& vector, const Affine& lane) {
    Affine start = place.start;
    ir::Value dynamic = ir::no_value;
    ir::Builder& builder = context_.builder;
    for (const LoopDigit& digit : digits_) {
        const Integer stride = start.coefficient(digit.symbol);
        if (stride == 0) continue;
        start = start.substitute(digit.symbol, 0);
        const ir::Value term = builder.multiply(digit_of_loop(digit), builder.index(stride));
        dynamic = dynamic == ir::no_value ? term : builder.add(dynamic, term);
    }
    Affine index = context_.placed(start);
    if (place.whole > 0) {
        dynamic = place_in_half(place);
        index = 0;
    }
    index += place.table.first;
    if (place.vector_stride) index += place.vector_stride * vector + lane;
    Scaled factor;
    if (place.part_stride == 1 && context_.request.for_gpu) {
        const ir::Value both =
            builder.load(place.table.buffer, index, {.lanes = 2, .active = 2, .dynamic = dynamic});
        factor.re.value = builder.shuffle(both, both, {0});
        factor.im.value = builder.shuffle(both, both, {1});
        return factor;
    }
    factor.re.value = builder.load(place.table.buffer, index, {.dynamic = dynamic});
    if (place.part_stride)
        factor.im.value = builder.load(place.table.buffer, index + place.part_stride, {.dynamic = dynamic});
    return factor;
}

} // namespace swirl::lower
