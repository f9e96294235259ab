#include "machine/loop_dependences.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace swirl::machine {

namespace {

/// Who has touched something last: what comes next depends on these.
struct Touched {
    std::optional<std::size_t> writer;
    std::vector<std::size_t> readers;
};

class Collector {
public:
    Collector(const LoopPattern& pattern, const LoopWebs& webs) : pattern_(pattern), webs_(webs) {}

    std::vector<Dependence> collect() {
        const std::set<std::size_t> others(pattern_.others.begin(), pattern_.others.end());
        for (std::size_t place = 0; place < pattern_.body.size(); ++place) {
            const Kind kind = kind_of(pattern_.body[place]);
            const bool is_other = others.contains(place);
            if (!is_other && kind != Kind::shared_load && kind != Kind::branch) continue;
            read_all(place);
            if (is_other) write_all(place);
            if (kind == Kind::copy || kind == Kind::fence || kind == Kind::barrier)
                write(memory_, place, false);
        }
        return std::move(result_);
    }

private:
    void add(std::size_t before, std::size_t after, bool has_latency) {
        if (before != after) result_.push_back({before, after, has_latency});
    }
    void read(Touched& touched, std::size_t place) {
        if (touched.writer) add(*touched.writer, place, true);
        touched.readers.push_back(place);
    }
    void write(Touched& touched, std::size_t place, bool has_latency = true) {
        if (touched.writer) add(*touched.writer, place, has_latency);
        for (const std::size_t reader : touched.readers) add(reader, place, false);
        touched = {place, {}};
    }

    void read_all(std::size_t place) {
        const Instruction& instruction = pattern_.body[place];
        for (const RegisterRange& range : registers_read(instruction))
            for (int k = range.first; k < range.first + range.count; ++k)
                if (const auto value = webs_.value_read(place, k)) read(values_[{*value, k}], place);
        each_beside(predicates_read(instruction), uniform_read(instruction),
                    [&](Touched& touched) { read(touched, place); });
    }

    void write_all(std::size_t place) {
        const Instruction& instruction = pattern_.body[place];
        for (const RegisterRange& range : registers_written(instruction))
            for (int k = range.first; k < range.first + range.count; ++k)
                if (const auto value = webs_.value_written(place, k)) write(values_[{*value, k}], place);
        each_beside(predicates_written(instruction), uniform_written(instruction),
                    [&](Touched& touched) { write(touched, place); });
    }

    /// What these sets of predicates, uniform registers and uniform predicates have.
    template <class Touch> void each_beside(unsigned predicates, const UniformSet& uniform, Touch&& touch) {
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

} // namespace swirl::machine
