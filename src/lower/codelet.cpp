#include "lower/codelet.hpp"

#include "lower/lane_choice.hpp"
#include "lower/straight_line.hpp"

#include <algorithm>

namespace swirl::lower {

namespace {

/// Straight-line operations up to which a codelet's loops are unrolled.
constexpr double unroll_limit = 400;

std::optional<std::vector<Location>> locate_all(const Endpoint& endpoint, Integer entries, Extents& extents) {
    std::vector<Location> places;
    for (Integer entry = 0; entry < entries; ++entry) {
        auto place = endpoint.locate(entry, extents);
        if (!place) return std::nullopt;
        places.push_back(std::move(*place));
    }
    return places;
}

/// One iteration may write over its own inputs, never over another's.
bool same_places(const std::vector<Location>& a, const std::vector<Location>& b) {
    std::vector<Affine> x, y;
    for (const Location& place : a) x.push_back(place.re);
    for (const Location& place : b) y.push_back(place.re);
    std::sort(x.begin(), x.end());
    std::sort(y.begin(), y.end());
    return x == y;
}

/// Emits one codelet in its loops; everything is located.
class CodeletEmitter {
public:
    CodeletEmitter(Context& context, const Codelet& codelet, const Endpoint& in, const Endpoint& out,
                   Placement placement, std::vector<Loop> loops)
        : context_(context),
          codelet_(codelet),
          in_(in.memory()),
          out_(out.memory()),
          complex_(out.is_complex()),
          placement_(std::move(placement)),
          loops_(std::move(loops)),
          lane_(choose_lane(placement_, loops_, context.request.lanes)) {
        if (lane_) std::erase_if(loops_, [&](const Loop& l) { return l.variable == lane_->loop.variable; });
        std::vector<Loop> around = context.open_loops();
        around.insert(around.end(), loops_.begin(), loops_.end());
        const auto factors = [&](const std::vector<Location>& places) {
            std::vector<Factor> result;
            for (const Location& place : places)
                result.push_back(factor_of(place.diagonals, context.extents));
            return FactorTables(context, complex_, std::move(result), around, lane_);
        };
        before_.emplace(factors(placement_.sources));
        after_.emplace(factors(placement_.targets));
    }

    void emit() { emit_loops(0); }

private:
    ir::For::Kind kind() const {
        const auto entries = static_cast<double>(codelet_.rows + codelet_.columns);
        double iterations = lane_ ? static_cast<double>(lane_->vectors()) : 1;
        for (const Loop& loop : loops_) iterations *= static_cast<double>(loop.count);
        return iterations * entries * 4 <= unroll_limit ? ir::For::Kind::unrolled : ir::For::Kind::serial;
    }

    void emit_loops(std::size_t k) {
        if (k < loops_.size()) return context_.in_loop(loops_[k], "i", kind(), [&] { emit_loops(k + 1); });
        if (!lane_) return body(0, 0);
        if (lane_->vectors() == 1) lanes(0, lane_->lanes);
        if (lane_->vectors() > 1) {
            const Affine block =
                context_.builder.open_loop(context_.fresh("v"), 0, lane_->vectors(), 1, kind());
            lanes(block, lane_->lanes);
            context_.builder.close_loop();
        }
        if (lane_->rest() > 0) lanes(lane_->vectors(), lane_->rest());
    }

    void lanes(const Affine& vector, Integer count) {
        const Affine lane =
            context_.builder.open_loop(context_.fresh("l"), 0, count, 1, ir::For::Kind::vector);
        context_.bind(lane_->loop.variable, lane_->lanes * vector + lane);
        body(vector, lane);
        context_.builder.close_loop();
    }

    void body(const Affine& vector, const Affine& lane) {
        Arithmetic arithmetic(context_.builder, context_.request.scalar, context_.request.multiplication);
        std::vector<Scaled> x;
        for (const Location& place : placement_.sources) x.push_back(load(place));
        for (std::size_t k = 0; k < x.size(); ++k) x[k] = before_->apply(k, x[k], arithmetic, vector, lane);
        std::vector<Scaled> y = codelet_.evaluate(std::move(x), arithmetic);
        for (std::size_t k = 0; k < y.size(); ++k) {
            y[k] = arithmetic.settle(after_->apply(k, y[k], arithmetic, vector, lane));
            store(placement_.targets[k], y[k], arithmetic);
        }
    }

    Scaled load(const Location& place) {
        Scaled value;
        value.re.value = context_.builder.load(in_.re, context_.placed(place.re));
        if (complex_) value.im.value = context_.builder.load(in_.im, context_.placed(place.im));
        return value;
    }

    void store(const Location& place, const Scaled& value, Arithmetic& arithmetic) {
        context_.builder.store(out_.re, context_.placed(place.re), arithmetic.materialize(value.re));
        if (complex_)
            context_.builder.store(out_.im, context_.placed(place.im), arithmetic.materialize(value.im));
    }

    Context& context_;
    const Codelet& codelet_;
    Memory in_;
    Memory out_;
    bool complex_;
    Placement placement_;
    std::vector<Loop> loops_; ///< without the lane loop
    std::optional<LaneLoop> lane_;
    std::optional<FactorTables> before_;
    std::optional<FactorTables> after_;
};

} // namespace

Codelet codelet_of(const formula::Formula& formula) {
    return {formula.rows(), formula.columns(), [formula](std::vector<Scaled> x, Arithmetic& arithmetic) {
                return straight_line(formula, std::move(x), arithmetic);
            }};
}

Codelet copying_codelet() {
    return {1, 1, [](std::vector<Scaled> x, Arithmetic&) { return x; }};
}

Codelet zero_codelet() {
    return {1, 0, [](std::vector<Scaled>, Arithmetic&) { return std::vector<Scaled>(1); }};
}

Temporary make_temporary(Context& context, Integer n, const std::vector<Loop>& loops, bool complex) {
    Affine base = 0;
    Integer stride = 1;
    for (std::size_t k = loops.size(); k-- > 0; stride *= loops[k].count)
        base += Affine::of(loops[k].variable, stride);
    const Memory memory = context.acquire(n * stride, complex);
    return {memory, Endpoint(memory).through(View{base, stride})};
}

void emit_codelet(Context& context, const Codelet& codelet, const Endpoint& in, const Endpoint& out,
                  const std::vector<Loop>& loops) {
    auto sources = locate_all(in, codelet.columns, context.extents);
    auto targets = locate_all(out, codelet.rows, context.extents);
    const bool overlapping = sources && targets && !sources->empty() && in.memory().re == out.memory().re &&
                             !same_places(*sources, *targets);
    if (!sources || overlapping) {
        const Temporary copy = make_temporary(context, codelet.columns, loops, in.is_complex());
        emit_copy(context, codelet.columns, in, copy.endpoint, loops);
        emit_codelet(context, codelet, copy.endpoint, out, loops);
        return context.release(copy.memory);
    }
    if (!targets) {
        const Temporary copy = make_temporary(context, codelet.rows, loops, out.is_complex());
        emit_codelet(context, codelet, in, copy.endpoint, loops);
        emit_copy(context, codelet.rows, copy.endpoint, out, loops);
        return context.release(copy.memory);
    }
    Placement placement{std::move(*sources), std::move(*targets)};
    CodeletEmitter(context, codelet, in, out, std::move(placement), loops).emit();
}

} // namespace swirl::lower
