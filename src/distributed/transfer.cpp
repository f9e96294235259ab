#include "distributed/transfer.hpp"

#include "distributed/schedule.hpp"

namespace swirl::distributed {

namespace {

const std::vector<int>& row_major() {
    static const auto& order = *new std::vector<int>{0, 1}; // never destroyed: may be in use at exit
    return order;
}

Integer elements_in(const Layout& layout) {
    Integer count = 0;
    for (const Block& block : layout) count += elements(block.box);
    return count;
}

} // namespace

Transfer transfer_of(const Decomposition& from, const Decomposition& to, int rank, Integer element_bytes,
                     bool adds) {
    const auto own = static_cast<std::size_t>(rank);
    Transfer result;
    result.element_bytes = element_bytes;
    result.is_needed = adds || !has_same_boxes(from, to);
    if (!result.is_needed) return result;
    result.messages = messages_of(from, to, rank, row_major());
    result.sent = elements_in(result.messages.send);
    result.received = elements_in(result.messages.receive);
    result.pack = copies(layout_of(from.ranks[own]), result.messages.send);
    if (move_nothing(result.pack)) result.pack.clear();
    result.unpack = copies(result.messages.receive, layout_of(to.ranks[own]));
    if (!adds && move_nothing(result.unpack)) result.unpack.clear();
    return result;
}

} // namespace swirl::distributed
