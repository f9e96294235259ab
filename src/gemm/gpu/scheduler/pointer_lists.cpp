#include "gemm/gpu/scheduler/pointer_lists.hpp"

#include "base/error.hpp"

#include <string>

namespace swirl::gemm {

namespace {

ir::ArgumentRole pointers_to(ir::ArgumentRole matrix) {
    using enum ir::ArgumentRole;
    ensure(matrix == a || matrix == b || matrix == c, "pointers to a matrix in the role '{}'",
           ir::name_of(matrix));
    return matrix == a ? a_pointers : matrix == b ? b_pointers : c_pointers;
}

} // namespace

ir::Buffer add_pointer_list(ir::Builder& builder, ir::ArgumentRole matrix, Integer batch) {
    return builder.input(std::string(ir::name_of(matrix)) + "_list", DataType::int64, batch,
                         {pointers_to(matrix)});
}

ir::Value offset_in_memory(ir::Builder& builder, ir::Buffer list, ir::Value index, Integer bytes) {
    const ir::Value address = builder.load(list, 0, {.dynamic = index});
    return builder.divide(address, builder.constant({DataType::int64, 1}, static_cast<long double>(bytes)));
}

} // namespace swirl::gemm
