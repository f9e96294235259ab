#include "lower/cpu/pair_lowering.hpp"

#include "base/integer.hpp"
#include "lower/cpu/pair_arithmetic.hpp"
#include "lower/straight_line.hpp"
#include "lower/twiddles.hpp"
#include "rules/cost.hpp"
#include "rules/rule.hpp"

#include <algorithm>
#include <functional>

namespace swirl::lower {

namespace {

/// Bound on the entries that all calls together read, in vector registers: keeps the straight-line code moderate.
constexpr Integer most_vectors = 64;

/// Arrangement of one side of a call in memory, along its lanes.
enum class MemoryArrangement {
    side_by_side, ///< neighbouring lanes are contiguous for each entry
    rows,         ///< the entries of one lane are contiguous
    scattered,
};

/// A side's scalar addresses; temporaries are interleaved.
Affine place_of(const LoopProgram& loops, const Memory& memory, const Location& location) {
    const bool temporary =
        loops.arrays[static_cast<std::size_t>(memory.array)].role == Array::Role::temporary;
    return temporary ? 2 * location.re : location.re;
}

MemoryArrangement arrangement_of(const LoopProgram& loops, const Memory& memory,
                                 const std::vector<Location>& locations, const std::optional<Loop>& lane) {
    if (!lane) return MemoryArrangement::side_by_side;
    const Affine first = place_of(loops, memory, locations[0]);
    bool side_by_side = true, rows = true;
    for (std::size_t k = 0; k < locations.size(); ++k) {
        const Affine place = place_of(loops, memory, locations[k]);
        side_by_side = side_by_side && place.coefficient(lane->variable) == 2;
        rows = rows && place == first + static_cast<Integer>(2 * k);
    }
    return side_by_side ? MemoryArrangement::side_by_side
           : rows       ? MemoryArrangement::rows
                        : MemoryArrangement::scattered;
}

/// The loop of a call that becomes lanes, if any, and the resulting arrangements.
struct Lanes {
    std::optional<Loop> loop;
    MemoryArrangement source = MemoryArrangement::side_by_side;
    MemoryArrangement target = MemoryArrangement::side_by_side;

    Integer count() const { return loop ? loop->count : 1; }
};

Lanes lanes_of(const LoopProgram& loops, const Call& call) {
    Lanes best;
    int best_cost = 3;
    for (const Loop& loop : call.loops) {
        if (loop.count < 2) continue;
        const MemoryArrangement source = arrangement_of(loops, call.input, call.placement.sources, loop);
        const MemoryArrangement target = arrangement_of(loops, call.output, call.placement.targets, loop);
        const int cost = static_cast<int>(source) + static_cast<int>(target);
        if (source == MemoryArrangement::scattered || target == MemoryArrangement::scattered ||
            cost >= best_cost)
            continue;
        best = {loop, source, target};
        best_cost = cost;
    }
    return best;
}

/// Whether straight-line evaluation never separates real and imaginary components.
bool is_complex_throughout(const formula::Formula& f) {
    if (f.is<formula::RealOf>()) return false;
    if (formula::is_nonterminal(f))
        return is_complex_throughout(rules::expand(f, rules::cheapest_straight_line(f)));
    return std::all_of(f.children().begin(), f.children().end(), is_complex_throughout);
}

bool suits_pairs(const LoopProgram& loops, const Memory& memory, const std::vector<Location>& locations) {
    const bool temporary =
        loops.arrays[static_cast<std::size_t>(memory.array)].role == Array::Role::temporary;
    return std::all_of(locations.begin(), locations.end(), [&](const Location& place) {
        return !place.table && !place.re_negative && !place.im_negative &&
               (temporary ? place.im == place.re : place.im == place.re + 1) &&
               std::none_of(place.diagonals.begin(), place.diagonals.end(), [](const FoldedDiagonal& met) {
                   return met.table.has_value() ||
                          std::holds_alternative<formula::ArgumentFunction>(met.diagonal.function);
               });
    });
}

bool suits_pairs(const LoopProgram& loops, const Call& call) {
    return call.complex && call.codelet.formula && call.codelet.then.empty() &&
           !has_callback(call.placement.sources) && !has_callback(call.placement.targets) &&
           suits_pairs(loops, call.input, call.placement.sources) &&
           suits_pairs(loops, call.output, call.placement.targets) &&
           is_complex_throughout(*call.codelet.formula);
}

Integer iterations_of(const Call& call) {
    Integer iterations = 1;
    for (const Loop& loop : call.loops) iterations *= loop.count;
    return iterations;
}

/// The nodes that become straight-line code: all, or all inside the loops around everything.
const Nodes& straight_part(const LoopProgram& loops) {
    const Nodes* nodes = &loops.body;
    while (nodes->size() == 1 && std::holds_alternative<Nest>(nodes->front().node))
        nodes = &std::get<Nest>(nodes->front().node).body;
    return *nodes;
}

/// Complex elements per vector: as many as the longest lane loop fills, at least 16 bytes.
int width_of(const KernelRequest& request, const LoopProgram& loops) {
    const int widest = request.lanes / 2;
    int width = std::min<Integer>(widest, std::max<Integer>(1, 8 / bytes_of(request.scalar)));
    for (const Node& node : straight_part(loops))
        while (width < widest && width < lanes_of(loops, std::get<Call>(node.node)).count()) width *= 2;
    return width;
}

/// Emits one call, all its loops unrolled.
class PairEmitter {
public:
    PairEmitter(Context& context, const Call& call, int width)
        : context_(context),
          call_(call),
          width_(width),
          lanes_(lanes_of(context.loops, call)),
          arithmetic_(context, width) {
        for (const Loop& loop : call.loops)
            if (!lanes_.loop || loop.variable != lanes_.loop->variable) around_.push_back(loop);
        before_ = factors_of(call.placement.sources);
        after_ = factors_of(call.placement.targets);
    }

