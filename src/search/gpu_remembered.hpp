#pragma once

#include "plan/recipe.hpp"
#include "problem/problem.hpp"
#include "runtime/cuda_device.hpp"
#include "search/wisdom.hpp"
#include "target/gpu.hpp"

#include <optional>
#include <string>
#include <vector>

/// What wisdom says to planning for GPUs, and how far it is to be trusted.
namespace swirl::search {

/// A GPU as far as recipes run differently well.
struct GpuMachine {
    std::string key; ///< in wisdom
    target::Gpu gpu; ///< to generate for
};

/// "NVIDIA H100 80GB HBM3, compute 9.0, 132 multiprocessors, CUDA 13": the driver's major version is of its compiler too.
std::string gpu_machine_key(const std::string& name, int capability_major, int capability_minor,
                            int multiprocessors, int driver_version);
/// A device and the entry whose code it runs and its driver reads.
GpuMachine gpu_machine_of(const runtime::GpuDevice& device);

struct RememberedForGpu {
    planning::Recipe recipe;
    double seconds;
    FoundBy found_by;
    bool is_current; ///< found by this version of swirl: another one's code may run otherwise
};

/// The wisdom that the environment names, as recipes for one kind of GPU.
class GpuRecipeMemory {
public:
    /// Not `in_use`, it knows nothing and keeps nothing.
    explicit GpuRecipeMemory(bool in_use) : in_use_(in_use) {}

    /// This GPU's recipe. One that is none, or for another kind, is forgotten.
    std::optional<RememberedForGpu> recall(const Problem& problem, const GpuMachine& machine);
    /// The fastest that any GPU of this kind has, of this version of swirl: for plans that are only looked at.
    std::optional<RememberedForGpu> recall(const Problem& problem, const target::Gpu& gpu);
    /// Recipes for this kind of GPU that other ones found best: worth trying, no more.
    std::vector<planning::Recipe> elsewhere(const Problem& problem, const GpuMachine& machine);

    /// In place of what was there, which was among those that this one has won against.
    void keep(const Problem& problem, const GpuMachine& machine, const planning::Recipe& recipe,
              double seconds, FoundBy how);
    void forget(const Problem& problem, const GpuMachine& machine);

private:
    /// Null where there is no wisdom yet and none is to be begun.
    Wisdom* open(bool to_write) const;

    bool in_use_;
};

} // namespace swirl::search
