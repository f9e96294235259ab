#include "lower/twiddle_tables.hpp"

#include "base/interrupt_scope.hpp"
#include "lower/chirp_spectrum_factors.hpp"

#include <algorithm>
#include <map>

namespace swirl::lower {

namespace {

/// Calls f(row) for every assignment of the loops' variables in `values`; the last loop runs fastest.
template <class F> void for_each_row(const std::vector<Loop>& loops, std::vector<Integer>& values, F&& f) {
    const auto value = [&](const Loop& loop) -> Integer& {
        return values[static_cast<std::size_t>(loop.variable)];
    };
    const Integer rows = iterations_of(loops);
    for (const Loop& loop : loops) value(loop) = 0;
    for (Integer row = 0; row < rows; ++row) {
        f(row);
        for (std::size_t k = loops.size(); k-- > 0;) {
            if (++value(loops[k]) < loops[k].count) break;
            value(loops[k]) = 0;
        }
    }
}

/// Length of an even sequence whose first half is the list; nothing for any other map.
std::optional<Integer> even_length(const formula::IndexMap& map) {
    const auto* list = std::get_if<formula::PiecewiseMap>(&map.kind());
    if (list == nullptr || list->pieces.size() != 2) return std::nullopt;
    const Integer half = map.range(), rest = map.domain() - half;
    const formula::DigitMap ahead{{half}, {1}, 0, 0}, back{{rest}, {-1}, rest, 0};
    const bool is_even = half == map.domain() / 2 + 1 && list->pieces[0] == ahead && list->pieces[1] == back;
    return is_even ? std::optional(map.domain()) : std::nullopt;
}

/// Whether a long list can itself be the table of a twiddle, shared with others: its index is a form of loop
/// variables.
bool is_of_long_list(const Twiddle& twiddle) {
    constexpr Integer longest_copied_list = Integer{1} << 17;
    if (twiddle.limit || twiddle.varying.size() != 1 || twiddle.varying[0].table) return false;
    const formula::Diagonal& diagonal = twiddle.varying[0].diagonal;
    const auto* list = std::get_if<formula::ExplicitFunction>(&diagonal.function);
    return list && static_cast<Integer>(list->values.size()) > longest_copied_list &&
           (diagonal.index.is_identity() || even_length(diagonal.index));
}

bool contains(const std::vector<Variable>& variables, Variable variable) {
    return std::find(variables.begin(), variables.end(), variable) != variables.end();
}

} // namespace

TwiddleTables::TwiddleTables(Context& context, bool complex, std::vector<Twiddle> twiddles,
                             const std::vector<Loop>& loops, const std::optional<VectorLoop>& lane)
    : context_(context), complex_(complex) {
    of_entry_.resize(twiddles.size());
    if (std::all_of(twiddles.begin(), twiddles.end(), [](const Twiddle& t) { return t.is_one(); })) return;
    if (complex)
        if (const auto spectrum = loops::take_chirp_spectrum(twiddles, context.extents()))
            spectrum_ = std::make_unique<ChirpSpectrumFactors>(context, *spectrum, loops, lane);
    TwiddleGroups groups = twiddle_groups(std::move(twiddles), complex, context.request.loops.for_gpu,
                                          context.extents(), context.request.roots);
    twiddles_ = std::move(groups.twiddles);
    of_entry_ = std::move(groups.of_entry);
    digits_ = std::move(groups.digits);
    std::vector<Loop> all = loops;
    for (const LoopDigit& digit : digits_) all.push_back({digit.symbol, digit.count});
    for (Twiddle& twiddle : twiddles_) {
        const bool is_large = !twiddle.variables.empty() &&
                              is_near_overflow(std::abs(twiddle.constant), context.request.loops.scalar);
        overflow_scale_.push_back(is_large ? overflow_scale : 1);
        twiddle.constant /= overflow_scale_.back();
    }
    locations_.resize(twiddles_.size());
    if (complex_ && context.request.loops.for_gpu) add_lists();
    add_tables(all, lane);
    find_auxiliary(loops);
}

TwiddleTables::~TwiddleTables() = default;
TwiddleTables::TwiddleTables(TwiddleTables&&) noexcept = default;

void TwiddleTables::find_auxiliary(const std::vector<Loop>& loops) {
    for (const Twiddle& twiddle : twiddles_) {
        auto& own = auxiliary_of_.emplace_back();
        for (Location location : twiddle.auxiliary) {
            own.push_back(auxiliary_.size());
            location.re *= 2;
            location.im = location.re + 1;
            auxiliary_.push_back(std::move(location));
        }
    }
    if (!auxiliary_.empty()) auxiliary_tables_.emplace(context_, auxiliary_, loops);
}

/// Twiddles from the same long list share one table.
void TwiddleTables::add_lists() {
    for (std::size_t k = 0; k < twiddles_.size(); ++k) {
        if (!is_of_long_list(twiddles_[k])) continue;
        const FoldedDiagonal& met = twiddles_[k].varying[0];
        std::optional<Context::TableLocation> table;
        for (std::size_t other = 0; other < k && !table; ++other)
            if (locations_[other] && twiddles_[other].constant == twiddles_[k].constant &&
                twiddles_[other].varying[0].diagonal == met.diagonal)
                table = locations_[other]->table;
        const Integer whole = even_length(met.diagonal.index).value_or(0);
        locations_[k] =
            TableAddress{table ? *table : table_of_list(twiddles_[k]), 2 * met.index, 0, 1, whole};
    }
}

Context::TableLocation TwiddleTables::table_of_list(const Twiddle& twiddle) {
    const auto& list = std::get<formula::ExplicitFunction>(twiddle.varying[0].diagonal.function).values;
    ir::Table contents(context_.request.loops.scalar, 2 * static_cast<Integer>(list.size()));
    const bool is_alone = twiddle.constant == formula::Complex(1);
    InterruptCounter counter;
    Integer at = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const formula::Complex entry = list.at(i);
        const formula::Complex value = is_alone ? entry : twiddle.constant * entry;
        contents.set(at++, value.real());
        contents.set(at++, value.imag());
        counter.after_element();
    }
    return context_.add_table(ir::TableKind::twiddles, std::move(contents));
}

