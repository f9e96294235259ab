#pragma once

#include <swirl/data_type.hpp>
#include <swirl/kinds.hpp>

#include "fftw/foreign_plan.hpp"
#include "fftw/planner_flags.hpp"
#include "fftw_mpi/blocks.hpp"

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

/// FFTW's interface to MPI as distributed problems, the same for both precisions.
namespace swirl::fftw_mpi {

/// Flags that change something here, with FFTW's values. Results in scrambled order are in natural order.
namespace flags {
using namespace fftw::flags;
constexpr unsigned transposed_in = 1U << 29;
constexpr unsigned transposed_out = 1U << 30;
} // namespace flags

/// What libfftw3's planner was told.
struct Settings {
    int threads = 1;
    double time_limit = -1; ///< seconds; negative: none
};

/// What a program asks for: `howmany` interleaved transforms.
struct Request {
    enum class Kind { dft, r2c, c2r, r2r, transpose };
    Kind kind = Kind::dft;
    DataType precision = DataType::float64;
    std::vector<Integer> lengths = {}; ///< of the reals of r2c and c2r
    Integer howmany = 1;
    Integer input_block = default_block;
    Integer output_block = default_block;
    std::vector<int> kinds = {}; ///< of r2r, with FFTW's values
    bool is_backward = false;
    unsigned flags = 0;
    Settings settings = {};
};

/// Collective. Null, on all ranks, if there is no such plan.
std::unique_ptr<const fftw::ForeignPlan> plan_of(const Request& request, MPI_Comm communicator) noexcept;

/// Lengths of a C array; empty if there are none, or not all are positive.
std::vector<Integer> lengths_of(int rank, const std::ptrdiff_t* lengths);

/// What a rank has of an array, and of its transposition, and how many elements it must have memory for.
struct LocalSize {
    Integer elements = 0;
    Range first = {};  ///< of axis 0, in blocks of `block0`
    Range second = {}; ///< of axis 1, in blocks of `block1`, after the transposition; of one dimension axis 0
};
LocalSize local_size(const std::vector<Integer>& lengths, Integer howmany, Integer block0, Integer block1,
                     MPI_Comm communicator);

/// Collective: on rank 0 the texts of the other ranks.
std::vector<std::vector<char>> gathered(const std::vector<char>& text, MPI_Comm communicator);
/// Collective: the text of rank 0.
std::vector<char> of_first(std::vector<char> text, MPI_Comm communicator);

} // namespace swirl::fftw_mpi
