#pragma once

#include "plan/transform_schedule.hpp"
#include "problem/problem.hpp"
#include "runtime/cuda/device.hpp"
#include "search/wisdom/wisdom.hpp"
#include "target/gpu.hpp"

#include <optional>
#include <string>
#include <vector>

/// Wisdom lookup for GPU planning, and which entries are trusted.
namespace swirl::search {

/// The properties of a GPU that decide how fast schedules run.
struct GpuIdentity {
    std::string key; ///< for wisdom lookup
    target::Gpu gpu; ///< target to generate code for
};

/// "NVIDIA H100 80GB HBM3, compute 9.0, 132 multiprocessors, CUDA 13". The driver's major version also identifies its
/// compiler.
std::string gpu_key(const std::string& name, int capability_major, int capability_minor, int multiprocessors,
                    int driver_version);
/// Identity of a device, with the target whose code it runs and its driver compiles.
GpuIdentity gpu_identity_of(const runtime::GpuDevice& device);

struct GpuStoredTransformSchedule {
    planning::TransformSchedule schedule;
    double seconds;
    FoundBy found_by;
    bool is_current; ///< found by this version of swirl; another version's code may perform differently
};

/// Schedules for one kind of GPU from the wisdom that the environment names.
class GpuTransformWisdom {
public:
    /// Unless `in_use`, lookups find nothing and stores have no effect.
    explicit GpuTransformWisdom(bool in_use) : in_use_(in_use) {}

    /// The schedule for this GPU. Erases an entry that does not parse or is for another target.
    std::optional<GpuStoredTransformSchedule> lookup(const Transform& problem, const GpuIdentity& identity);
    /// The fastest schedule of any GPU of this kind, from this version of swirl: for plans that are only inspected.
    std::optional<GpuStoredTransformSchedule> lookup(const Transform& problem, const target::Gpu& gpu);
    /// Schedules that were best on other GPUs of this kind: candidates to time, not trusted.
    std::vector<planning::TransformSchedule> elsewhere(const Transform& problem, const GpuIdentity& identity);

    /// Replaces the existing entry, which this schedule has beaten.
    void store(const Transform& problem, const GpuIdentity& identity,
               const planning::TransformSchedule& schedule, double seconds, FoundBy how);
    void erase(const Transform& problem, const GpuIdentity& identity);

private:
    /// Null if no wisdom exists and `to_write` is false.
    Wisdom* open(bool to_write) const;

    bool in_use_;
};

} // namespace swirl::search
