#include "gemm/gpu/scheduler/column_partition.hpp"

#include <numeric>

namespace swirl::gemm {

ColumnPartition::ColumnPartition(ir::Builder& builder, const SimtGemm& schedule,
                                 const SimtThreadLayout& threads, int blocks, int max_k_slices)
    : threads_(threads),
      vector_(threads.column_vector()),
      vector_distance_(Integer{schedule.warp_lanes().n} * threads.column_vector()),
      vectors_(schedule.thread_tile.n / vector_),
      elements_(vector_) {
    const int of_vectors = std::gcd(blocks, vectors_), of_elements = blocks / of_vectors;
    vectors_ /= of_vectors;
    elements_ /= of_elements;
    elements_of_block_ = elements_;
    const auto block = [&](Integer divisor, Integer modulus) {
        return modulus == 1 ? Affine(0) : builder.block(0, divisor, modulus);
    };
    block_vector_ = block(of_elements, of_vectors) * vectors_;
    block_element_ = block(1, of_elements) * elements_;

    const int k_slice_vectors = std::gcd(max_k_slices, vectors_);
    const int k_slice_elements = std::gcd(max_k_slices / k_slice_vectors, elements_);
    slices_ = k_slice_vectors * k_slice_elements;
    vectors_ /= k_slice_vectors;
    elements_ /= k_slice_elements;
    const Integer threads_of_k_slice = schedule.k_slice_threads();
    k_slice_vector_ =
        thread_digit(builder, threads_of_k_slice * k_slice_elements, k_slice_vectors) * vectors_;
    k_slice_element_ = thread_digit(builder, threads_of_k_slice, k_slice_elements) * elements_;
}

Affine ColumnPartition::in_block(int j) const {
    return (k_slice_vector_ + j / elements_) * elements_of_block_ + k_slice_element_ + j % elements_;
}

Affine ColumnPartition::of_thread(int j) const {
    return (block_vector_ + k_slice_vector_ + j / elements_) * vector_ + block_element_ + k_slice_element_ +
           j % elements_;
}

Affine ColumnPartition::in_tile(int j) const {
    return threads_.column(j / elements_ * vector_ + j % elements_) +
           (block_vector_ + k_slice_vector_) * vector_distance_ + block_element_ + k_slice_element_;
}

} // namespace swirl::gemm
