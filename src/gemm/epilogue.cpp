#include "gemm/epilogue.hpp"

#include "lower/pointwise_arithmetic.hpp"

namespace swirl::gemm {

namespace {

/// Loads an operand's elements for a vector of elements of C.
Components load_operand(ir::Builder& builder, const Epilogue::Operand& operand, ir::Buffer buffer,
                        const EpilogueCoordinate& coordinate, ir::Type type) {
    const Integer scalars = operand.is_complex ? 2 : 1;
    const Affine index =
        scalars * (operand.row_stride * coordinate.row + operand.column_stride * coordinate.column);
    const auto component = [&](Integer at) {
        if (operand.row_stride == 0) return builder.splat(builder.load(buffer, index + at), type.lanes);
        return builder.load(buffer, index + at,
                            {.lanes = type.lanes,
                             .lane_stride = type.lanes > 1 ? scalars * operand.row_stride : 1,
                             .active = coordinate.active});
    };
    if (!operand.is_complex) return {component(0), ir::no_value};
    if (operand.row_stride == 1)
        return load_pairs(builder, buffer, index, type.lanes, coordinate.active, ir::no_value);
    const ir::Value real = component(0);
    return {real, component(1)};
}

} // namespace

EpilogueBuffers::EpilogueBuffers(ir::Builder& builder, DataType data_type, const Epilogue& given,
                                 Integer rows, Integer columns)
    : epilogue(&given) {
    for (std::size_t k = 0; k < given.operands.size(); ++k) {
        const Epilogue::Operand& operand = given.operands[k];
        const Integer elements = (rows - 1) * operand.row_stride + (columns - 1) * operand.column_stride + 1;
        operands.push_back(builder.input(fmt::format("auxiliary_{}", k), epilogue_scalar(data_type),
                                         elements * (operand.is_complex ? 2 : 1),
                                         {ir::ArgumentRole::auxiliary, static_cast<int>(k)}));
    }
}

Components apply_epilogue(ir::Builder& builder, const EpilogueBuffers& buffers,
                          const EpilogueCoordinate& coordinate, const Components& elements) {
    if (buffers.epilogue == nullptr) return elements;
    Components given = elements;
    if (builder.type(given[0]).scalar == DataType::int32)
        given[0] = builder.convert(given[0], DataType::float32);
    const ir::Type type = builder.type(given[0]);
    lower::PointwiseArithmetic arithmetic(builder, type);
    const auto leaf = [&](const loops::Pointwise::Node& node) -> lower::PointwiseArithmetic::ComplexValue {
        const auto at = static_cast<std::size_t>(node.array);
        const Components components =
            load_operand(builder, buffers.epilogue->operands[at], buffers.operands[at], coordinate, type);
        return {components[0], components[1]};
    };
    const auto result = arithmetic.evaluate(buffers.epilogue->nodes, {given[0], given[1]}, leaf);
    return {result.re, result.im};
}

} // namespace swirl::gemm
