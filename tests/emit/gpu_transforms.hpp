#pragma once

#include "emit/gpu_c/source.hpp"
#include "formula/formula.hpp"
#include "ir/program.hpp"
#include "lower/gpu/lowering.hpp"

#include <memory>
#include <string>
#include <vector>

namespace swirl::emit {

/// A batch of transforms as one kernel for a GPU.
struct DerivedCase {
    Integer batch, n;
    const char* tree;
    loops::LaunchConfiguration configuration;
    DataType scalar = DataType::float32;
    bool in_place = false;

    std::string name() const;
    formula::Formula formula() const;
    std::vector<ir::Program> programs() const; ///< without workspace between them
};

/// Lengths 8 to 8192 in both precisions, with threads and blocks that have nothing to do, in place, and with more
/// shared memory than a kernel may declare.
std::vector<DerivedCase> derived_cases();

/// A convolution with an array of the caller's, and transforms that do all kinds of things to numbers as they are read and
/// written.
std::vector<ir::Program> fused_programs();

/// Of clusters of blocks, complex, of reals and of planes, and of groups.
std::vector<ir::Program> programs_of_clusters();
std::vector<ir::Program> programs_of_groups();

/// A transform with the programs it is made of.
struct OwnedTransform {
    std::vector<std::unique_ptr<ir::Program>> programs;
    GpuTransform transform;
};

/// A kernel by itself, with its arguments' own names.
OwnedTransform alone(ir::Program program, const std::string& name);
/// All kernels one after the other, each with arguments of its own: one text to compile.
OwnedTransform all_of(std::vector<ir::Program> programs, const std::string& name);
/// A transform of rows × columns points: rows into workspace, columns from there.
OwnedTransform two_dimensional(Integer rows, Integer columns);
formula::Formula two_dimensional_formula(Integer rows, Integer columns);
/// A long transform as two kernels that hand on their data in scratch buffers.
OwnedTransform two_sweeps();
formula::Formula two_sweeps_formula();

} // namespace swirl::emit
