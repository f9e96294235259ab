#include <swirl/distributed/check.hpp>

#include "base/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace swirl::distributed {
namespace {

struct Interval {
    std::uint64_t begin, end;
    int rank;
    bool is_received;
};

struct Side {
    std::string_view bytes_name, offsets_name, array_name;
    const std::vector<Integer>& bytes;
    const std::vector<Integer>& offsets;
    const void* array;
    bool is_received;
};

std::string error_in_side(const Side& side, int size, std::vector<Interval>& intervals) {
    for (const auto& [name, values] :
         {std::pair{side.bytes_name, &side.bytes}, {side.offsets_name, &side.offsets}})
        if (values->size() != static_cast<std::size_t>(size))
            return fmt::format("{} has {} elements; it needs one for each of the {} ranks", name,
                               values->size(), size);
    const auto base = reinterpret_cast<std::uint64_t>(side.array);
    for (int rank = 0; rank < size; ++rank) {
        const Integer bytes = side.bytes[static_cast<std::size_t>(rank)];
        const Integer offset = side.offsets[static_cast<std::size_t>(rank)];
        if (bytes < 0) return fmt::format("{}[{}] is {}; it must be 0 or more", side.bytes_name, rank, bytes);
        if (bytes == 0) continue;
        if (offset < 0)
            return fmt::format("{}[{}] is {}; it must be 0 or more", side.offsets_name, rank, offset);
        if (offset > std::numeric_limits<Integer>::max() - bytes)
            return fmt::format("{}[{}] is {}, from which {} bytes pass the largest offset", side.offsets_name,
                               rank, offset, bytes);
        if (side.array == nullptr)
            return fmt::format("'{}' is null, but {}[{}] is {}", side.array_name, side.bytes_name, rank,
                               bytes);
        const std::uint64_t begin = base + static_cast<std::uint64_t>(offset);
        intervals.push_back({begin, begin + static_cast<std::uint64_t>(bytes), rank, side.is_received});
    }
    return "";
}

std::string name_of(const Interval& block) {
    return fmt::format("the block {} rank {}", block.is_received ? "received from" : "sent to", block.rank);
}

std::string error_in_overlaps(std::vector<Interval>& intervals) {
    std::sort(intervals.begin(), intervals.end(),
              [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
    const Interval* sent = nullptr; // those that reach farthest so far
    const Interval* received = nullptr;
    for (const Interval& next : intervals) {
        for (const Interval* before : {received, sent})
            if (before != nullptr && (next.is_received || before->is_received) && next.begin < before->end)
                return fmt::format("{} overlaps {} by {} bytes", name_of(next), name_of(*before),
                                   std::min(next.end, before->end) - next.begin);
        const Interval*& farthest = next.is_received ? received : sent;
        if (farthest == nullptr || farthest->end < next.end) farthest = &next;
    }
    return "";
}

} // namespace

std::string error_in(const ExchangeBlocks& blocks, const void* send, const void* receive, int size) {
    std::vector<Interval> intervals;
    intervals.reserve(2 * static_cast<std::size_t>(size));
    const Side sides[] = {
        {"send_bytes", "send_offsets", "send", blocks.send_bytes, blocks.send_offsets, send, false},
        {"receive_bytes", "receive_offsets", "receive", blocks.receive_bytes, blocks.receive_offsets, receive,
         true}};
    for (const Side& side : sides)
        if (std::string error = error_in_side(side, size, intervals); !error.empty()) return error;
    return error_in_overlaps(intervals);
}

} // namespace swirl::distributed
