#include "distributed/program.hpp"

#include "base/error.hpp"
#include "base/overloaded.hpp"
#include "distributed/strided_problem.hpp"
#include "formula/print.hpp"
#include "problem/data_type.hpp"
#include "problem/problem.hpp"
#include "rules/rewriting_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace swirl::distributed {

namespace {

const char* name_of(Array array) {
    switch (array) {
    case Array::input: return "input";
    case Array::output: return "output";
    case Array::first: return "work 1";
    case Array::second: return "work 2";
    case Array::local: return "work 3";
    }
    throw InternalError("an array of unknown kind");
}

class ProgramBuilder {
public:
    ProgramBuilder(const Factors& factors, const RankFactors& rank, bool separate_copies)
        : factors_(factors), rank_(rank), separate_copies_(separate_copies) {}

    Program build() {
        const std::size_t stages = rank_.local.size();
        for (std::size_t stage = 0; stage < stages; ++stage)
            if (!rank_.local[stage].transforms.empty()) last_transforms_ = stage;
        for (std::size_t stage = 0; stage < stages; ++stage) {
            const LocalFactor& local = rank_.local[stage];
            is_last_ = stage + 1 == stages;
            if (local.transforms.empty())
                add_moves(local);
            else if (local.has_data())
                add_transform(local, stage == last_transforms_ ? factors_.problem.scale : 1.0);
            if (!is_last_) add_exchange(rank_.messages[stage], bytes_after(local), ends_with(stage + 1));
        }
        return std::move(program_);
    }

private:
    Integer bytes(bool is_complex) const {
        return bytes_of(factors_.problem.precision) * (is_complex ? 2 : 1);
    }
    Integer bytes_before(const LocalFactor& local) const { return bytes(local.is_complex_before); }
    Integer bytes_after(const LocalFactor& local) const { return bytes(local.is_complex_after); }

    /// The array between that is not being read.
    Array next() const { return at_ == Array::first ? Array::second : Array::first; }
    /// Where a step writes.
    Array advance(bool is_result, Integer count, Integer element_bytes) {
        const Array to = is_result ? Array::output : next();
        // in place, a step from the input to the output goes through an array between
        if (!is_result || at_ == Array::input)
            program_.workspace_bytes = std::max(program_.workspace_bytes, count * element_bytes);
        at_ = to;
        return to;
    }

    void add_copy(const Layout& from, const Layout& to, Integer element_bytes, bool is_result) {
        CopyStep step{at_, {}, copies(from, to), element_bytes, 0};
        for (const Block& block : to) step.elements += elements(block.box);
        step.to = advance(is_result, step.elements, element_bytes);
        program_.steps.emplace_back(std::move(step));
    }

    /// Of a stage that only sorts elements into messages, or out of them. Without need it copies nothing: the exchange then reads the
    /// input, or has written the output.
    void add_moves(const LocalFactor& local) {
        const bool is_done = move_nothing(copies(local.load, local.store));
        if (is_last_ ? at_ != Array::output : !is_done)
            add_copy(local.load, local.store, bytes_before(local), is_last_);
    }
    /// Whether the last stage, `stage`, has its elements in the output's order as they arrive.
    bool ends_with(std::size_t stage) const {
        const LocalFactor& local = rank_.local[stage];
        return stage + 1 == rank_.local.size() && local.transforms.empty() &&
               move_nothing(copies(local.load, local.store));
    }

    void add_exchange(const Messages& messages, Integer element_bytes, bool is_result) {
        const auto scaled = [&](std::vector<Integer> counts) {
            for (Integer& count : counts) count *= element_bytes;
            return counts;
        };
        Integer received = 0;
        for (const Integer count : messages.receive_counts) received += count;
        ExchangeStep step{at_, {}, {}};
        step.to = advance(is_result, received, element_bytes);
        step.blocks = {scaled(messages.send_counts), scaled(messages.send_offsets),
                       scaled(messages.receive_counts), scaled(messages.receive_offsets)};
        program_.steps.emplace_back(std::move(step));
    }

    /// Whether maps of messages can be terms of a formula: one kind of elements on both sides.
    bool folds(const LocalFactor& local) const {
        return local.is_complex_before == local.is_complex_after && bytes_of(factors_.problem.precision) >= 4;
    }

    void add_transform(const LocalFactor& local, double scale) {
        auto loads = strides_of(local.load, local.before);
        auto stores = strides_of(local.store, local.after);
        const bool has_twiddles = std::any_of(local.transforms.begin(), local.transforms.end(),
                                              [&](std::size_t axis) { return factors_.has_twiddles(axis); });
        if (separate_copies_ && !has_twiddles) {
            if (local.load.size() > 1) loads.reset();
            if (local.store.size() > 1) stores.reset();
        } else if (has_twiddles || (!(loads && stores) && folds(local))) {
            return add_formula(local, loads, stores, scale);
        }
        const Layout natural_before{{plain(local.before), 0}}, natural_after{{plain(local.after), 0}};
        if (!loads) add_copy(local.load, natural_before, bytes_before(local), false);
        const std::vector<Integer> in = loads ? *loads : *strides_of(natural_before, local.before);
        const std::vector<Integer> out = stores ? *stores : *strides_of(natural_after, local.after);
        add_strided(local, in, out, scale, stores.has_value());
        if (!stores) add_copy(natural_after, local.store, bytes_after(local), is_last_);
    }
    static Box plain(const Box& box) { return {box.lower, box.upper}; }

