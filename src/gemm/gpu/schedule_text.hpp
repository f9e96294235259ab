#pragma once

#include "gemm/gpu/schedule.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

/// A GPU schedule as text: "simt cta_m=256 cta_n=128 …", "wgmma cta_m=128 …" or "batched thread_m=4 …", the
/// kernel and then its members.
namespace swirl::gemm {

/// A member of a schedule as a number: an integer, 0 or 1 of a bool, the index of an enum's value.
struct ScheduleParameter {
    std::string_view name;
    std::string_view meaning;
    int least = 1;
    int most = max_parameter;
    std::span<const std::string_view> words = {}; ///< an enum's values; empty for numbers
    /// The schedules that have it, in terms of other parameters; empty if all of the kernel do.
    std::string_view needs = {};
    /// Both are for schedules of the parameter's kernel. `get`: nothing if the schedule lacks the parameter. `set`:
    /// false if it lacks it or its choices exclude it.
    std::optional<int> (*get)(const GpuGemmSchedule& schedule) = nullptr;
    bool (*set)(GpuGemmSchedule& schedule, int value) = nullptr;

    /// The value as in the text.
    std::string text_of(int value) const;
    /// Why a value is impossible in any schedule; empty if it is possible.
    std::string infeasibility_of(int value) const;
};

/// All parameters of a schedule's kernel, in the order of the text.
std::span<const ScheduleParameter> parameters_of(const GpuGemmSchedule& schedule);
/// The same schedule with another value; nothing if that value is impossible or its choices exclude the parameter.
std::optional<GpuGemmSchedule> with_value(const GpuGemmSchedule& schedule, const ScheduleParameter& parameter,
                                          int value);

/// The kernel, and all parameters that the schedule has: "simt cta_m=256 cta_n=128 …".
std::string to_string(const GpuGemmSchedule& schedule);
/// Parses such a text. "simt" may be left out. Parameters may be in any order; the last value of one counts, and omitted
/// ones have the values of SimtGemm{}, WgmmaGemm{} or BatchedGemm{}. UserError names an invalid word and what would work.
GpuGemmSchedule parse_gpu_schedule(std::string_view text);

} // namespace swirl::gemm
