#pragma once

#include "gemm/gpu/schedule.hpp"

#include <vector>

namespace swirl::gemm {

/// A contiguous fragment of C's tile in one thread: a vector of rows by a vector of columns.
struct ThreadFragment {
    int thread = 0;
    Integer row = 0;    ///< of the first element, in the block's tile
    Integer column = 0; ///< likewise
    int rows = 0;
    int columns = 0;
};

/// Fragments of threads first … first + count − 1 of a block, thread by thread, as the kernel assigns them.
std::vector<ThreadFragment> thread_fragments(const SimtGemm& schedule, DataType data_type, int first,
                                             int count);

} // namespace swirl::gemm
