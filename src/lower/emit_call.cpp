#include "lower/emit_call.hpp"

#include "base/error.hpp"
#include "loops/vector_loop.hpp"
#include "lower/emit_element.hpp"
#include "lower/pointwise_access.hpp"
#include "lower/straight_line.hpp"
#include "lower/tabled_copy.hpp"

#include <algorithm>

namespace swirl::lower {

/// Emits one codelet and its loops.
class CodeletEmitter {
public:
    CodeletEmitter(Context& context, const Call& call)
        : context_(context),
          codelet_(call.codelet),
          in_(context.buffers_of(call.input)),
          out_(context.buffers_of(call.output)),
          call_(call),
          complex_(call.complex),
          placement_(call.placement),
          loops_(call.loops),
          lane_(vector_loop_of(loops_)) {
        if (lane_) std::erase_if(loops_, [&](const Loop& l) { return l.variable == lane_->loop.variable; });
        std::vector<Loop> around = context.open_loops();
        around.insert(around.end(), loops_.begin(), loops_.end());
        const auto limited = [&](Twiddle factor) {
            if (call.limit && varies_with(factor, *call.limit)) factor.limit = call.limit;
            return factor;
        };
        const auto factors = [&](const std::vector<Location>& locations) {
            std::vector<Twiddle> result;
            for (const Location& location : locations) {
                result.push_back(limited(twiddle_of(location.diagonals, context.extents())));
                if (location.limit) limit_to(result.back(), *location.limit);
            }
            return TwiddleTables(context, complex_, std::move(result), around, lane_);
        };
        source_pairs_ = pairs_of_reals(context, call.input, placement_.sources, complex_);
        target_pairs_ = pairs_of_reals(context, call.output, placement_.targets, complex_);
        if (has_callback(placement_.sources))
            loading_.emplace(context, call.input, placement_.sources, complex_, context.request.loops.load,
                             around, true, lane_);
        else
            from_.emplace(context, placement_.sources, around);
        if (has_callback(placement_.targets))
            storing_.emplace(context, call.output, placement_.targets, complex_, context.request.loops.store,
                             around, false, lane_);
        else
            to_.emplace(context, placement_.targets, around);
        before_.emplace(factors(placement_.sources));
        after_.emplace(factors(placement_.targets));
        if (call.first_source) first_before_.emplace(factors({call.first_source->location}));
        if (call.first_target) first_after_.emplace(factors({call.first_target->location}));
        for (const auto& entries : placement_.between) {
            std::vector<Twiddle> result;
            for (const auto& diagonals : entries)
                result.push_back(limited(twiddle_of(diagonals, context.extents())));
            between_.push_back(
                std::make_unique<TwiddleTables>(context, complex_, std::move(result), around, lane_));
        }
    }

    void emit() { emit_loops(0); }

    std::vector<Scaled> load() {
        std::vector<Scaled> x = loading_ ? loading_->load() : std::vector<Scaled>(placement_.sources.size());
        for (std::size_t k = 0; k < x.size() && !loading_; ++k)
            if (has_limit(placement_.sources[k]))
                x[k] = lower::load_if_present(context_, call_.input, placement_.sources[k],
                                              placement_.sources.front(), complex_);
            else if (const auto second = source_pairs_[k]; second == k)
                x[k] = load(k);
            else if (second)
                load_pair(x, k, *second);
        if (const auto& first = call_.first_source)
            x.push_back(
                lower::load_if_present(context_, first->memory, first->location, first->location, true));
        return x;
    }

    std::vector<Scaled> compute(std::vector<Scaled> x, const Affine& vector, const Affine& lane) {
        Arithmetic arithmetic(context_.builder, context_.request.loops.scalar,
                              context_.request.multiplication);
        std::vector<Scaled> y = computed(std::move(x), arithmetic, vector, lane);
        for (std::size_t k = 0; k < placement_.targets.size(); ++k)
            if (!placement_.targets[k].is_nowhere()) y[k] = settled(k, y[k], arithmetic, vector, lane);
        if (call_.first_target)
            y.back() = arithmetic.settle(first_after_->apply(0, y.back(), arithmetic, vector, lane));
        return y;
    }

    void store(const std::vector<Scaled>& y) {
        Arithmetic arithmetic(context_.builder, context_.request.loops.scalar,
                              context_.request.multiplication);
        if (const auto& first = call_.first_target)
            lower::store_if_present(context_, first->memory, first->location,
                                    arithmetic.materialize(y.back().re), arithmetic.materialize(y.back().im));
        if (storing_) return storing_->store(y, arithmetic);
        for (std::size_t k = 0; k < placement_.targets.size(); ++k)
            if (has_limit(placement_.targets[k]))
                store_if_present(k, y[k], arithmetic);
            else if (const auto second = target_pairs_[k]; second == k)
                store(k, y[k], arithmetic);
            else if (second)
                store_pair(y, k, *second, arithmetic);
    }

private:
    static bool has_limit(const Location& location) { return location.limit || location.im_limit; }

