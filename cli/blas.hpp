#pragma once

#include "ir/program.hpp"
#include "target/cpu.hpp"

#include <string>
#include <vector>

/// Routines of the BLAS in place of a problem: `dtrsm LLNN 100x300`, `zhemm RU 64x64`.
namespace swirl::cli {

bool is_blas_routine(const std::vector<std::string>& words);

/// The programs that the routine runs besides those of its products, for m by n matrices B and letters as the BLAS has
/// them. Throws UserError.
std::vector<ir::Program> blas_programs(const std::vector<std::string>& words, const target::Cpu& cpu);

} // namespace swirl::cli