/// Address within the half table of an entry of an even sequence.
ir::Value TwiddleTables::offset_in_half(const TableAddress& location) {
    ir::Builder& builder = context_.builder;
    const Affine start = context_.placed(location.start);
    const ir::Value ahead = builder.index(start), back = builder.index(2 * location.whole - start);
    return builder.select(builder.less(back, ahead), back, ahead);
}

void TwiddleTables::add_tables(const std::vector<Loop>& loops, const std::optional<VectorLoop>& lane) {
    std::vector<bool> done(twiddles_.size());
    for (std::size_t first = 0; first < twiddles_.size(); ++first) {
        if (done[first] || twiddles_[first].variables.empty() || locations_[first]) continue;
        std::vector<std::size_t> entries;
        for (std::size_t entry = first; entry < twiddles_.size(); ++entry)
            if (!done[entry] && !locations_[entry] &&
                twiddles_[entry].variables == twiddles_[first].variables) {
                entries.push_back(entry);
                done[entry] = true;
            }
        add_group(entries, loops, lane);
    }
}

std::optional<TwiddleTableContents> TwiddleTables::contents_of(const std::vector<std::size_t>& entries,
                                                               const std::vector<Loop>& loops,
                                                               const std::optional<VectorLoop>& lane) const {
    std::map<Variable, Variable> positions;
    TwiddleTableContents contents;
    for (const Loop& loop : loops) {
        positions.emplace(loop.variable, static_cast<Variable>(positions.size()));
        contents.shape.push_back(loop.count);
    }
    contents.shape.push_back(complex_ ? 2 : 1);
    if (lane) {
        positions[lane->loop.variable] = static_cast<Variable>(loops.size());
        contents.shape.insert(contents.shape.end(),
                              {lane->loop.count, lane->lanes, lane->lead, lane->overlap});
    }
    for (const std::size_t entry : entries) {
        const Twiddle& twiddle = twiddles_[entry];
        if (twiddle.limit) return std::nullopt;
        auto& own = contents.entries.emplace_back(TwiddleTableContents::Entry{twiddle.constant, {}});
        for (const FoldedDiagonal& met : twiddle.varying) {
            if (met.table) return std::nullopt;
            Affine index = met.index.constant();
            for (const auto& [variable, coefficient] : met.index.terms()) {
                const auto position = positions.find(variable);
                if (position == positions.end()) return std::nullopt;
                index += Affine::of(position->second, coefficient);
            }
            own.factors.push_back({met.diagonal, index});
        }
    }
    return contents;
}