    void emit() { emit_loops(0); }

private:
    using Complex = std::complex<long double>;

    std::vector<Twiddle> factors_of(const std::vector<Location>& locations) const {
        std::vector<Twiddle> factors;
        for (const Location& place : locations)
            factors.push_back(twiddle_of(place.diagonals, context_.extents()));
        return factors;
    }

    void emit_loops(std::size_t k) {
        if (k < around_.size()) {
            for (Integer i = 0; i < around_[k].count; ++i) {
                set(around_[k].variable, i);
                emit_loops(k + 1);
            }
            return;
        }
        for (first_ = 0; first_ < lanes_.count(); first_ += width_) {
            active_ = static_cast<int>(std::min<Integer>(width_, lanes_.count() - first_));
            block();
        }
    }

    void set(Variable variable, Integer value) {
        context_.bind(variable, value);
        const auto at = static_cast<std::size_t>(variable);
        if (at >= values_.size()) values_.resize(at + 1, 0);
        values_[at] = value;
    }

    Integer value_of(Variable variable) const {
        const auto at = static_cast<std::size_t>(variable);
        return at < values_.size() ? values_[at] : 0;
    }

    void set_lane(Integer lane) {
        if (lanes_.loop) set(lanes_.loop->variable, first_ + lane);
    }

    void block() {
        std::vector<Scaled> x;
        for (const ir::Value value : load()) x.push_back({{value, false}, {}, 1});
        for (std::size_t k = 0; k < x.size(); ++k) x[k] = scaled(x[k], before_[k]);
        x = straight_line(*call_.codelet.formula, std::move(x), arithmetic_);
        std::vector<ir::Value> y;
        for (std::size_t k = 0; k < x.size(); ++k) y.push_back(arithmetic_.value(scaled(x[k], after_[k])));
        store(std::move(y));
    }

    Scaled scaled(const Scaled& x, const Twiddle& factor) {
        std::vector<Complex> factors(static_cast<std::size_t>(width_), 1);
        for (int lane = 0; lane < active_; ++lane) {
            set_lane(lane);
            factors[static_cast<std::size_t>(lane)] = lower::value_of(
                factor, [this](Variable v) { return value_of(v); }, diagonal_values_);
        }
        const bool uniform = std::all_of(factors.begin(), factors.begin() + active_,
                                         [&](const Complex& each) { return each == factors[0]; });
        if (!uniform) return arithmetic_.multiply(x, factors);
        return factors[0] == Complex(1) ? x : arithmetic_.multiply(x, factors[0]);
    }

    Affine index(const Memory& memory, const Location& location, Integer lane) {
        set_lane(lane);
        return context_.placed(place_of(context_.loops, memory, location));
    }

    std::vector<ir::Value> load() {
        const std::vector<Location>& locations = call_.placement.sources;
        const auto one = [&](std::size_t entry, Integer lane, int count) {
            return context_.builder.load(context_.buffers_of(call_.input).re,
                                         index(call_.input, locations[entry], lane),
                                         {.lanes = 2 * width_, .active = 2 * count});
        };
        std::vector<ir::Value> values;
        if (lanes_.source == MemoryArrangement::side_by_side) {
            for (std::size_t k = 0; k < locations.size(); ++k) values.push_back(one(k, 0, active_));
            return values;
        }
        for (std::size_t k = 0; k < locations.size(); k += static_cast<std::size_t>(width_)) {
            const int count = std::min(width_, static_cast<int>(locations.size() - k));
            std::vector<ir::Value> rows;
            for (int lane = 0; lane < active_; ++lane) rows.push_back(one(k, lane, count));
            rows = transposed(std::move(rows));
            values.insert(values.end(), rows.begin(), rows.begin() + count);
        }
        return values;
    }

