#include "distributed/interpreter.hpp"

#include "base/error.hpp"
#include "distributed/execution.hpp"

#include <cstring>
#include <variant>

namespace swirl::distributed {

namespace {

/// A rank's arrays and how far it has come.
struct RankState {
    const Program& program;
    const std::vector<std::byte>& input;
    std::vector<std::byte>& output;
    std::vector<std::byte> first, second;
    std::size_t next = 0;

    Execution execution() {
        return {input.data(), output.data(), first.data(), second.data(), output.size()};
    }
    Integer bytes(Array array) const {
        const std::size_t size = array == Array::input    ? input.size()
                                 : array == Array::output ? output.size()
                                 : array == Array::first  ? first.size()
                                                          : second.size();
        return static_cast<Integer>(size);
    }
    /// Runs to the next exchange; null at the end.
    const ExchangeStep* advance() {
        for (; next < program.steps.size(); ++next) {
            const Step& step = program.steps[next];
            if (const auto* exchange = std::get_if<ExchangeStep>(&step)) return ++next, exchange;
            if (const auto* transform = std::get_if<TransformStep>(&step)) execution().run(*transform);
            if (const auto* copy = std::get_if<CopyStep>(&step)) execution().run(*copy);
        }
        return nullptr;
    }
};

void check_block(Integer offset, Integer bytes, Integer size, std::size_t rank) {
    ensure(offset >= 0 && bytes >= 0 && offset + bytes <= size,
           "rank {}: a block of {} bytes at {} in an array of {}", rank, bytes, offset, size);
}

} // namespace

Traffic Interpreter::run(const std::vector<Program>& programs,
                         const std::vector<std::vector<std::byte>>& inputs,
                         std::vector<std::vector<std::byte>>& outputs) const {
    std::vector<RankState> ranks;
    for (std::size_t rank = 0; rank < programs.size(); ++rank) {
        const auto bytes = static_cast<std::size_t>(programs[rank].workspace_bytes);
        ranks.push_back({programs[rank], inputs[rank], outputs[rank], std::vector<std::byte>(bytes),
                         std::vector<std::byte>(bytes)});
    }
    Traffic traffic;
    for (;;) {
        std::vector<const ExchangeStep*> steps;
        for (RankState& rank : ranks) steps.push_back(rank.advance());
        for (const ExchangeStep* step : steps)
            ensure((step == nullptr) == (steps.front() == nullptr),
                   "ranks have different numbers of exchanges");
        if (steps.front() == nullptr) return traffic;
        ++traffic.exchanges;
        for (std::size_t to = 0; to < ranks.size(); ++to)
            for (std::size_t from = 0; from < ranks.size(); ++from) {
                const ExchangeBlocks &sent = steps[from]->blocks, &received = steps[to]->blocks;
                const Integer bytes = sent.send_bytes[to];
                ensure(bytes == received.receive_bytes[from],
                       "rank {} sends {} bytes to rank {}, which expects {}", from, bytes, to,
                       received.receive_bytes[from]);
                if (bytes == 0) continue;
                check_block(sent.send_offsets[to], bytes, ranks[from].bytes(steps[from]->from), from);
                check_block(received.receive_offsets[from], bytes, ranks[to].bytes(steps[to]->to), to);
                std::memcpy(ranks[to].execution().target(steps[to]->to) + received.receive_offsets[from],
                            ranks[from].execution().source(steps[from]->from) + sent.send_offsets[to],
                            static_cast<std::size_t>(bytes));
                if (from != to) {
                    traffic.bytes += bytes;
                    ++traffic.messages;
                }
            }
    }
}

} // namespace swirl::distributed
