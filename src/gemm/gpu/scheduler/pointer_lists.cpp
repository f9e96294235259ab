#include "gemm/gpu/scheduler/pointer_lists.hpp"

namespace swirl::gemm {

ir::Buffer add_pointer_list(ir::Builder& builder, const std::string& name, Integer batch) {
    return builder.input(name + "_list", DataType::int64, batch);
}

ir::Value offset_in_memory(ir::Builder& builder, ir::Buffer list, ir::Value number, Integer bytes) {
    const ir::Value address = builder.load(list, 0, {.dynamic = number});
    return builder.divide(address, builder.constant({DataType::int64, 1}, static_cast<long double>(bytes)));
}

} // namespace swirl::gemm