    void emit_loops(std::size_t k) {
        if (k < loops_.size()) return context_.in_loop(loops_[k], "i", [&] { emit_loops(k + 1); });
        if (!lane_) return guarded(0, 1, [&] { body(0, 0); });
        if (lane_->overlap) return overlapping_vectors();
        const Integer lead = lane_->lead, before = lead > 0;
        if (lead > 0) lanes(0, 0, lead);
        if (lane_->vectors() == 1) lanes(before, lead, lane_->lanes);
        if (lane_->vectors() > 1) {
            const Affine block = context_.builder.open_loop(context_.fresh("vector_"), 0, lane_->vectors(), 1,
                                                            kind_of(lane_->loop.tag));
            lanes(block + before, lane_->lanes * block + lead, lane_->lanes);
            context_.builder.close_loop();
        }
        if (lane_->rest() > 0)
            lanes(lane_->vectors() + before, lane_->lanes * lane_->vectors() + lead, lane_->rest());
    }

    /// All vectors in one loop.
    void overlapping_vectors() {
        std::vector<Integer> last;
        for (Integer vector = lane_->vectors(); vector < lane_->all_vectors(); ++vector)
            last.push_back(lane_->iterations_of(vector).first - lane_->lead);
        const Affine vector = context_.builder.open_loop(context_.fresh("vector_"), 0, lane_->all_vectors(),
                                                         1, kind_of(lane_->loop.tag));
        lanes(
            vector,
            context_.builder.induction(context_.fresh("first_"), lane_->lead, lane_->lanes, std::move(last)),
            lane_->lanes);
        context_.builder.close_loop();
    }

    /// `count` iterations from `first` on; `vector` is the vector's index.
    void lanes(const Affine& vector, const Affine& first, Integer count) {
        guarded(first, count, [&] {
            const Affine lane =
                context_.builder.open_loop(context_.fresh("lane_"), 0, count, 1, ir::For::Kind::vector);
            context_.bind(lane_->loop.variable, first + lane);
            body(vector, lane);
            context_.builder.close_loop();
        });
    }

    /// The body for `count` iterations of the lane loop, between accesses to elements that conditions guard.
    template <class Body> void guarded(const Affine& first, Integer count, Body&& body) {
        if (loading_) loading_->before(first, count);
        std::forward<Body>(body)();
        if (storing_) storing_->after(first, count);
    }

    void body(const Affine& vector, const Affine& lane) {
        if (loading_) loading_->set_lane(lane);
        if (storing_) storing_->set_lane(lane);
        Arithmetic arithmetic(context_.builder, context_.request.loops.scalar,
                              context_.request.multiplication);
        std::vector<Scaled> y = computed(load(), arithmetic, vector, lane);
        for (std::size_t k = 0; k < y.size(); ++k) {
            y[k] = settled(k, y[k], arithmetic, vector, lane);
            if (!storing_) store(k, y[k], arithmetic);
        }
        if (storing_) storing_->store(y, arithmetic);
    }

    /// The codelet applied to the sources, without the twiddle factors of the targets.
    std::vector<Scaled> computed(std::vector<Scaled> x, Arithmetic& arithmetic, const Affine& vector,
                                 const Affine& lane) {
        for (std::size_t k = 0; k < placement_.sources.size(); ++k)
            x[k] = before_->apply(k, x[k], arithmetic, vector, lane);
        if (!call_.first_source) return run(std::move(x), arithmetic, vector, lane);
        x.back() = first_before_->apply(0, x.back(), arithmetic, vector, lane);
        std::rotate(x.begin(), x.end() - 1, x.end());
        x = run(std::move(x), arithmetic, vector, lane);
        std::rotate(x.begin(), x.begin() + 1, x.end());
        return x;
    }

    Scaled settled(std::size_t target, const Scaled& value, Arithmetic& arithmetic, const Affine& vector,
                   const Affine& lane) {
        return arithmetic.settle(after_->apply(target, value, arithmetic, vector, lane));
    }

    std::vector<Scaled> run(std::vector<Scaled> x, Arithmetic& arithmetic, const Affine& vector,
                            const Affine& lane) {
        if (!codelet_.formula) {
            x.resize(static_cast<std::size_t>(codelet_.rows)); // entries not copied are zero
            return x;
        }
        x = straight_line(*codelet_.formula, x, arithmetic);
        for (std::size_t factor = 0; factor < codelet_.then.size(); ++factor) {
            const std::size_t first = call_.first_source ? 1 : 0;
            for (std::size_t k = first; k < x.size(); ++k)
                x[k] = between_[factor]->apply(k - first, x[k], arithmetic, vector, lane);
            x = straight_line(codelet_.then[factor], x, arithmetic);
        }
        return x;
    }

    bool is_one_access(const Memory& memory, const Location& location) const {
        return complex_ && lower::is_one_access(context_, memory, location);
    }

