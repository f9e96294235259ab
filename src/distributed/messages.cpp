#include "distributed/messages.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::distributed {

namespace {

/// Whether the first element of a comes before that of b in this order of axes.
bool begins_before(const Box& a, const Box& b, const std::vector<int>& order) {
    for (const int axis : order) {
        const Integer of_a = a.lower[static_cast<std::size_t>(axis)],
                      of_b = b.lower[static_cast<std::size_t>(axis)];
        if (of_a != of_b) return of_a < of_b;
    }
    return false;
}

/// The common elements of two ranks, as both of them see it.
std::vector<Box> message(const Pieces& from, const Pieces& to, const std::vector<int>& order) {
    std::vector<Box> boxes;
    for (const Box& a : from)
        for (const Box& b : to)
            if (Box common = intersection(a, b, order); !common.lower.empty())
                boxes.push_back(std::move(common));
    std::sort(boxes.begin(), boxes.end(),
              [&](const Box& a, const Box& b) { return begins_before(a, b, order); });
    return boxes;
}

/// Lays messages out one after the other; with `shares_equal_ones`, equal messages lie in memory once.
void lay_out(const std::vector<std::vector<Box>>& messages, const std::vector<int>& order,
             bool shares_equal_ones, Layout& layout, std::vector<Integer>& counts,
             std::vector<Integer>& offsets) {
    counts.assign(messages.size(), 0);
    offsets.assign(messages.size(), 0);
    std::vector<std::size_t> sorted;
    for (std::size_t rank = 0; rank < messages.size(); ++rank)
        if (!messages[rank].empty()) sorted.push_back(rank);
    std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
        return begins_before(messages[a].front(), messages[b].front(), order);
    });
    Integer offset = 0;
    for (auto rank = sorted.begin(); rank != sorted.end(); ++rank) {
        const auto equal = std::find_if(sorted.begin(), rank, [&](std::size_t earlier) {
            return shares_equal_ones && messages[earlier] == messages[*rank];
        });
        if (equal != rank) {
            counts[*rank] = counts[*equal];
            offsets[*rank] = offsets[*equal];
            continue;
        }
        offsets[*rank] = offset;
        for (const Box& box : messages[*rank]) {
            layout.push_back({box, offset});
            offset += elements(box);
        }
        counts[*rank] = offset - offsets[*rank];
    }
}

} // namespace

Messages messages_of(const Decomposition& from, const Decomposition& to, int rank,
                     const std::vector<int>& order) {
    const auto own = static_cast<std::size_t>(rank);
    std::vector<std::vector<Box>> sent, received;
    for (std::size_t other = 0; other < from.ranks.size(); ++other) {
        sent.push_back(message(from.ranks[own], to.ranks[other], order));
        received.push_back(message(from.ranks[other], to.ranks[own], order));
    }
    Messages messages;
    lay_out(sent, order, true, messages.send, messages.send_counts, messages.send_offsets);
    lay_out(received, order, false, messages.receive, messages.receive_counts, messages.receive_offsets);
    return messages;
}

} // namespace swirl::distributed