    void store(std::vector<ir::Value> values) {
        const std::vector<Location>& locations = call_.placement.targets;
        const auto one = [&](std::size_t entry, Integer lane, int count, ir::Value value) {
            context_.builder.store(context_.buffers_of(call_.output).re,
                                   index(call_.output, locations[entry], lane), value, {.active = 2 * count});
        };
        if (lanes_.target == MemoryArrangement::side_by_side) {
            for (std::size_t k = 0; k < locations.size(); ++k) one(k, 0, active_, values[k]);
            return;
        }
        for (std::size_t k = 0; k < locations.size(); k += static_cast<std::size_t>(width_)) {
            const int count = std::min(width_, static_cast<int>(locations.size() - k));
            const auto begin = values.begin() + static_cast<std::ptrdiff_t>(k);
            const std::vector<ir::Value> rows = transposed({begin, begin + count});
            for (int lane = 0; lane < active_; ++lane)
                one(k, lane, count, rows[static_cast<std::size_t>(lane)]);
        }
    }

    /// Transposes a matrix of width_ × width_ complex elements; missing rows may hold anything. In each layer, pairs
    /// of rows whose indices differ in one bit exchange 16-byte units, alternating ones going to either, or the halves
    /// of such units.
    std::vector<ir::Value> transposed(std::vector<ir::Value> rows) {
        const auto width = static_cast<std::size_t>(width_);
        rows.resize(width, rows[0]);
        const int lanes = 2 * width_;
        const int unit = 16 / bytes_of(context_.request.scalar);
        const auto access_map = [&](std::size_t bit, const auto& source) {
            for (std::size_t r = 0; r < width; ++r) {
                if ((r & bit) != 0) continue;
                const ir::Value a = rows[r], b = rows[r | bit];
                for (const int odd : {0, 1}) {
                    std::vector<std::int8_t> map;
                    for (int lane = 0; lane < lanes; ++lane)
                        map.push_back(static_cast<std::int8_t>(source(lane, odd)));
                    rows[odd ? r | bit : r] = context_.builder.shuffle(a, b, std::move(map));
                }
            }
        };
        const auto alternate_units = [&](int lane, int odd) {
            return lane / unit * 2 * unit + odd * unit + lane % unit;
        };
        const auto alternate_pairs = [&](int lane, int odd) {
            return lane / 4 * 4 + 2 * odd + lane % 2 + lane / 2 % 2 * lanes;
        };
        for (std::size_t bit = static_cast<std::size_t>(unit) / 2; bit < width; bit *= 2)
            access_map(bit, alternate_units);
        if (unit == 4) access_map(1, alternate_pairs);
        return rows;
    }

    Context& context_;
    const Call& call_;
    int width_;
    Lanes lanes_;
    PairArithmetic arithmetic_;
    std::vector<Loop> around_;
    std::vector<Twiddle> before_, after_;
    formula::DiagonalValues diagonal_values_;
    std::vector<Integer> values_; ///< of variables
    Integer first_ = 0;           ///< iteration in lane 0
    int active_ = 0;              ///< lanes (complex elements) in use
};

} // namespace

bool suits_pairs(const KernelRequest& request, const LoopProgram& loops) {
    if (request.multiplication != Multiplication::fused || request.lanes < 2) return false;
    Integer vectors = 0;
    for (const Node& node : straight_part(loops)) {
        const auto* call = std::get_if<Call>(&node.node);
        if (call == nullptr ||
            iterations_of(*call) * call->codelet.columns * 2 > most_vectors * request.lanes ||
            !suits_pairs(loops, *call))
            return false;
        const Lanes lanes = lanes_of(loops, *call);
        vectors += ceil_divide(2 * lanes.count(), request.lanes) * iterations_of(*call) / lanes.count() *
                   call->codelet.columns;
    }
    return vectors <= most_vectors;
}

ir::Program lower_in_pairs(const KernelRequest& request, const LoopProgram& loops) {
    Context context(request, loops, true);
    const int width = width_of(request, loops);
    const std::function<void(const Nodes&)> emit = [&](const Nodes& nodes) {
        for (const Node& node : nodes)
            if (const auto* nest = std::get_if<Nest>(&node.node))
                context.in_nest(nest->loop, nest->body.size() == 1, [&] { emit(nest->body); });
            else
                PairEmitter(context, std::get<Call>(node.node), width).emit();
    };
    emit(loops.body);
    return context.finish();
}

} // namespace swirl::lower
