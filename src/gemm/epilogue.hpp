#pragma once

#include "gemm/complex_lanes.hpp"
#include "gemm/tile.hpp"
#include "ir/builder.hpp"
#include "lower/pointwise.hpp"

#include <vector>

namespace swirl::gemm {

/// What is done to each element of C that is finished, before it is stored.
struct Epilogue {
    /// Numbers that lie at a place for each element of C: a number's index is row·row_stride + column·column_stride.
    struct Operand {
        bool is_complex = false;
        Integer row_stride = 0;
        Integer column_stride = 0;
        bool operator==(const Operand&) const = default;
    };
    /// Without forms: an `array` is the number of an operand.
    std::vector<lower::Pointwise::Node> nodes = {};
    std::vector<Operand> operands = {};
    bool operator==(const Epilogue&) const = default;

    bool is_identity() const { return nodes.empty(); }
};

/// What an epilogue of such sums computes with.
constexpr ir::Scalar epilogue_scalar(Number number) {
    return number == Number::int32 ? ir::Scalar::float32 : scalar_of(number);
}

/// An epilogue in a program: where its operands are, for an element (0, 0) of the program's own counting.
struct EpilogueBuffers {
    const Epilogue* epilogue = nullptr; ///< null: nothing is done
    std::vector<ir::Buffer> operands = {};

    /// Adds arguments `e0`, `e1`, … to the program, for a C of so many rows and columns.
    EpilogueBuffers(ir::Builder& builder, Number number, const Epilogue& epilogue, Integer rows,
                    Integer columns);
    EpilogueBuffers() = default;
};

/// Which elements of C are in a vector.
struct EpiloguePlace {
    Affine row = {}; ///< of the first lane
    Affine column = {};
    int active = 1; ///< lanes that are elements
};

/// What becomes of some elements; of int32 as float32.
Parts apply_epilogue(ir::Builder& builder, const EpilogueBuffers& buffers, const EpiloguePlace& place,
                     const Parts& elements);

} // namespace swirl::gemm
