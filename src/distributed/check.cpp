#include "distributed/mismatch.hpp"

#include "base/error.hpp"

#include <swirl/distributed/check.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace swirl::distributed {
namespace {

struct BlockInterval {
    std::uint64_t begin, end;
    int rank;
    bool is_received;
};

struct ExchangeSide {
    std::string_view bytes_name, offsets_name, array_name;
    const std::vector<Integer>& bytes;
    const std::vector<Integer>& offsets;
    const void* array;
    bool is_received;
};

std::string error_in_side(const ExchangeSide& side, int size, std::vector<BlockInterval>& intervals) {
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

std::string name_of_block(const BlockInterval& block) {
    return fmt::format("the block {} rank {}", block.is_received ? "received from" : "sent to", block.rank);
}

std::string error_in_overlaps(std::vector<BlockInterval>& intervals) {
    std::sort(intervals.begin(), intervals.end(),
              [](const BlockInterval& a, const BlockInterval& b) { return a.begin < b.begin; });
    const BlockInterval* sent = nullptr; // those that reach farthest so far
    const BlockInterval* received = nullptr;
    for (const BlockInterval& next : intervals) {
        for (const BlockInterval* before : {received, sent})
            if (before != nullptr && (next.is_received || before->is_received) && next.begin < before->end)
                return fmt::format("{} overlaps {} by {} bytes", name_of_block(next), name_of_block(*before),
                                   std::min(next.end, before->end) - next.begin);
        const BlockInterval*& farthest = next.is_received ? received : sent;
        if (farthest == nullptr || farthest->end < next.end) farthest = &next;
    }
    return "";
}

} // namespace

std::string error_in(const ExchangeBlocks& blocks, const void* send, const void* receive, int size) {
    std::vector<BlockInterval> intervals;
    intervals.reserve(2 * static_cast<std::size_t>(size));
    const ExchangeSide sides[] = {
        {"send_bytes", "send_offsets", "send", blocks.send_bytes, blocks.send_offsets, send, false},
        {"receive_bytes", "receive_offsets", "receive", blocks.receive_bytes, blocks.receive_offsets, receive,
         true}};
    for (const ExchangeSide& side : sides)
        if (std::string error = error_in_side(side, size, intervals); !error.empty()) return error;
    return error_in_overlaps(intervals);
}

std::string mismatch(std::span<const ExchangeBlocks> blocks, const std::function<std::string(int)>& name) {
    const int size = static_cast<int>(blocks.size());
    for (int from = 0; from < size; ++from)
        for (int to = 0; to < size; ++to) {
            const Integer sent =
                blocks[static_cast<std::size_t>(from)].send_bytes[static_cast<std::size_t>(to)];
            const Integer expected =
                blocks[static_cast<std::size_t>(to)].receive_bytes[static_cast<std::size_t>(from)];
            if (sent != expected)
                return fmt::format("{} sends {} bytes to {}, which expects {}", name(from), sent, name(to),
                                   expected);
        }
    return "";
}

void check_collectively(Communicator& communicator, const ExchangeBlocks& blocks, const void* send,
                        const void* receive) {
    const int size = communicator.size();
    const std::string own_error = error_in(blocks, send, receive, size);
    // whether the rest is an error's text; else what the rank sends and expects
    std::vector<std::byte> mine;
    const auto append = [&](const void* first, std::size_t bytes) {
        const auto* const begin = static_cast<const std::byte*>(first);
        mine.insert(mine.end(), begin, begin + bytes);
    };
    const char is_error = own_error.empty() ? 0 : 1;
    append(&is_error, 1);
    if (own_error.empty()) {
        append(blocks.send_bytes.data(), blocks.send_bytes.size() * sizeof(Integer));
        append(blocks.receive_bytes.data(), blocks.receive_bytes.size() * sizeof(Integer));
    } else {
        append(own_error.data(), own_error.size());
    }
    const auto all = communicator.gather_all(mine);
    std::vector<ExchangeBlocks> of_ranks(all.size());
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        const std::byte* const text = all[rank].data() + 1;
        if (all[rank][0] != std::byte{0})
            throw UserError("rank {}: {}", rank,
                            std::string_view(reinterpret_cast<const char*>(text), all[rank].size() - 1));
        for (auto* counts : {&of_ranks[rank].send_bytes, &of_ranks[rank].receive_bytes}) {
            const std::size_t bytes = all.size() * sizeof(Integer);
            counts->resize(all.size());
            std::memcpy(counts->data(), text + (counts == &of_ranks[rank].send_bytes ? 0 : bytes), bytes);
        }
    }
    if (const std::string error = mismatch(of_ranks, [](int rank) { return fmt::format("rank {}", rank); });
        !error.empty())
        throw UserError(error);
}

} // namespace swirl::distributed
