#include "gemm/gpu_lists.hpp"

namespace swirl::gemm {

ir::Buffer add_list(ir::Builder& builder, const std::string& name, Integer batch) {
    return builder.input(name + "_list", ir::Scalar::int64, batch);
}

ir::Value place_in_memory(ir::Builder& builder, ir::Buffer list, ir::Value number, Integer bytes) {
    const ir::Value address = builder.load(list, 0, {.dynamic = number});
    return builder.divide(address, builder.constant({ir::Scalar::int64, 1}, static_cast<long double>(bytes)));
}

} // namespace swirl::gemm
