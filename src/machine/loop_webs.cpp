#include "machine/loop_webs.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <set>

namespace swirl::machine {

namespace {

constexpr std::ptrdiff_t not_yet = -1, of_products = -2;

} // namespace

LoopWebs::LoopWebs(const LoopPattern& pattern, const std::map<std::size_t, std::size_t>& positions,
                   const RegisterSet& taken)
    : pattern_(pattern), current_(zero_register + 1, not_yet) {
    collect(positions);
    allocate(taken);
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

std::size_t LoopWebs::new_web(int number, bool is_fixed) {
    webs_.push_back({webs_.size(), number, is_fixed});
    return webs_.size() - 1;
}

void LoopWebs::read(std::size_t place, std::size_t position) {
    for (const RegisterRange& range : registers_read(pattern_.body[place])) {
        std::size_t first = 0;
        for (int k = 0; k < range.count; ++k) {
            const int number = range.first + k;
            std::ptrdiff_t& current = current_[static_cast<std::size_t>(number)];
            if (current == of_products)
                throw UserError("'{}' reads R{}, a sum or a factor", name_of(pattern_.body[place]), number);
            if (current == not_yet) current = static_cast<std::ptrdiff_t>(new_web(number, true));
            const auto web = static_cast<std::size_t>(current);
            webs_[web].first = std::min(webs_[web].first, position);
            webs_[web].last = std::max(webs_[web].last, position);
            if (k == 0) first = web;
            join(first, web);
        }
        web_of_[{place, range.slot}] = first;
    }
}

void LoopWebs::write(std::size_t place, std::size_t position) {
    const Instruction& instruction = pattern_.body[place];
    for (const RegisterRange& range : registers_written(instruction)) {
        std::size_t first = 0;
        for (int k = 0; k < range.count; ++k) {
            const int number = range.first + k;
            std::ptrdiff_t& current = current_[static_cast<std::size_t>(number)];
            const std::size_t web = new_web(number, false);
            webs_[web].first = webs_[web].last = position;
            if (!instruction.is_unconditional()) {
                if (current < 0) throw UserError("'{}' is conditional", name_of(instruction));
                join(static_cast<std::size_t>(current), web);
            }
            current = static_cast<std::ptrdiff_t>(web);
            if (k == 0) first = web;
            join(first, web);
        }
        web_of_[{place, slot_d}] = first;
    }
}

void LoopWebs::collect(const std::map<std::size_t, std::size_t>& positions) {
    const std::set<std::size_t> others(pattern_.others.begin(), pattern_.others.end());
    for (std::size_t place = 0; place < pattern_.body.size(); ++place) {
        const auto position = positions.find(place);
        if (position != positions.end()) read(place, position->second);
        if (others.contains(place)) {
            write(place, position->second);
            continue;
        }
        for (const RegisterRange& range : registers_written(pattern_.body[place]))
            for (int k = 0; k < range.count; ++k)
                current_[static_cast<std::size_t>(range.first + k)] = of_products;
    }
    for (std::size_t number = 0; number < zero_register; ++number)
        if (pattern_.kept.test(number) && current_[number] >= 0)
            webs_[static_cast<std::size_t>(current_[number])].is_fixed = true;
}

void LoopWebs::allocate(const RegisterSet& taken) {
    std::map<std::size_t, std::vector<std::size_t>> groups;
    std::set<std::size_t> fixed;
    for (std::size_t web = 0; web < webs_.size(); ++web) {
        groups[root(web)].push_back(web);
        if (webs_[web].is_fixed) fixed.insert(root(web));
    }
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> busy(zero_register);
    const auto is_free = [&](const std::vector<std::size_t>& group, int move, bool is_fixed) {
        return std::ranges::all_of(group, [&](std::size_t k) {
            const Web& web = webs_[k];
            const int number = web.number + move;
            if (number < 0 || number >= zero_register) return false;
            const auto place = static_cast<std::size_t>(number);
            if (is_fixed && pattern_.kept.test(place)) return true;
            if (taken.test(place) || !pattern_.free.test(place)) return false;
            return std::ranges::none_of(busy[place], [&](const auto& span) {
                return span.first <= web.last && web.first <= span.second;
            });
        });
    };
    const auto place_group = [&](std::size_t group, int move) {
        moves_[group] = move;
        for (const std::size_t k : groups.at(group))
            busy[static_cast<std::size_t>(webs_[k].number + move)].emplace_back(webs_[k].first,
                                                                                webs_[k].last);
    };
    for (const std::size_t group : fixed) {
        if (!is_free(groups.at(group), 0, true)) throw UserError("a register that stays is taken");
        place_group(group, 0);
    }
    for (const auto& [group, members] : groups) {
        if (fixed.contains(group)) continue;
        bool is_placed = false;
        for (int distance = 0; distance < zero_register && !is_placed; distance += 2)
            for (const int move : {distance, -distance}) {
                if (is_placed || !is_free(members, move, false)) continue;
                place_group(group, move);
                is_placed = true;
            }
        if (!is_placed) throw UserError("registers do not suffice for what stands between products");
    }
}

Instruction LoopWebs::renamed(std::size_t place) const {
    Instruction result = pattern_.body[place];
    const auto rename = [&](const RegisterRange& range) {
        const auto web = web_of_.find({place, range.slot});
        if (web != web_of_.end())
            set_register(result, range.slot, range.first + moves_.at(root(web->second)));
    };
    for (const RegisterRange& range : registers_read(pattern_.body[place])) rename(range);
    for (const RegisterRange& range : registers_written(pattern_.body[place])) rename(range);
    return result;
}

std::map<std::size_t, std::size_t> LoopWebs::makers_of_addresses(const LoopPattern& pattern) {
    std::map<int, std::size_t> makers;
    std::map<std::size_t, std::size_t> result;
    const std::set<std::size_t> others(pattern.others.begin(), pattern.others.end());
    for (std::size_t place = 0; place < pattern.body.size(); ++place) {
        const Instruction& instruction = pattern.body[place];
        if (kind_of(instruction) == Kind::shared_load)
            for (const RegisterRange& range : registers_read(instruction))
                if (const auto maker = makers.find(range.first); maker != makers.end())
                    result[place] = maker->second;
        for (const RegisterRange& range : registers_written(instruction))
            for (int k = 0; k < range.count; ++k) {
                makers.erase(range.first + k);
                if (others.contains(place)) makers[range.first + k] = place;
            }
    }
    return result;
}

} // namespace swirl::machine