void TwiddleTables::add_group(const std::vector<std::size_t>& entries, const std::vector<Loop>& loops,
                              const std::optional<VectorLoop>& lane) {
    const auto& variables = twiddles_[entries[0]].variables;
    std::vector<Loop> varying;
    for (const Loop& loop : loops)
        if (contains(variables, loop.variable)) varying.push_back(loop);
    const bool by_lane = lane && contains(variables, lane->loop.variable);
    const Integer lanes = by_lane ? lane->lanes : 1;
    const Integer vectors = by_lane ? lane->all_vectors() : 1;
    const Integer components = complex_ ? 2 : 1;
    const Integer vector_size = static_cast<Integer>(entries.size()) * components * lanes;

    std::vector<Integer> values(static_cast<std::size_t>(variables.back()) + 1);
    const IndexTable::Lookup lookup = [&](Variable v) {
        return static_cast<std::size_t>(v) < values.size() ? values[static_cast<std::size_t>(v)] : Integer{0};
    };
    // On a GPU rows are threads: neighbouring threads read neighbours for the same entry.
    const bool by_entry = context_.request.loops.for_gpu;
    ensure(!by_entry || lanes == 1, "a table of factors for {} lanes on a GPU", lanes);
    const Integer rows = iterations_of(varying);
    const Integer row_stride = by_entry ? components : vectors * vector_size;
    const Integer entry_stride = by_entry ? rows * components : components * lanes;
    const auto make = [&] {
        ir::Table contents(context_.request.loops.scalar, rows * vectors * vector_size);
        InterruptCounter counter;
        for_each_row(varying, values, [&](Integer row) {
            const auto set_entries = [&](Integer at) {
                for (std::size_t entry : entries) {
                    const formula::Complex value = value_of(twiddles_[entry], lookup, diagonal_values_);
                    contents.set(at, value.real());
                    if (components == 2) contents.set(at + lanes, value.imag());
                    at += entry_stride;
                    counter.after_element();
                }
            };
            if (!by_lane) return set_entries(row * row_stride);
            for (Integer vector = 0; vector < vectors; ++vector) {
                const auto [first, count] = lane->iterations_of(vector);
                for (Integer l = 0; l < count; ++l) {
                    values[static_cast<std::size_t>(lane->loop.variable)] = first + l;
                    set_entries(row * row_stride + vector * vector_size + l);
                }
            }
        });
        return contents;
    };

    Affine start = 0;
    Integer stride = row_stride;
    for (std::size_t k = varying.size(); k-- > 0; stride *= varying[k].count)
        start += Affine::of(varying[k].variable, stride);
    std::optional<TwiddleTableContents> contents;
    if (rows * vectors * vector_size >= Context::least_large_table)
        contents = contents_of(entries, varying, by_lane ? lane : std::nullopt);
    const Context::TableLocation table = contents ? context_.shared_table(std::move(*contents), make)
                                                  : context_.add_table(ir::TableKind::twiddles, make());
    for (std::size_t k = 0; k < entries.size(); ++k)
        locations_[entries[k]] = TableAddress{table, start + static_cast<Integer>(k) * entry_stride,
                                              by_lane ? vector_size : 0, components == 2 ? lanes : 0};
}

Scaled TwiddleTables::apply(std::size_t entry, const Scaled& value, Arithmetic& arithmetic,
                            const Affine& vector, const Affine& lane) {
    Scaled scaled = value;
    for (const std::vector<std::size_t>& group : of_entry_[entry]) {
        scaled = multiply(group, scaled, arithmetic, vector, lane);
        for (const std::size_t twiddle : group)
            for (const std::size_t location : auxiliary_of_[twiddle])
                scaled = multiply_auxiliary(location, scaled, arithmetic);
    }
    return spectrum_ ? spectrum_->apply(entry, scaled, arithmetic, vector, lane) : scaled;
}

