#include "target/nvidia/warp.hpp"

#include "base/error.hpp"
#include "ir/type_rules.hpp"

namespace swirl::target {

namespace {

using ir::Lanes;

ir::Instruction exchange(int distance, std::string_view name) {
    constexpr unsigned capability = 30;
    constexpr ir::Type type{DataType::float32, 1};
    return {.name = name,
            .operands = {type},
            .result = type,
            .meaning =
                [distance](std::span<const Lanes> operands) {
                    Lanes result(operands[0].size());
                    for (std::size_t t = 0; t < result.size(); ++t)
                        result[t] = operands[0][t ^ static_cast<std::size_t>(distance)];
                    return result;
                },
            .threads = warp_threads,
            .encoding = capability,
            .immediate = distance,
            .text = "shfl.sync.bfly.b32"};
}

} // namespace

const ir::Instruction& warp_exchange(int distance) {
    static const ir::Instruction entries[] = {exchange(1, "warp_exchange_1"), exchange(2, "warp_exchange_2"),
                                              exchange(4, "warp_exchange_4"), exchange(8, "warp_exchange_8"),
                                              exchange(16, "warp_exchange_16")};
    for (const ir::Instruction& entry : entries)
        if (entry.immediate == distance) return entry;
    throw InternalError("no instruction exchanges values of threads {} apart", distance);
}

} // namespace swirl::target
