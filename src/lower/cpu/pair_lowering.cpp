#include "lower/cpu/pair_lowering.hpp"

#include "base/integer.hpp"
#include "loops/place_pair_tags.hpp"
#include "lower/cpu/pair_arithmetic.hpp"
#include "lower/cpu/pair_pointwise.hpp"
#include "lower/emit_call.hpp"
#include "lower/straight_line.hpp"
#include "lower/twiddle_tables.hpp"

#include <algorithm>

namespace swirl::lower {

namespace {

/// Emits one call, all its loops unrolled.
class PairEmitter {
public:
    PairEmitter(Context& context, const Call& call)
        : context_(context), call_(call), width_(context.loops.pairs), arithmetic_(context, width_) {
        for (const Loop& loop : call.loops)
            if (loop.vec)
                lane_ = loop;
            else
                around_.push_back(loop);
        source_ = arrangement_of(context.loops, call.input, call.placement.sources, lane_);
        target_ = arrangement_of(context.loops, call.output, call.placement.targets, lane_);
        before_ = factors_of(call.placement.sources);
        after_ = factors_of(call.placement.targets);
        for (const auto& entries : call.placement.between) {
            between_.emplace_back();
            for (const auto& diagonals : entries)
                between_.back().push_back(twiddle_of(diagonals, context.extents()));
        }
        if (has_callback(call.placement.sources))
            loading_.emplace(context, *context.request.loops.load, width_);
        if (has_callback(call.placement.targets))
            storing_.emplace(context, *context.request.loops.store, width_);
    }

    void emit() { emit_loops(0); }

private:
    using Complex = std::complex<long double>;

    std::vector<Twiddle> factors_of(const std::vector<Location>& locations) const {
        std::vector<Twiddle> factors;
        for (const Location& location : locations)
            factors.push_back(twiddle_of(location.diagonals, context_.extents()));
        return factors;
    }

    Integer lanes() const { return lane_ ? lane_->count : 1; }

    void emit_loops(std::size_t k) {
        if (k < around_.size()) {
            for (Integer i = 0; i < around_[k].count; ++i) {
                set(around_[k].variable, i);
                emit_loops(k + 1);
            }
            return;
        }
        for (first_ = 0; first_ < lanes(); first_ += width_) {
            active_ = static_cast<int>(std::min<Integer>(width_, lanes() - first_));
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
        if (lane_) set(lane_->variable, first_ + lane);
    }

    void block() {
        std::vector<Scaled> x;
        for (const ir::Value value : load()) x.push_back({{value, false}, {}, 1});
        conjugate(x, call_.placement.sources);
        multiply(x, before_);
        x = straight_line(*call_.codelet.formula, x, arithmetic_);
        for (std::size_t factor = 0; factor < call_.codelet.then.size(); ++factor) {
            multiply(x, between_[factor]);
            x = straight_line(call_.codelet.then[factor], x, arithmetic_);
        }
        multiply(x, after_);
        conjugate(x, call_.placement.targets);
        std::vector<ir::Value> y;
        for (const Scaled& entry : x) y.push_back(arithmetic_.value(entry));
        store(std::move(y));
    }

    void multiply(std::vector<Scaled>& x, const std::vector<Twiddle>& factors) {
        for (std::size_t k = 0; k < x.size(); ++k) x[k] = scaled(x[k], factors[k]);
    }

    /// The entries whose conjugates are in memory.
    void conjugate(std::vector<Scaled>& x, const std::vector<Location>& locations) {
        for (std::size_t k = 0; k < x.size(); ++k)
            if (locations[k].im_negative) x[k] = arithmetic_.conjugate(x[k]);
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
        return context_.placed(pair_address(context_.loops, memory, location));
    }

    bool runs_backwards(const Memory& memory, const Location& location, MemoryArrangement arrangement) const {
        return lane_ && arrangement == MemoryArrangement::side_by_side &&
               is_reversed(context_.loops, memory, location, *lane_);
    }

    /// The first `count` elements in reverse order; the others may hold anything.
    ir::Value reversed(ir::Value vector, int count) {
        if (count == 1) return vector;
        std::vector<std::int8_t> map(static_cast<std::size_t>(2 * width_), -1);
        for (int lane = 0; lane < 2 * count; ++lane)
            map[static_cast<std::size_t>(lane)] =
                static_cast<std::int8_t>(2 * (count - 1 - lane / 2) + lane % 2);
        return context_.builder.shuffle(vector, vector, std::move(map));
    }

    /// The forms of `count` elements that are one access.
    PairPointwise::ElementForms forms_of(const std::vector<Location>& locations,
                                         MemoryArrangement arrangement, std::size_t entry, Integer lane,
                                         int count) {
        PairPointwise::ElementForms forms;
        const bool are_lanes = arrangement == MemoryArrangement::side_by_side;
        for (int j = 0; j < count; ++j) {
            set_lane(are_lanes ? lane + j : lane);
            forms.emplace_back();
            for (const Affine& form :
                 locations[are_lanes ? entry : entry + static_cast<std::size_t>(j)].forms[0])
                forms.back().push_back(context_.placed(form));
        }
        return forms;
    }

    std::vector<ir::Value> load() {
        const std::vector<Location>& locations = call_.placement.sources;
        const auto one = [&](std::size_t entry, Integer lane, int count) {
            const bool reverse = runs_backwards(call_.input, locations[entry], source_);
            const Integer lowest = reverse ? lane + count - 1 : lane;
            const ir::Value value = context_.builder.load(context_.buffers_of(call_.input).re,
                                                          index(call_.input, locations[entry], lowest),
                                                          {.lanes = 2 * width_, .active = 2 * count});
            if (reverse) return reversed(value, count);
            if (!loading_) return value;
            return loading_->apply(value, forms_of(locations, source_, entry, lane, count));
        };
        std::vector<ir::Value> values;
        if (source_ == MemoryArrangement::side_by_side) {
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
            if (storing_) value = storing_->apply(value, forms_of(locations, target_, entry, lane, count));
            const bool reverse = runs_backwards(call_.output, locations[entry], target_);
            const Integer lowest = reverse ? lane + count - 1 : lane;
            context_.builder.store(context_.buffers_of(call_.output).re,
                                   index(call_.output, locations[entry], lowest),
                                   reverse ? reversed(value, count) : value, {.active = 2 * count});
        };
        if (target_ == MemoryArrangement::side_by_side) {
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
        const int unit = 16 / bytes_of(context_.request.loops.scalar);
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
    std::optional<Loop> lane_; ///< with the tag vec(ν)
    MemoryArrangement source_;
    MemoryArrangement target_;
    PairArithmetic arithmetic_;
    std::vector<Loop> around_;
    std::vector<Twiddle> before_, after_;
    std::vector<std::vector<Twiddle>> between_;      ///< by further formula of the codelet
    std::optional<PairPointwise> loading_, storing_; ///< callbacks, in the order of memory
    formula::DiagonalValues diagonal_values_;
    std::vector<Integer> values_; ///< of variables
    Integer first_ = 0;           ///< iteration in lane 0
    int active_ = 0;              ///< lanes (complex elements) in use
};

} // namespace

void emit_call_in_pairs(Context& context, const Call& call) {
    if (!call.complex) return emit_call(context, call);
    PairEmitter(context, call).emit();
}

} // namespace swirl::lower
