#include "fuzz/parsers/fixpoint.hpp"
#include "plan/transform/schedule.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return swirl::fuzz::check_fixpoint(data, size, [](std::string_view text) {
        return swirl::planning::to_string(swirl::planning::parse_transform_schedule(text));
    });
}
