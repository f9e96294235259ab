#include "distributed/arguments.hpp"

#include "base/error.hpp"
#include "problem/data_type.hpp"

#include <fmt/format.h>

#include <vector>

namespace swirl::distributed {

void check_options(const DistributedOptions& options) {
    if (options.local.device.is_gpu())
        throw Unsupported("distributed plans compute on CPUs\n  use the default device");
    if (!options.local.schedule.empty())
        throw UserError("options.local has a schedule\n  DistributedOptions::schedule is that of all ranks");
    const Machine& m = options.machine;
    const bool is_valid = m.ranks_per_node >= 0 && m.node_latency >= 0 && m.network_latency >= 0 &&
                          m.node_bandwidth > 0 && m.network_bandwidth > 0 && m.memory_bandwidth > 0 &&
                          m.flops > 0;
    if (!is_valid)
        throw UserError(
            "options.machine has a number out of range\n  latencies are at least 0, bandwidths and flops "
            "greater than 0");
}

std::string text_of(const Machine& m) {
    return fmt::format("{} {} {} {} {} {} {}", m.ranks_per_node, m.node_latency, m.node_bandwidth,
                       m.network_latency, m.network_bandwidth, m.memory_bandwidth, m.flops);
}

std::string numbers(const Box& box) {
    return fmt::format("{} {} {} {} {} {}", box.lower.size(), fmt::join(box.lower, " "), box.upper.size(),
                       fmt::join(box.upper, " "), box.order.size(), fmt::join(box.order, " "));
}

Box box_of(std::istream& text) {
    const auto list = [&](auto value) {
        std::size_t count = 0;
        text >> count;
        std::vector<decltype(value)> values(count);
        for (auto& each : values) text >> each;
        return values;
    };
    Box box;
    box.lower = list(Integer{});
    box.upper = list(Integer{});
    box.order = list(int{});
    return box;
}

void check_array(const char* name, const detail::ArrayArgument& array, DataType type, Integer count,
                 bool is_written) {
    using Known = detail::ElementType::Known;
    if (count == 0) return;
    if (array.data == nullptr) throw UserError("argument '{}' is a null pointer", name);
    if (is_written && array.is_const)
        throw UserError("argument '{}' is of const elements, but written", name);
    const bool fits =
        array.type.known == Known::nothing ||
        (array.type.known == Known::bytes ? array.type.bytes == bytes_of(type) : array.type.type == type);
    if (!fits) throw UserError("argument '{}' has another element type\n  it takes {}", name, name_of(type));
    if (array.elements != detail::ArrayArgument::unknown && array.elements < static_cast<std::size_t>(count))
        throw UserError("argument '{}' has {} elements\n  it takes at least {}", name, array.elements, count);
}

} // namespace swirl::distributed
