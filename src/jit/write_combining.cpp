#include "jit/write_combining.hpp"

#include "jit/induction_variables.hpp"
#include "target/cpu.hpp"

#include <algorithm>
#include <deque>

namespace swirl::jit {

namespace {

/// Lines that gather stores at once: copies that alternate between more of them fall to a third of their rate on an Intel
/// Sapphire Rapids (beyond five lines), and to a tenth on an AMD Zen 3 (beyond eight).
constexpr std::size_t combining_buffers = 4;
/// Broken lines per line that are worth the traffic that the others save.
constexpr double most_broken = 1.0 / 16;
/// Iterations that are followed of a loop around others, and of an innermost loop, and stores in all.
constexpr Integer most_outer = 4, most_inner = 16, most_stores = 8192;
/// Granularity of a store.
constexpr Integer chunk = 16;

class CombiningBuffers {
public:
    CombiningBuffers(const ir::Program& program, const std::function<int(ir::Value)>& bytes_past_caches)
        : program_(program),
          bytes_past_caches_(bytes_past_caches),
          values_(program.variables.size(), 0),
          begun_(program.buffers.size(), 0),
          broken_(program.buffers.size(), 0) {}

    void follow(const ir::Statement& statement) {
        if (const auto* const block = std::get_if<ir::StraightLineBlock>(&statement.node))
            follow(*block);
        else if (const auto* const loop = std::get_if<ir::For>(&statement.node))
            follow(*loop);
        else if (const auto* const condition = std::get_if<ir::If>(&statement.node))
            for (const ir::Statement& inside : holds(*condition) ? condition->then : condition->otherwise)
                follow(inside);
    }

    std::vector<bool> filled() const {
        std::vector<bool> result;
        for (std::size_t b = 0; b < begun_.size(); ++b)
            result.push_back(static_cast<double>(broken_[b]) <= most_broken * static_cast<double>(begun_[b]));
        return result;
    }

private:
    struct Line {
        ir::Buffer buffer;
        Integer index;
        unsigned filled; ///< a bit for each chunk
    };
    static constexpr unsigned full = (1U << (target::line_bytes / chunk)) - 1;

    void follow(const ir::StraightLineBlock& block) {
        for (const ir::Value value : block.operations) {
            if (program_[value].opcode != ir::Opcode::store) continue;
            if (const int bytes = bytes_past_caches_(value); bytes > 0) store(program_[value].address, bytes);
        }
    }

    void follow(const ir::For& loop) {
        const Integer begin = value_of(loop.begin), end = value_of(loop.end);
        // Bounds that are parameters have no values here: the loop counts as a long one.
        const Integer constant = InductionVariables::constant_trips(loop);
        const Integer trips =
            constant >= 0 ? constant : std::max(ceil_divide(end - begin, loop.step), most_inner);
        const bool is_innermost =
            std::none_of(loop.body.begin(), loop.body.end(),
                         [](const ir::Statement& s) { return std::holds_alternative<ir::For>(s.node); });
        const Integer followed = std::min(trips, is_innermost ? most_inner : most_outer);
        std::vector<Integer> starts;
        for (const ir::Induction& induction : loop.inductions) starts.push_back(value_of(induction.start));
        for (Integer i = 0; i < followed; ++i) {
            at(loop.variable) = begin + i * loop.step;
            for (std::size_t k = 0; k < starts.size(); ++k)
                at(loop.inductions[k].variable) = starts[k] + loop.inductions[k].distance(i, trips);
            for (const ir::Statement& inside : loop.body) follow(inside);
        }
        if (followed < trips) lines_.clear(); // the next iterations would have filled them
    }

    void store(const ir::Address& address, Integer bytes) {
        if (++stores_ > most_stores) return;
        const ir::BufferInfo& buffer = program_.buffers[static_cast<std::size_t>(address.buffer)];
        // A base that may lie anywhere between two lines does so.
        const Integer base = buffer.space == ir::Space::argument && buffer.alignment < target::line_bytes
                                 ? buffer.alignment
                                 : 0;
        const Integer first = base + value_of(address.index) * bytes_of(buffer.element);
        for (Integer at = first; at < first + bytes; at += chunk) {
            const Integer index = at >= 0 ? at / target::line_bytes : -ceil_divide(-at, target::line_bytes);
            fill(address.buffer, index, 1U << ((at - index * target::line_bytes) / chunk));
        }
    }

    void fill(ir::Buffer buffer, Integer index, unsigned chunks) {
        auto line = std::find_if(lines_.begin(), lines_.end(), [&](const Line& open) {
            return open.buffer == buffer && open.index == index;
        });
        if (line == lines_.end()) {
            if (lines_.size() == combining_buffers) {
                ++broken_[static_cast<std::size_t>(lines_.front().buffer)];
                lines_.pop_front();
            }
            ++begun_[static_cast<std::size_t>(buffer)];
            line = lines_.insert(lines_.end(), {buffer, index, 0});
        }
        line->filled |= chunks;
        if (line->filled == full) lines_.erase(line);
    }

    bool holds(const ir::If& condition) const {
        return std::all_of(condition.conditions.begin(), condition.conditions.end(),
                           [&](const ir::Condition& one) { return one.holds_of(value_of(one.form)); });
    }

    Integer& at(Variable variable) { return values_[static_cast<std::size_t>(variable)]; }
    Integer value_of(const Affine& form) const {
        Integer value = form.constant();
        for (const Affine::Term& term : form.terms())
            value += term.coefficient * values_[static_cast<std::size_t>(term.variable)];
        return value;
    }

    const ir::Program& program_;
    const std::function<int(ir::Value)>& bytes_past_caches_;
    std::vector<Integer> values_;         ///< by variable
    std::deque<Line> lines_;              ///< gathering stores, the oldest first
    std::vector<Integer> begun_, broken_; ///< lines, by buffer
    Integer stores_ = 0;
};

} // namespace

std::vector<bool> filled_lines(const ir::Program& program, const ir::Statement& outermost,
                               const std::function<int(ir::Value)>& bytes_past_caches) {
    CombiningBuffers buffers(program, bytes_past_caches);
    buffers.follow(outermost);
    return buffers.filled();
}

} // namespace swirl::jit
