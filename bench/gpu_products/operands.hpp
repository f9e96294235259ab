#pragma once

#include "bench/support/random_numbers.hpp"
#include "peers/gpu_matrix_call.hpp"
#include "runtime/cuda/memory.hpp"

#include <cstddef>
#include <vector>

/// Random operands of a GEMM, known to the host too.
namespace swirl::bench {

/// The stored data type of A and B, and that of C.
const StoredType& stored_operand(const peers::GpuMatrixCall& call);
const StoredType& stored_result(const peers::GpuMatrixCall& call);

/// How many elements of a pattern the operands need.
Integer reach_of(const peers::GpuMatrixCall& call);

/// Index of an element of C.
struct ResultIndex {
    Integer row, column, batch;
};
/// At least 200 elements or all: the corners of the first and the last matrix, and others at random.
std::vector<ResultIndex> results_to_compare(const peers::GpuMatrixCall& call);

/// An element of C by definition, and the sum of its products' magnitudes.
struct ExactResult {
    long double value, magnitude;
};
ExactResult exact_result(const peers::GpuMatrixCall& call, const RandomNumbers& numbers,
                         const ResultIndex& at);

/// Sets of A, B and C on a GPU, used in turn. All have the same contents.
class Operands {
public:
    /// Throws OutOfMemory.
    Operands(const runtime::GpuStream& stream, const peers::GpuMatrixCall& call, std::size_t sets);

    std::size_t sets() const { return sets_.size(); }
    /// Fills A and B with random elements, and C with NaN bytes.
    void fill(const RandomPattern& pattern) const;
    /// C's elements in the first set.
    std::vector<double> results(const std::vector<ResultIndex>& indices) const;
    /// All of C in the first set, as stored.
    std::vector<std::byte> all_results() const;

    struct Pointers {
        const void* a;
        const void* b;
        void* c;
    };
    Pointers pointers(std::size_t execution) const;

private:
    struct Set {
        runtime::GpuBuffer a, b, c;
    };
    const runtime::GpuStream& stream_;
    peers::GpuMatrixCall call_;
    std::vector<Set> sets_;
};

} // namespace swirl::bench
