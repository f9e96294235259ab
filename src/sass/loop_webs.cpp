#include "sass/loop_webs.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <set>

namespace swirl::sass {

namespace {

constexpr std::ptrdiff_t not_yet = -1, of_fmas = -2;
} // namespace

LoopWebs::LoopWebs(const LoopPattern& pattern)
    : pattern_(pattern), current_(zero_register + 1, not_yet), busy_(zero_register) {
    collect();
}

std::size_t LoopWebs::root(std::size_t web) const {
    while (webs_[web].parent != web) web = webs_[web].parent;
    return web;
}

void LoopWebs::join(std::size_t a, std::size_t b) {
    a = root(a);
    b = root(b);
    if (a != b) webs_[b].parent = a;
}

std::size_t LoopWebs::new_web(int reg, bool is_fixed) {
    webs_.push_back({webs_.size(), reg, is_fixed});
    return webs_.size() - 1;
}

void LoopWebs::read(std::size_t body_index) {
    for (const RegisterRange& range : registers_read(pattern_.body[body_index])) {
        std::size_t first = 0;
        for (int k = 0; k < range.count; ++k) {
            const int reg = range.first + k;
            std::ptrdiff_t& current = current_[static_cast<std::size_t>(reg)];
            if (current == of_fmas)
                throw UserError("'{}' reads R{}, an accumulator or an operand of FMAs",
                                name_of(pattern_.body[body_index]), reg);
            if (current == not_yet) current = static_cast<std::ptrdiff_t>(new_web(reg, true));
            const auto web = static_cast<std::size_t>(current);
            webs_[web].body_indices.push_back(body_index);
            read_[{body_index, reg}] = web;
            webs_[web].is_of_pair = webs_[web].is_of_pair || range.count > 1;
            if (k == 0) first = web;
            join(first, web);
        }
        web_of_[{body_index, range.slot}] = first;
    }
}

void LoopWebs::write(std::size_t body_index) {
    const Instruction& instruction = pattern_.body[body_index];
    for (const RegisterRange& range : registers_written(instruction)) {
        std::size_t first = 0;
        for (int k = 0; k < range.count; ++k) {
            const int reg = range.first + k;
            std::ptrdiff_t& current = current_[static_cast<std::size_t>(reg)];
            const std::size_t web = new_web(reg, false);
            webs_[web].body_indices.push_back(body_index);
            written_[{body_index, reg}] = web;
            if (!instruction.is_unconditional() && !is_read_only_under_guards(body_index, reg)) {
                if (current == of_fmas)
                    throw UserError("'{}' overwrites an FMA's register conditionally", name_of(instruction));
                if (current == not_yet) current = static_cast<std::ptrdiff_t>(new_web(reg, true));
                join(static_cast<std::size_t>(current), web);
            }
            current = static_cast<std::ptrdiff_t>(web);
            webs_[web].is_of_pair = webs_[web].is_of_pair || range.count > 1;
            if (k == 0) first = web;
            join(first, web);
        }
        web_of_[{body_index, slot_d}] = first;
    }
}

/// Whether a guarded write hides the old value: every later reader has a guard under which the register was written
/// since.
bool LoopWebs::is_read_only_under_guards(std::size_t body_index, int reg) const {
    using Guard = std::pair<int, bool>;
    const auto guard_of = [](const Instruction& instruction) {
        return Guard{instruction.guard, instruction.is_guard_negated};
    };
    const auto touches = [&](const std::vector<RegisterRange>& ranges) {
        return std::ranges::any_of(ranges, [&](const RegisterRange& range) { return range.has(reg); });
    };
    std::set<Guard> written_under;
    for (std::size_t next = body_index; next < pattern_.body.size(); ++next) {
        const Instruction& instruction = pattern_.body[next];
        const bool is_read = next > body_index && touches(registers_read(instruction));
        if (is_read && !written_under.contains(guard_of(instruction))) return false;
        const std::uint32_t changed = predicates_written(instruction);
        std::erase_if(written_under, [&](const Guard& guard) { return (changed >> guard.first & 1U) != 0; });
        if (!touches(registers_written(instruction))) continue;
        if (instruction.is_unconditional()) return true;
        if ((changed >> instruction.guard & 1U) == 0) written_under.insert(guard_of(instruction));
    }
    return !pattern_.live_out.test(static_cast<std::size_t>(reg));
}

void LoopWebs::collect() {
    const std::set<std::size_t> other_instructions(pattern_.other_instructions.begin(),
                                                   pattern_.other_instructions.end());
    for (std::size_t body_index = 0; body_index < pattern_.body.size(); ++body_index) {
        const Instruction& instruction = pattern_.body[body_index];
        const bool is_other = other_instructions.contains(body_index);
        if (is_other || kind_of(instruction) == Kind::shared_load) read(body_index);
        if (is_other) {
            write(body_index);
            continue;
        }
        for (const RegisterRange& range : registers_written(instruction))
            for (int k = 0; k < range.count; ++k)
                current_[static_cast<std::size_t>(range.first + k)] = of_fmas;
    }
    for (std::size_t reg = 0; reg < zero_register; ++reg)
        if (pattern_.live_out.test(reg) && current_[reg] >= 0)
            webs_[static_cast<std::size_t>(current_[reg])].is_fixed = true;
    for (std::size_t web = 0; web < webs_.size(); ++web)
        if (webs_[web].is_fixed) fixed_.insert(root(web));
}

/// Fixed groups share registers.
std::size_t LoopWebs::value_of(std::size_t web) const {
    const std::size_t group = root(web);
    return fixed_.contains(group) ? webs_.size() + static_cast<std::size_t>(webs_[web].reg) : group;
}
std::optional<std::size_t> LoopWebs::value_read(std::size_t body_index, int reg) const {
    const auto web = read_.find({body_index, reg});
    return web == read_.end() ? std::nullopt : std::optional(value_of(web->second));
}
std::optional<std::size_t> LoopWebs::value_written(std::size_t body_index, int reg) const {
    const auto web = written_.find({body_index, reg});
    return web == written_.end() ? std::nullopt : std::optional(value_of(web->second));
}

void LoopWebs::set_spans(const std::map<std::size_t, std::size_t>& positions, std::size_t copy_reads_for) {
    for (Web& web : webs_)
        for (const std::size_t body_index : web.body_indices) {
            const std::size_t position = positions.at(body_index);
            const bool is_copy = kind_of(pattern_.body[body_index]) == Kind::copy;
            web.first = std::min(web.first, position);
            web.last = std::max(web.last, position + (is_copy ? copy_reads_for : 0));
        }
}

bool LoopWebs::is_free(const std::vector<std::size_t>& group, int move, bool is_fixed,
                       const RegisterSet& taken) const {
    return std::ranges::all_of(group, [&](std::size_t k) {
        const Web& web = webs_[k];
        const int reg = web.reg + move;
        if (reg < 0 || reg >= zero_register) return false;
        const auto body_index = static_cast<std::size_t>(reg);
        if (is_fixed && pattern_.live_out.test(body_index)) return true;
        if (taken.test(body_index) || !pattern_.free.test(body_index)) return false;
        return std::ranges::none_of(busy_[body_index], [&](const auto& span) {
            return span.first < web.last &&
                   web.first < span.second; // a consumer of one may produce the other
        });
    });
}

void LoopWebs::assign_registers(std::size_t group, const std::vector<std::size_t>& webs, int move) {
    moves_[group] = move;
    for (const std::size_t k : webs)
        busy_[static_cast<std::size_t>(webs_[k].reg + move)].emplace_back(webs_[k].first, webs_[k].last);
}

void LoopWebs::allocate(const std::map<std::size_t, std::size_t>& positions, const RegisterSet& taken,
                        std::size_t copy_reads_for) {
    set_spans(positions, copy_reads_for);
    std::map<std::size_t, std::vector<std::size_t>> groups;
    for (std::size_t web = 0; web < webs_.size(); ++web) groups[root(web)].push_back(web);
    for (const std::size_t group : fixed_) {
        if (!is_free(groups.at(group), 0, true, taken)) throw UserError("a fixed register is already in use");
        assign_registers(group, groups.at(group), 0);
    }
    for (const auto& [group, members] : groups) {
        if (fixed_.contains(group)) continue;
        bool is_placed = false;
        const bool has_pairs =
            std::ranges::any_of(members, [&](std::size_t web) { return webs_[web].is_of_pair; });
        for (int distance = 0; distance < zero_register && !is_placed; distance += has_pairs ? 2 : 1)
            for (const int move : {distance, -distance}) {
                if (is_placed || !is_free(members, move, false, taken)) continue;
                assign_registers(group, members, move);
                is_placed = true;
            }
        if (!is_placed) throw UserError("too few registers for the instructions between FMAs");
    }
}

Instruction LoopWebs::renamed(std::size_t body_index) const {
    Instruction result = pattern_.body[body_index];
    const auto rename = [&](const RegisterRange& range) {
        const auto web = web_of_.find({body_index, range.slot});
        if (web != web_of_.end())
            set_register(result, range.slot, range.first + moves_.at(root(web->second)));
    };
    for (const RegisterRange& range : registers_read(pattern_.body[body_index])) rename(range);
    for (const RegisterRange& range : registers_written(pattern_.body[body_index])) rename(range);
    return result;
}

} // namespace swirl::sass
