// The snippets of docs/reference/engines.md: ranks that exchange data. Each is between its name in brackets and "[end]".
#include <swirl/distributed/nccl.hpp>
#include <swirl/distributed/peer_memory.hpp>
#include <swirl/distributed/threads.hpp>
#include <swirl/error.hpp>

#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

namespace {

using swirl::Integer;
namespace distributed = swirl::distributed;

// [threads]
/// Sends each rank, this one included, two numbers.
void send_to_all(distributed::Communicator& ranks) {
    const std::vector<double> send = {ranks.rank() + 0.25, ranks.rank() + 0.75};
    const auto size = static_cast<std::size_t>(ranks.size());
    std::vector<double> receive(2 * size);
    const Integer bytes = 2 * sizeof(double);
    distributed::ExchangeBlocks blocks;
    blocks.send_bytes.assign(size, bytes);
    blocks.send_offsets.assign(size, 0); // the same two to all
    blocks.receive_bytes.assign(size, bytes);
    for (int from = 0; from < ranks.size(); ++from) blocks.receive_offsets.push_back(from * bytes);
    ranks.exchange(send.data(), receive.data(), blocks);
    if (ranks.rank() == 0) std::printf("the last number is %g\n", receive.back());
}

void run() { distributed::run_ranks(4, send_to_all); }
// [end]

void use_gpus() {
    // [gpus]
    // One process, four GPUs: element r is for the thread that is rank r.
    const std::vector<int> gpus = {0, 1, 2, 3};
    auto by_nccl = distributed::on_nccl(gpus);
    auto by_copies = distributed::on_peer_memory(gpus);
    // [end]
}

std::unique_ptr<distributed::Communicator> join(std::unique_ptr<distributed::Communicator> messages,
                                                int gpu) {
    // [nccl-by-messages]
    // One process a GPU. `messages`, such as that of on_mpi, carries messages and news of lost ranks.
    auto ranks = distributed::on_nccl(std::move(messages), gpu);
    // [end]
    return ranks;
}

std::unique_ptr<distributed::Communicator> join(const distributed::NcclId& id, int rank, int size, int gpu) {
    // [nccl-by-id]
    // One process a GPU. One of them has called make_nccl_id(), and the program has told the others.
    auto ranks = distributed::on_nccl(id, rank, size, gpu);
    // [end]
    return ranks;
}

} // namespace

int main(int count, char**) {
    run();
    if (count == 1) return 0; // with an argument: on four GPUs
    use_gpus();
    auto ranks = join(distributed::make_nccl_id(), 0, 1, 0);
    ranks = join(std::move(distributed::on_threads(1).front()), 0);
}
