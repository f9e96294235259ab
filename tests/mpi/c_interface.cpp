#include "mpi/c_interface.hpp"

#include <swirl/distributed.h>

#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <string>
#include <vector>

namespace swirl::distributed {

void run_c_interface(Communicator&, std::uint64_t seed) {
    MPI_Comm world = MPI_COMM_WORLD;
    int rank = 0, size = 0;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    swirl_communicator* ranks = nullptr;
    ASSERT_EQ(swirl_communicator_on_mpi(&world, &ranks), SWIRL_OK) << swirl_last_error();
    EXPECT_EQ(swirl_communicator_rank(ranks), rank);
    EXPECT_EQ(swirl_communicator_size(ranks), size);

    // an impulse, whose transform is known
    const std::int64_t lengths[] = {12, 10};
    std::int64_t lower[2], upper[2];
    ASSERT_EQ(swirl_fftw_block_box(2, lengths, size, rank, 0, lower, upper), SWIRL_OK);
    const swirl_box mine = {2, lower, upper, nullptr};
    swirl_distributed_plan* plan = nullptr;
    ASSERT_EQ(swirl_distributed_plan_from_text("dft 12x10", ranks, &mine, &mine, nullptr, &plan), SWIRL_OK)
        << swirl_last_error();
    const auto count = static_cast<std::size_t>(swirl_box_elements(&mine));
    std::vector<std::complex<double>> x(count), y(count);
    const auto row = static_cast<std::int64_t>(seed % 12), column = static_cast<std::int64_t>(seed / 12 % 10);
    if (row >= lower[0] && row < upper[0]) x[static_cast<std::size_t>((row - lower[0]) * 10 + column)] = 1;
    for (int time = 0; time < 2; ++time)
        ASSERT_EQ(swirl_distributed_execute(plan, x.data(), y.data()), SWIRL_OK) << swirl_last_error();
    for (std::size_t k = 0; k < count; ++k) {
        const auto i = lower[0] + static_cast<std::int64_t>(k / 10), j = static_cast<std::int64_t>(k % 10);
        const double turns = static_cast<double>(i * row) / 12 + static_cast<double>(j * column) / 10;
        EXPECT_LT(std::abs(y[k] - std::polar(1.0, -2 * std::acos(-1.0) * turns)), 1e-13);
    }
    swirl_distributed_plan_destroy(plan);

    // the same error on all ranks
    const swirl_box nothing = {0, nullptr, nullptr, nullptr};
    EXPECT_EQ(swirl_distributed_plan_from_text("dft 12x10", ranks, rank == 0 ? nullptr : &nothing, nullptr,
                                               nullptr, &plan),
              SWIRL_USER_ERROR);
    EXPECT_EQ(std::string(swirl_last_error()), "rank 0: argument 'input' is a null pointer");
    swirl_communicator_destroy(ranks);
    EXPECT_EQ(swirl_communicator_on_mpi(nullptr, &ranks), SWIRL_USER_ERROR);
    world = MPI_COMM_NULL;
    EXPECT_EQ(swirl_communicator_on_mpi(&world, &ranks), SWIRL_USER_ERROR);
    EXPECT_EQ(std::string(swirl_last_error()), "the communicator is MPI_COMM_NULL; give one of this process");
}

} // namespace swirl::distributed
