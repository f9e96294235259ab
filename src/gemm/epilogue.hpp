#pragma once

#include "gemm/complex_lanes.hpp"
#include "gemm/scalar.hpp"
#include "ir/builder.hpp"
#include "loops/pointwise.hpp"

#include <vector>

namespace swirl::gemm {

/// The operations on each finished element of C before it is stored.
struct Epilogue {
    /// An array with an element for each element of C, at index row·row_stride + column·column_stride.
    struct Operand {
        bool is_complex = false;
        Integer row_stride = 0;
        Integer column_stride = 0;
        bool operator==(const Operand&) const = default;
    };
    /// Without forms: `array` is an index into `operands`.
    std::vector<loops::Pointwise::Node> nodes = {};
    std::vector<Operand> operands = {};
    bool operator==(const Epilogue&) const = default;

    bool is_identity() const { return nodes.empty(); }
};

/// The scalar type in which the epilogue of such accumulators computes.
constexpr DataType epilogue_scalar(DataType data_type) {
    return data_type == DataType::int32 ? DataType::float32 : scalar_of(data_type);
}

/// An epilogue within a program: the buffers of its operands, addressed relative to the program's own element (0, 0).
struct EpilogueBuffers {
    const Epilogue* epilogue = nullptr; ///< null: no epilogue
    std::vector<ir::Buffer> operands = {};

    /// Adds arguments `e0`, `e1`, … to the program, for a C of `rows` × `columns`.
    EpilogueBuffers(ir::Builder& builder, DataType data_type, const Epilogue& epilogue, Integer rows,
                    Integer columns);
    EpilogueBuffers() = default;
};

/// The elements of C in a vector.
struct EpilogueCoordinate {
    Affine row = {}; ///< of the first lane
    Affine column = {};
    int active = 1; ///< valid lanes
};

/// Applies the epilogue to some elements; int32 elements become float32.
Components apply_epilogue(ir::Builder& builder, const EpilogueBuffers& buffers,
                          const EpilogueCoordinate& coordinate, const Components& elements);

} // namespace swirl::gemm
