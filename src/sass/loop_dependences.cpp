#include "sass/loop_dependences.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace swirl::sass {

namespace {

/// The last accesses to a resource, on which the next one depends.
struct Touched {
    std::optional<std::size_t> writer;
    std::vector<std::size_t> readers;
};

class Collector {
public:
    Collector(const LoopPattern& pattern, const LoopWebs& webs) : pattern_(pattern), webs_(webs) {}

    std::vector<Dependence> collect() {
        const std::set<std::size_t> other_instructions(pattern_.other_instructions.begin(),
                                                       pattern_.other_instructions.end());
        for (std::size_t body_index = 0; body_index < pattern_.body.size(); ++body_index) {
            const Kind kind = kind_of(pattern_.body[body_index]);
            const bool is_other = other_instructions.contains(body_index);
            if (!is_other && kind != Kind::shared_load && kind != Kind::branch) continue;
            read_all(body_index);
            if (is_other) write_all(body_index);
            if (kind == Kind::copy || kind == Kind::fence || kind == Kind::barrier)
                write(memory_, body_index, false);
        }
        return std::move(result_);
    }

private:
    void add(std::size_t before, std::size_t after, bool has_latency) {
        if (before != after) result_.push_back({before, after, has_latency});
    }
    void read(Touched& touched, std::size_t body_index) {
        if (touched.writer) add(*touched.writer, body_index, true);
        touched.readers.push_back(body_index);
    }
    void write(Touched& touched, std::size_t body_index, bool has_latency = true) {
        if (touched.writer) add(*touched.writer, body_index, has_latency);
        for (const std::size_t reader : touched.readers) add(reader, body_index, false);
        touched = {body_index, {}};
    }

    void read_all(std::size_t body_index) {
        const Instruction& instruction = pattern_.body[body_index];
        for (const RegisterRange& range : registers_read(instruction))
            for (int k = range.first; k < range.first + range.count; ++k)
                if (const auto value = webs_.value_read(body_index, k))
                    read(values_[{*value, k}], body_index);
        each_between_fmas(predicates_read(instruction), uniform_read(instruction),
                          [&](Touched& touched) { read(touched, body_index); });
    }

    void write_all(std::size_t body_index) {
        const Instruction& instruction = pattern_.body[body_index];
        for (const RegisterRange& range : registers_written(instruction))
            for (int k = range.first; k < range.first + range.count; ++k)
                if (const auto value = webs_.value_written(body_index, k))
                    write(values_[{*value, k}], body_index);
        each_between_fmas(predicates_written(instruction), uniform_written(instruction),
                          [&](Touched& touched) { write(touched, body_index); });
    }

    /// Visits the given predicates, uniform registers and uniform predicates.
    template <class Touch>
    void each_between_fmas(unsigned predicates, const UniformSet& uniform, Touch&& touch) {
        for (std::size_t k = 0; k < predicates_.size(); ++k)
            if ((predicates >> k & 1U) != 0) touch(predicates_[k]);
        for (std::size_t k = 0; k < uniform_registers_.size(); ++k)
            if ((uniform.registers >> k & 1U) != 0) touch(uniform_registers_[k]);
        for (std::size_t k = 0; k < uniform_predicates_.size(); ++k)
            if ((uniform.predicates >> k & 1U) != 0) touch(uniform_predicates_[k]);
    }

    const LoopPattern& pattern_;
    const LoopWebs& webs_;
    std::map<std::pair<std::size_t, int>, Touched> values_;
    std::array<Touched, true_predicate> predicates_, uniform_predicates_;
    std::array<Touched, uniform_zero_register> uniform_registers_;
    Touched memory_;
    std::vector<Dependence> result_;
};

} // namespace

std::vector<Dependence> dependences(const LoopPattern& pattern, const LoopWebs& webs) {
    return Collector(pattern, webs).collect();
}

} // namespace swirl::sass
