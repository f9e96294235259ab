#include "cufft/planning_options.hpp"

#include "base/environment.hpp"

#include <cstdlib>
#include <string_view>

namespace swirl::cufft {
namespace {

std::string_view variable(const char* name) {
    const char* const value = environment_variable(name);
    return value == nullptr ? "" : value;
}

} // namespace

Options planning_options(int ordinal) {
    Options options{.device = Device::gpu(ordinal)};
    if (const std::string_view seconds = variable("SWIRL_CUFFT_PLANNING_SECONDS"); !seconds.empty()) {
        char* end = nullptr;
        const double value = std::strtod(seconds.data(), &end);
        if (end != seconds.data() && value >= 0) options.time_budget_seconds = value;
    }
    options.check = variable("SWIRL_CUFFT_CHECK") != "0";
    return options;
}

bool prints_plans() { return variable("SWIRL_CUFFT_VERBOSE") == "1"; }

} // namespace swirl::cufft
