// Each rank sends its number to all.

#include <swirl/distributed/mpi.hpp>

#include <cstdio>
#include <vector>

namespace {

using swirl::Integer;

/// Whether each rank's number arrived.
bool send_to_all(swirl::distributed::Communicator& ranks) {
    const auto size = static_cast<std::size_t>(ranks.size());
    const Integer bytes = sizeof(int);
    std::vector<int> send(size, ranks.rank()), receive(size, -1);
    std::vector<Integer> offsets;
    for (std::size_t k = 0; k < size; ++k) offsets.push_back(static_cast<Integer>(k) * bytes);
    ranks.exchange(send.data(), receive.data(),
                   {std::vector<Integer>(size, bytes), offsets, std::vector<Integer>(size, bytes), offsets});
    if (ranks.rank() == 0) std::printf("%d ranks\n", ranks.size());
    bool is_right = true;
    for (std::size_t k = 0; k < size; ++k) is_right = is_right && receive[k] == static_cast<int>(k);
    return is_right;
}

} // namespace

int main() {
    bool is_right = true;
    // [mpi]
    MPI_Init(nullptr, nullptr);
    {
        const auto ranks = swirl::distributed::on_mpi(MPI_COMM_WORLD);
        is_right = send_to_all(*ranks);
    } // destroyed before MPI_Finalize
    MPI_Finalize();
    // [end]
    return is_right ? 0 : 1;
}