    void load_pair(std::vector<Scaled>& x, std::size_t first, std::size_t second) {
        ir::Builder& builder = context_.builder;
        const Location& location = placement_.sources[first];
        const ir::Value both =
            builder.load(in_.re, context_.placed(call_.input, location.re), {.lanes = 2, .active = 2});
        x[first].re = {builder.shuffle(both, both, {0}), location.re_negative};
        x[second].re = {builder.shuffle(both, both, {1}), placement_.sources[second].re_negative};
    }

    void store_pair(const std::vector<Scaled>& y, std::size_t first, std::size_t second,
                    Arithmetic& arithmetic) {
        const auto signed_value = [&](std::size_t k) {
            return arithmetic.materialize(placement_.targets[k].re_negative ? -y[k].re : y[k].re);
        };
        const ir::Value value = signed_value(first);
        const ir::Value both = context_.builder.shuffle(value, signed_value(second), {0, 1});
        context_.builder.store(out_.re, context_.placed(call_.output, placement_.targets[first].re), both,
                               {.active = 2});
    }

    Scaled load(std::size_t source) {
        const Location& location = placement_.sources[source];
        const ir::Value dynamic = from_->dynamic(source);
        Scaled value;
        if (is_one_access(call_.input, location)) {
            ir::Builder& builder = context_.builder;
            const ir::Value both = builder.load(in_.re, context_.placed(call_.input, location.re),
                                                {.lanes = 2, .active = 2, .dynamic = dynamic});
            value.re = {builder.shuffle(both, both, {0}), location.re_negative};
            value.im = {builder.shuffle(both, both, {1}), location.im_negative};
            return value;
        }
        const ir::Access access{.dynamic = dynamic};
        value.re = {context_.builder.load(in_.re, context_.placed(call_.input, location.re), access),
                    location.re_negative};
        if (complex_)
            value.im = {context_.builder.load(in_.im, context_.placed(call_.input, location.im),
                                              {.dynamic = from_->dynamic_of_imaginary(source)}),
                        location.im_negative};
        return value;
    }

    void store_if_present(std::size_t target, const Scaled& value, Arithmetic& arithmetic) {
        const Location& location = placement_.targets[target];
        if (location.is_nowhere()) return;
        const ir::Value re = arithmetic.materialize(location.re_negative ? -value.re : value.re);
        const ir::Value im = arithmetic.materialize(location.im_negative ? -value.im : value.im);
        lower::store_if_present(context_, call_.output, location, re, im);
    }

    void store(std::size_t target, Scaled value, Arithmetic& arithmetic) {
        const Location& location = placement_.targets[target];
        const ir::Value dynamic = to_->dynamic(target);
        if (location.re_negative) value.re = -value.re;
        if (location.im_negative) value.im = -value.im;
        if (is_one_access(call_.output, location)) {
            const ir::Value both = context_.builder.shuffle(arithmetic.materialize(value.re),
                                                            arithmetic.materialize(value.im), {0, 1});
            context_.builder.store(out_.re, context_.placed(call_.output, location.re), both,
                                   {.active = 2, .dynamic = dynamic});
            return;
        }
        context_.builder.store(out_.re, context_.placed(call_.output, location.re),
                               arithmetic.materialize(value.re), {.dynamic = dynamic});
        if (complex_)
            context_.builder.store(out_.im, context_.placed(call_.output, location.im),
                                   arithmetic.materialize(value.im),
                                   {.dynamic = to_->dynamic_of_imaginary(target)});
    }

    Context& context_;
    const Codelet& codelet_;
    Buffers in_;
    Buffers out_;
    const Call& call_;
    bool complex_;
    const Placement& placement_;
    std::vector<Loop> loops_; ///< without the lane loop
    std::optional<VectorLoop> lane_;
    PairsOfReals source_pairs_;
    PairsOfReals target_pairs_;
    std::optional<IndexTables> from_;
    std::optional<IndexTables> to_;
    std::optional<PointwiseAccess> loading_; ///< replaces plain accesses
    std::optional<PointwiseAccess> storing_;
    std::optional<TwiddleTables> first_before_;
    std::optional<TwiddleTables> first_after_;
    std::optional<TwiddleTables> before_;
    std::optional<TwiddleTables> after_;
    std::vector<std::unique_ptr<TwiddleTables>> between_;
};

BoundCall::BoundCall(Context& context, const Call& call)
    : emitter_(std::make_unique<CodeletEmitter>(context, call)) {}
BoundCall::~BoundCall() = default;
BoundCall::Entries BoundCall::load() { return emitter_->load(); }
BoundCall::Entries BoundCall::compute(Entries sources) { return emitter_->compute(std::move(sources), 0, 0); }
void BoundCall::store(Entries targets) { emitter_->store(targets); }

void emit_call(Context& context, const Call& call) {
    if (is_tabled(call.placement.sources) || is_tabled(call.placement.targets))
        emit_tabled_copy(context, call);
    else
        CodeletEmitter(context, call).emit();
}

} // namespace swirl::lower