    void add_formula(const LocalFactor& local, const std::optional<std::vector<Integer>>& loads,
                     const std::optional<std::vector<Integer>>& stores, double scale) {
        const std::vector<int> order = stores  ? order_of_strides(*stores)
                                       : loads ? order_of_strides(*loads)
                                               : order_of(plain(local.before));
        TransformOptions options{.precision = factors_.problem.precision, .scale = scale};
        TransformStep step{at_, {}, {}};
        step.problem = Transform::of_matrix(
            local.is_complex_before ? TransformKind::formula : TransformKind::real_formula,
            MatrixFormula(rules::simplify(formula_of(local, factors_, order, false))), options);
        step.to = advance(is_last_, elements(local.after), bytes_after(local));
        program_.steps.emplace_back(std::move(step));
    }

    void add_strided(const LocalFactor& local, const std::vector<Integer>& in,
                     const std::vector<Integer>& out, double scale, bool stores_messages) {
        TransformStep step{
            at_, {}, strided_problem(factors_, local.transforms, local.before, in, out, scale)};
        step.to = advance(is_last_ && stores_messages, elements(local.after), bytes_after(local));
        program_.steps.emplace_back(std::move(step));
    }

    const Factors& factors_;
    const RankFactors& rank_;
    bool separate_copies_;
    Program program_;
    Array at_ = Array::input;
    bool is_last_ = false;
    std::size_t last_transforms_ = 0;
};

} // namespace

Program program_of(const Factors& factors, const RankFactors& rank, bool separate_copies) {
    return ProgramBuilder(factors, rank, separate_copies).build();
}

void plan_transforms(Program& program, const Options& options) {
    for (Step& step : program.steps) {
        if (auto* transform = std::get_if<TransformStep>(&step))
            transform->plan = plan(transform->problem, options);
        if (auto* deliver = std::get_if<DeliverStep>(&step))
            for (const Transform& problem : deliver->problems)
                deliver->plans.push_back(plan(problem, options));
        if (auto* stream = std::get_if<StreamStep>(&step))
            for (const Transform& problem : stream->problems) stream->plans.push_back(plan(problem, options));
    }
}

std::string to_text(const Step& step) {
    return std::visit(
        Overloaded{
            [](const TransformStep& s) {
                const std::string problem = has_formula(s.problem)
                                                ? "formula " + formula::to_short_text(s.problem.matrix.term())
                                                : swirl::to_text(s.problem);
                return fmt::format("transform  {} → {}: {}", name_of(s.from), name_of(s.to), problem);
            },
            [](const CopyStep& s) {
                return fmt::format("copy       {} → {}: {} bytes in {} blocks", name_of(s.from),
                                   name_of(s.to), s.elements * s.element_bytes, s.blocks.size());
            },
            [](const ExchangeStep& s) {
                Integer bytes = 0, blocks = 0;
                for (const Integer sent : s.blocks.send_bytes) {
                    bytes += sent;
                    blocks += sent > 0;
                }
                return fmt::format("exchange   {} → {}: {} bytes to {} ranks", name_of(s.from), name_of(s.to),
                                   bytes, blocks);
            },
            [](const DeliverStep& s) {
                std::string text = fmt::format("deliver    {} → {} of all ranks: {} chunks", name_of(s.from),
                                               name_of(s.to), s.chunks.size());
                for (const Transform& problem : s.problems) text += ", " + swirl::to_text(problem);
                return text;
            },
            [](const StreamStep& s) {
                std::string text = fmt::format("stream     {} → {}: {} chunks", name_of(s.from),
                                               name_of(s.to), s.chunks.size());
                for (const Transform& problem : s.problems) text += ", " + swirl::to_text(problem);
                return text;
            },
            [](const MeetStep&) { return std::string("meet"); },
        },
        step);
}

namespace {

Integer elements_of(const std::vector<BlockCopy>& copies) {
    Integer all = 0;
    for (const BlockCopy& copy : copies) {
        Integer count = 1;
        for (const BlockCopy::Loop& loop : copy.loops) count *= loop.count;
        all += count;
    }
    return all;
}

/// Calls visit(bytes) for each message to another rank.
template <class Visit> void for_each_message(const Program& program, int rank, Visit&& visit) {
    for (const Step& step : program.steps) {
        if (const auto* exchange = std::get_if<ExchangeStep>(&step))
            for (std::size_t to = 0; to < exchange->blocks.send_bytes.size(); ++to)
                if (static_cast<int>(to) != rank) visit(exchange->blocks.send_bytes[to]);
        if (const auto* stream = std::get_if<StreamStep>(&step))
            for (const StreamStep::Chunk& chunk : stream->chunks)
                for (std::size_t to = 0; to < chunk.blocks.send_bytes.size(); ++to)
                    if (static_cast<int>(to) != rank) visit(chunk.blocks.send_bytes[to]);
        if (const auto* deliver = std::get_if<DeliverStep>(&step))
            for (const DeliverStep::Chunk& chunk : deliver->chunks)
                for (const DeliverStep::Delivery& delivery : chunk.deliveries)
                    if (delivery.rank != rank) visit(elements_of(delivery.copies) * deliver->element_bytes);
    }
}

} // namespace

Integer bytes_sent(const Program& program, int rank) {
    Integer all = 0;
    for_each_message(program, rank, [&](Integer bytes) { all += bytes; });
    return all;
}

Integer messages_sent(const Program& program, int rank) {
    Integer messages = 0;
    for_each_message(program, rank, [&](Integer bytes) { messages += bytes > 0; });
    return messages;
}

Integer bytes_copied(const Program& program) {
    Integer bytes = 0;
    for (const Step& step : program.steps)
        if (const auto* copy = std::get_if<CopyStep>(&step))
            bytes += 2 * copy->elements * copy->element_bytes;
    return bytes;
}

} // namespace swirl::distributed
