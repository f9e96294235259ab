// Asynchronous stores: what they write is unwritten until the thread waits, and counts as written both when they are issued and
// when it has waited, so that whoever touches it in between without a barrier is in a race.
#include "ir/interpreter_machine.hpp"

namespace swirl::ir {

using namespace interpreted;

void Interpreter::Machine::store_asynchronously(const Step& step, Threads threads) {
    View& to = view(step);
    for (const int t : threads) {
        const Integer first = base(step, t);
        if (first < to.low || first + step.active > to.high) {
            report(Finding::Kind::out_of_bounds, step, first, t);
            continue;
        }
        const Cell* values = code_.cells.data() + step.operands[0] + static_cast<std::size_t>(t * step.lanes);
        Copy copy{&step, first, {values, values + step.active}};
        mark_stored(copy, t);
        for (Integer lane = 0; lane < step.active; ++lane) to.written[position(to, first + lane, t)] = 0;
        copies_[static_cast<std::size_t>(t)].open.push_back(std::move(copy));
    }
    count_traffic(step, threads, report_.stores[static_cast<std::size_t>(step.buffer)]);
}

void Interpreter::Machine::mark_stored(const Copy& copy, int thread) {
    View& to = view(*copy.step);
    for (Integer lane = 0; lane < std::ssize(copy.values); ++lane) {
        if (races_as_store(to, position(to, copy.first + lane, thread), thread))
            report(Finding::Kind::race, *copy.step, copy.first + lane, thread);
    }
}

void Interpreter::Machine::execute_fence(const Node& node, Threads threads) {
    for (const int t : threads) {
        if (node.fence.what != CopyFence::What::stores || node.fence.kind == CopyFence::Kind::begin ||
            node.fence.kind == CopyFence::Kind::publish) {
            execute_tile_fence(node.fence, t);
            continue;
        }
        Copies& copies = copies_[static_cast<std::size_t>(t)];
        if (node.fence.kind == CopyFence::Kind::commit) {
            copies.groups.push_back(std::move(copies.open));
            copies.open.clear();
            continue;
        }
        for (; std::ssize(copies.groups) > node.fence.pending; copies.groups.pop_front())
            for (const Copy& copy : copies.groups.front()) finish(copy, t);
    }
}

void Interpreter::Machine::finish(const Copy& copy, int thread) {
    View& to = view(*copy.step);
    mark_stored(copy, thread);
    for (std::size_t lane = 0; lane < copy.values.size(); ++lane) {
        const Integer at = position(to, copy.first + static_cast<Integer>(lane), thread);
        if (to.written[at] != 0) // stored to in between
            report(Finding::Kind::race, *copy.step, copy.first + static_cast<Integer>(lane), thread);
        to.cells[at] = copy.values[lane];
        to.written[at] = 1;
    }
}

/// At the end of blocks: who has not waited may have written over what others have by then.
void Interpreter::Machine::expect_no_copies() {
    for (std::size_t t = 0; t < copies_.size(); ++t) {
        Copies& copies = copies_[t];
        const auto unfinished = [&](const std::vector<Copy>& group) {
            for (const Copy& copy : group)
                report(Finding::Kind::unfinished_copy, *copy.step, copy.first, static_cast<int>(t));
        };
        for (const std::vector<Copy>& group : copies.groups) unfinished(group);
        unfinished(copies.open);
        copies = {};
        expect_no_readings(static_cast<int>(t));
    }
}

} // namespace swirl::ir
