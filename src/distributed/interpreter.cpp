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
    std::vector<std::byte> first, second, local, chunk, sent, received;
    std::size_t next = 0;

    RankArrays arrays() {
        return {input.data(), output.data(), first.data(),    second.data(), local.data(),
                chunk.data(), sent.data(),   received.data(), output.size()};
    }
    Integer bytes(Array array) const {
        const std::size_t size = array == Array::input    ? input.size()
                                 : array == Array::output ? output.size()
                                 : array == Array::first  ? first.size()
                                 : array == Array::local  ? local.size()
                                                          : second.size();
        return static_cast<Integer>(size);
    }
};

void check_block(Integer offset, Integer bytes, Integer size, std::size_t rank) {
    ensure(offset >= 0 && bytes >= 0 && offset + bytes <= size,
           "rank {}: a block of {} bytes at {} in an array of {}", rank, bytes, offset, size);
}

void check_copies(const std::vector<BlockCopy>& copies, Integer element_bytes, Integer size,
                  std::size_t rank) {
    for (const BlockCopy& copy : copies) {
        Integer last = copy.to;
        for (const BlockCopy::Loop& loop : copy.loops) last += (loop.count - 1) * loop.to;
        check_block(copy.to * element_bytes, (last - copy.to + 1) * element_bytes, size, rank);
    }
}

void deliver(const DeliverStep& step, std::size_t from, std::vector<RankState>& ranks, Traffic& traffic) {
    for (const DeliverStep::Chunk& chunk : step.chunks)
        for (const DeliverStep::Delivery& delivery : chunk.deliveries) {
            const auto to = static_cast<std::size_t>(delivery.rank);
            check_copies(delivery.copies, step.element_bytes, ranks[to].bytes(step.to), to);
        }
    const RankArrays arrays = ranks[from].arrays();
    Execution(arrays).run(
        step, [&](int rank) { return ranks[static_cast<std::size_t>(rank)].arrays().target(step.to); },
        [] {});
    Program alone;
    alone.steps.emplace_back(step);
    traffic.bytes += bytes_sent(alone, static_cast<int>(from));
    traffic.messages += messages_sent(alone, static_cast<int>(from));
}

/// A rank's blocks, and its arrays with their sizes.
struct Crossing {
    const ExchangeBlocks* blocks;
    const std::byte* send;
    Integer send_bytes;
    std::byte* receive;
    Integer receive_bytes;
};

void carry_out(const std::vector<Crossing>& ranks, Traffic& traffic) {
    ++traffic.exchanges;
    for (std::size_t to = 0; to < ranks.size(); ++to)
        for (std::size_t from = 0; from < ranks.size(); ++from) {
            const ExchangeBlocks &sent = *ranks[from].blocks, &received = *ranks[to].blocks;
            const Integer bytes = sent.send_bytes[to];
            ensure(bytes == received.receive_bytes[from],
                   "rank {} sends {} bytes to rank {}, which expects {}", from, bytes, to,
                   received.receive_bytes[from]);
            if (bytes == 0) continue;
            check_block(sent.send_offsets[to], bytes, ranks[from].send_bytes, from);
            check_block(received.receive_offsets[from], bytes, ranks[to].receive_bytes, to);
            std::memcpy(ranks[to].receive + received.receive_offsets[from],
                        ranks[from].send + sent.send_offsets[to], static_cast<std::size_t>(bytes));
            if (from != to) {
                traffic.bytes += bytes;
                ++traffic.messages;
            }
        }
}

