#pragma once

#include "bench/support/random_numbers.hpp"
#include "peers/gpu_matrix_call.hpp"
#include "runtime/cuda_memory.hpp"

#include <cstddef>
#include <vector>

/// The matrices of a product: random numbers that the host knows too.
namespace swirl::bench {

/// How the numbers of A and B lie in memory, and those of C.
const StoredNumber& stored_operand(const peers::GpuMatrixCall& call);
const StoredNumber& stored_result(const peers::GpuMatrixCall& call);

/// The numbers that a product's operands need of a pattern.
Integer reach_of(const peers::GpuMatrixCall& call);

/// An element of C.
struct ResultIndex {
    Integer row, column, batch;
};
/// At least 200 of them or all that there are: the corners of the first and the last matrix, and others without order.
std::vector<ResultIndex> results_to_compare(const peers::GpuMatrixCall& call);

/// What an element of C is, and the sum of its products' magnitudes.
struct ExactResult {
    long double value, magnitude;
};
ExactResult exact_result(const peers::GpuMatrixCall& call, const RandomNumbers& numbers,
                         const ResultIndex& at);

/// Sets of A, B and C on a GPU, to be used in turn. All have the same numbers.
class Operands {
public:
    /// GpuOutOfMemory.
    Operands(const runtime::GpuStream& stream, const peers::GpuMatrixCall& call, std::size_t sets);

    std::size_t sets() const { return sets_.size(); }
    /// Random numbers for A and B, and bytes that are no numbers for C.
    void fill(const RandomPattern& pattern) const;
    /// C's elements in the first set.
    std::vector<double> results(const std::vector<ResultIndex>& indices) const;
    /// All of C in the first set, as it lies there.
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
