#pragma once

#include <string>
#include <vector>

/// Searches for the blocks, tiles and prefetches of matrix multiplication on this CPU, as ATLAS does, and compares the result
/// with the model's at several extents.
namespace swirl::cli {

struct GemmBlocksOptions {
    std::vector<std::string> data_types;
    std::string sizes = "500,1000,2000";
    double seconds = 20;
    bool json = false;
    bool keep = true; ///< in wisdom
    bool quiet = false;
};

void tune_gemm_blocks(const GemmBlocksOptions& options);

} // namespace swirl::cli