/// Runs a rank to the next step for which all ranks must be there; null at the end.
const Step* advance(std::size_t rank, std::vector<RankState>& ranks, Traffic& traffic) {
    RankState& state = ranks[rank];
    for (; state.next < state.program.steps.size(); ++state.next) {
        const Step& step = state.program.steps[state.next];
        const RankArrays arrays = state.arrays();
        const Execution execution(arrays);
        if (const auto* transform = std::get_if<TransformStep>(&step)) execution.run(*transform);
        if (const auto* copy = std::get_if<CopyStep>(&step)) execution.run(*copy);
        if (const auto* delivery = std::get_if<DeliverStep>(&step)) deliver(*delivery, rank, ranks, traffic);
        if (std::holds_alternative<ExchangeStep>(step) || std::holds_alternative<StreamStep>(step) ||
            std::holds_alternative<MeetStep>(step))
            return ++state.next, &step;
    }
    return nullptr;
}

} // namespace

Traffic Interpreter::run(const std::vector<Program>& programs,
                         const std::vector<std::vector<std::byte>>& inputs,
                         std::vector<std::vector<std::byte>>& outputs) const {
    const auto array = [](Integer bytes) { return std::vector<std::byte>(static_cast<std::size_t>(bytes)); };
    std::vector<RankState> ranks;
    for (std::size_t rank = 0; rank < programs.size(); ++rank) {
        const auto bytes = static_cast<std::size_t>(programs[rank].workspace_bytes);
        ranks.push_back({programs[rank], inputs[rank], outputs[rank], std::vector<std::byte>(bytes),
                         std::vector<std::byte>(bytes), array(programs[rank].local_bytes),
                         array(programs[rank].chunk_bytes), array(programs[rank].sent_bytes),
                         array(programs[rank].received_bytes)});
    }
    Traffic traffic;
    for (;;) {
        std::vector<const Step*> reached;
        for (std::size_t rank = 0; rank < ranks.size(); ++rank)
            reached.push_back(advance(rank, ranks, traffic));
        for (const Step* step : reached)
            ensure((step == nullptr) == (reached.front() == nullptr) &&
                       (step == nullptr || step->index() == reached.front()->index()),
                   "ranks have different numbers of exchanges");
        if (reached.front() == nullptr) return traffic;
        if (std::holds_alternative<MeetStep>(*reached.front())) continue;
        if (std::holds_alternative<ExchangeStep>(*reached.front())) {
            std::vector<Crossing> crossings;
            for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
                const auto& step = std::get<ExchangeStep>(*reached[rank]);
                const RankArrays arrays = ranks[rank].arrays();
                crossings.push_back({&step.blocks, arrays.source(step.from), ranks[rank].bytes(step.from),
                                     arrays.target(step.to), ranks[rank].bytes(step.to)});
            }
            carry_out(crossings, traffic);
            continue;
        }
        std::vector<const StreamStep*> steps;
        for (const Step* step : reached) {
            steps.push_back(&std::get<StreamStep>(*step));
            ensure(steps.back()->chunks.size() == steps.front()->chunks.size(),
                   "ranks have different numbers of exchanges");
        }
        for (std::size_t k = 0; k < steps.front()->chunks.size(); ++k) {
            std::vector<Crossing> crossings;
            for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
                RankState& state = ranks[rank];
                const RankArrays arrays = state.arrays();
                const StreamStep& step = *steps[rank];
                for (const StreamStep::Part& part : step.chunks[k].parts) Execution(arrays).run(step, part);
                const bool in_place = step.receives_in_place;
                crossings.push_back(
                    {&step.chunks[k].blocks, arrays.sent, static_cast<Integer>(state.sent.size()),
                     in_place ? arrays.target(step.to) : arrays.received,
                     in_place ? state.bytes(step.to) : static_cast<Integer>(state.received.size())});
            }
            carry_out(crossings, traffic);
            for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
                const RankArrays arrays = ranks[rank].arrays();
                check_copies(steps[rank]->chunks[k].unpack, steps[rank]->element_bytes,
                             ranks[rank].bytes(steps[rank]->to), rank);
                Execution(arrays).unpack(*steps[rank], steps[rank]->chunks[k]);
            }
        }
    }
}

} // namespace swirl::distributed
