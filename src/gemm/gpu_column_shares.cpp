#include "gemm/gpu_column_shares.hpp"

#include <numeric>

namespace swirl::gemm {

GpuColumnShares::GpuColumnShares(ir::Builder& builder, const GpuSchedule& schedule, const GpuThreads& threads,
                                 int blocks, int most_slices)
    : threads_(threads),
      vector_(threads.column_vector()),
      vector_distance_(Integer{schedule.lane_columns} * threads.column_vector()),
      vectors_(schedule.thread_columns / vector_),
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

    const int slice_vectors = std::gcd(most_slices, vectors_);
    const int slice_elements = std::gcd(most_slices / slice_vectors, elements_);
    slices_ = slice_vectors * slice_elements;
    vectors_ /= slice_vectors;
    elements_ /= slice_elements;
    const Integer threads_of_slice = schedule.slice_threads();
    slice_vector_ = thread_digit(builder, threads_of_slice * slice_elements, slice_vectors) * vectors_;
    slice_element_ = thread_digit(builder, threads_of_slice, slice_elements) * elements_;
}

Affine GpuColumnShares::in_block(int j) const {
    return (slice_vector_ + j / elements_) * elements_of_block_ + slice_element_ + j % elements_;
}

Affine GpuColumnShares::of_thread(int j) const {
    return (block_vector_ + slice_vector_ + j / elements_) * vector_ + block_element_ + slice_element_ +
           j % elements_;
}

Affine GpuColumnShares::in_tile(int j) const {
    return threads_.column(j / elements_ * vector_ + j % elements_) +
           (block_vector_ + slice_vector_) * vector_distance_ + block_element_ + slice_element_;
}

} // namespace swirl::gemm
