#pragma once

#include "gemm/cpu/elementwise.hpp"
#include "runtime/cpu/executable_memory.hpp"

namespace swirl::planning {

/// The elements of a call of an elementwise kernel, and where its results go.
struct ElementwiseCall {
    Integer rows = 0;
    Integer columns = 0;
    void* elements = nullptr;
    Integer column_stride = 0;
    void* results = nullptr; ///< unless they replace the elements
    Integer result_stride = 0;
    const void* beta = nullptr; ///< where the kernel reads it
};

/// Calls the kernel; operand(k) is the address of operand k for the first element.
template <class Operand>
void call(const gemm::ElementwiseKernel& kernel, runtime::KernelFunction function,
          const ElementwiseCall& given, Operand&& operand) {
    const std::size_t operands = kernel.expression.operands.size();
    constexpr std::size_t usual = 8;
    void* few[3 + usual];
    std::vector<void*> many;
    if (operands > usual) many.resize(3 + operands);
    void** const buffers = operands > usual ? many.data() : few;
    void** next = buffers;
    *next++ = given.elements;
    if (gemm::has_results(kernel)) *next++ = given.results;
    if (gemm::reads_beta(kernel)) *next++ = const_cast<void*>(given.beta);
    for (std::size_t k = 0; k < operands; ++k) *next++ = const_cast<void*>(operand(k));
    const std::int64_t parameters[] = {given.rows - given.rows % gemm::rows_at_once(kernel),
                                       given.columns - given.columns % kernel.columns_at_once, given.columns,
                                       given.column_stride, given.result_stride};
    function(buffers, parameters);
}

/// The check of an elementwise kernel before its first use: a sample of the kernel's own strides and remainders,
/// evaluated on the host as a second route. Conversions are compared bit by bit, expressions up to rounding; memory
/// between and around results must stay as it was. Throws InternalError, naming the kernel and the first wrong result.
void check_elementwise(const gemm::ElementwiseKernel& kernel, runtime::KernelFunction function);

} // namespace swirl::planning
