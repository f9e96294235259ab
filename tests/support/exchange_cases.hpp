#pragma once

#include <swirl/distributed/communicator.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace swirl::support {

/// An exchange among all ranks, drawn from a seed: each rank draws the same, and takes its own share.
struct ExchangeCase {
    std::vector<distributed::ExchangeBlocks> blocks; ///< of each rank
    std::vector<std::size_t> send_extent, receive_extent;

    /// Blocks of 0 to `largest` bytes, many of them empty, in random order, with gaps.
    static ExchangeCase random(std::uint64_t seed, int size, Integer largest) {
        std::mt19937_64 draw(seed);
        const auto p = static_cast<std::size_t>(size);
        std::vector<std::vector<Integer>> bytes(p, std::vector<Integer>(p));
        const std::uint64_t kind = draw() % 4; // mostly uneven; sparse; equal; ranks without data
        for (std::size_t from = 0; from < p; ++from)
            for (std::size_t to = 0; to < p; ++to) {
                const Integer drawn = static_cast<Integer>(draw() % static_cast<std::uint64_t>(largest + 1));
                bytes[from][to] = drawn;
                if (kind == 1 && draw() % 4 != 0) bytes[from][to] = 0;
                if (kind == 2) bytes[from][to] = largest;
                if (kind == 3 && (from % 2 == 1 || to % 3 == 1)) bytes[from][to] = 0;
            }
        ExchangeCase result;
        for (std::size_t rank = 0; rank < p; ++rank) {
            distributed::ExchangeBlocks blocks;
            blocks.send_bytes = bytes[rank];
            for (std::size_t from = 0; from < p; ++from) blocks.receive_bytes.push_back(bytes[from][rank]);
            result.send_extent.push_back(lay_out(draw, blocks.send_bytes, blocks.send_offsets));
            result.receive_extent.push_back(lay_out(draw, blocks.receive_bytes, blocks.receive_offsets));
            result.blocks.push_back(std::move(blocks));
        }
        return result;
    }

    /// Byte k of what `from` sends to `to`.
    static std::byte value(int from, int to, Integer k) {
        const auto mixed = static_cast<std::uint64_t>(from) * 0x9E3779B97F4A7C15U +
                           static_cast<std::uint64_t>(to) * 0xC2B2AE3D27D4EB4FU +
                           static_cast<std::uint64_t>(k) * 0x165667B19E3779F9U;
        return static_cast<std::byte>(mixed >> 56);
    }

    std::vector<std::byte> sent(int rank) const {
        const auto own = static_cast<std::size_t>(rank);
        std::vector<std::byte> result(send_extent[own], std::byte{0xEE});
        for (std::size_t to = 0; to < blocks.size(); ++to)
            for (Integer k = 0; k < blocks[own].send_bytes[to]; ++k)
                result[static_cast<std::size_t>(blocks[own].send_offsets[to] + k)] =
                    value(rank, static_cast<int>(to), k);
        return result;
    }

    /// What the rank's array must hold afterwards: gaps keep what `unwritten` fills them with.
    std::vector<std::byte> expected(int rank) const {
        const auto own = static_cast<std::size_t>(rank);
        std::vector<std::byte> result = unwritten(rank);
        for (std::size_t from = 0; from < blocks.size(); ++from)
            for (Integer k = 0; k < blocks[own].receive_bytes[from]; ++k)
                result[static_cast<std::size_t>(blocks[own].receive_offsets[from] + k)] =
                    value(static_cast<int>(from), rank, k);
        return result;
    }

    std::vector<std::byte> unwritten(int rank) const {
        return std::vector<std::byte>(receive_extent[static_cast<std::size_t>(rank)], std::byte{0x5A});
    }

private:
    static std::size_t lay_out(std::mt19937_64& draw, const std::vector<Integer>& bytes,
                               std::vector<Integer>& offsets) {
        std::vector<std::size_t> order(bytes.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::shuffle(order.begin(), order.end(), draw);
        offsets.resize(bytes.size());
        Integer end = 0;
        for (const std::size_t k : order) {
            end += draw() % 2 == 0 ? 0 : static_cast<Integer>(draw() % 17);
            offsets[k] = end;
            end += bytes[k];
        }
        return static_cast<std::size_t>(end) + 1; // so that no array is empty
    }
};

/// Runs a case and compares all bytes.
inline void expect_exchanged(distributed::Communicator& communicator, const ExchangeCase& drawn) {
    const int rank = communicator.rank();
    const std::vector<std::byte> send = drawn.sent(rank);
    std::vector<std::byte> receive = drawn.unwritten(rank);
    communicator.exchange(send.data(), receive.data(), drawn.blocks[static_cast<std::size_t>(rank)]);
    EXPECT_EQ(receive, drawn.expected(rank)) << "rank " << rank << " of " << communicator.size();
}

} // namespace swirl::support