Scaled TwiddleTables::factor(std::size_t entry, Arithmetic& arithmetic, const Affine& vector,
                             const Affine& lane) {
    const ir::Value one = context_.builder.constant({context_.request.loops.scalar, 1}, 1);
    std::optional<Scaled> product;
    formula::Complex constant = 1;
    for (const std::vector<std::size_t>& group : of_entry_[entry])
        for (const std::size_t twiddle : group) {
            if (!locations_[twiddle]) {
                constant *= twiddles_[twiddle].constant;
                continue;
            }
            const Scaled loaded = load(*locations_[twiddle], vector, lane);
            product = product ? arithmetic.multiply_loaded(*product, loaded) : loaded;
            product->scale *= overflow_scale_[twiddle];
        }
    return arithmetic.settle(arithmetic.multiply(product.value_or(Scaled{{one}, {}}), constant));
}

Scaled TwiddleTables::multiply_auxiliary(std::size_t location, const Scaled& value, Arithmetic& arithmetic) {
    const ir::Buffer array = context_.auxiliary_buffer(context_.request.loops.auxiliary->array);
    Affine index = context_.placed(auxiliary_[location].re);
    ir::Value dynamic = auxiliary_tables_->dynamic(location);
    if (const auto& limit =
            auxiliary_[location].limit) { // if the entry does not exist, reads entry 0, which always does
        ir::Builder& builder = context_.builder;
        ir::Value wanted = builder.index(index);
        if (dynamic != ir::no_value) wanted = builder.add(wanted, dynamic);
        const ir::Value is_there = builder.less(builder.index(context_.placed(*limit)), builder.index(0));
        dynamic = builder.select(is_there, wanted, builder.index(0));
        index = 0;
    }
    Scaled twiddle;
    if (complex_ && context_.request.loops.for_gpu) {
        const ir::Value both =
            context_.builder.load(array, index, {.lanes = 2, .active = 2, .dynamic = dynamic});
        twiddle.re.value = context_.builder.shuffle(both, both, {0});
        twiddle.im = {context_.builder.shuffle(both, both, {1}), auxiliary_[location].im_negative};
        return arithmetic.multiply_loaded(value, twiddle);
    }
    const ir::Access access{.dynamic = dynamic};
    twiddle.re.value = context_.builder.load(array, index, access);
    if (complex_)
        twiddle.im = {context_.builder.load(array, index + 1, access), auxiliary_[location].im_negative};
    return arithmetic.multiply_loaded(value, twiddle);
}

Scaled TwiddleTables::multiply(const std::vector<std::size_t>& group, const Scaled& value,
                               Arithmetic& arithmetic, const Affine& vector, const Affine& lane) {
    Scaled result = value;
    std::optional<Scaled> product;
    for (const std::size_t twiddle : group) {
        if (!locations_[twiddle]) {
            const formula::Complex constant = twiddles_[twiddle].constant;
            if (constant != formula::Complex(1)) result = arithmetic.multiply(result, constant);
            continue;
        }
        const Scaled loaded = load(*locations_[twiddle], vector, lane);
        product = product ? arithmetic.multiply_loaded(*product, loaded) : loaded;
        result.scale *= overflow_scale_[twiddle];
    }
    return product ? arithmetic.multiply_loaded(result, *product) : result;
}

/// The digit's value in the current iteration.
ir::Value TwiddleTables::digit_of_loop(const LoopDigit& digit) {
    ir::Builder& builder = context_.builder;
    ir::Value value = builder.index(context_.placed(Affine::of(digit.variable)));
    if (digit.divisor > 1) value = builder.divide(value, builder.index(digit.divisor));
    return digit.is_highest ? value : builder.bit_and(value, builder.index(digit.count - 1));
}

Scaled TwiddleTables::load(const TableAddress& location, const Affine& vector, const Affine& lane) {
    Affine start = location.start;
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
    if (location.whole > 0) {
        dynamic = offset_in_half(location);
        index = 0;
    }
    index += location.table.first;
    if (location.vector_stride) index += location.vector_stride * vector + lane;
    Scaled twiddle;
    if (location.component_stride == 1 && context_.request.loops.for_gpu) {
        const ir::Value both =
            builder.load(location.table.buffer, index, {.lanes = 2, .active = 2, .dynamic = dynamic});
        twiddle.re.value = builder.shuffle(both, both, {0});
        twiddle.im.value = builder.shuffle(both, both, {1});
        return twiddle;
    }
    twiddle.re.value = builder.load(location.table.buffer, index, {.dynamic = dynamic});
    if (location.component_stride)
        twiddle.im.value =
            builder.load(location.table.buffer, index + location.component_stride, {.dynamic = dynamic});
    return twiddle;
}

} // namespace swirl::lower
