#pragma once

#include "peers/matrix_peer.hpp"
#include "runtime/cpu/aligned_buffer.hpp"

#include <vector>

namespace swirl::bench {

/// Random operands of a call: one set, or enough sets to exceed every cache.
class Operands {
public:
    /// `cold`: enough sets to fill 64 MiB, used in an order that defeats the prefetcher.
    Operands(const peers::MatrixCall& call, bool cold);

    std::span<const peers::MatrixOperands> sets() const { return sets_; }
    /// Resets C of the first set to its value before an execution: trmm and trsm read it.
    void restore() const;

    /// The maximum deviation of sampled elements of the first set's C from the definition (for trsm: of A·C from the
    /// original C), relative to the sum of the absolute values that form the element. `call` must have been executed
    /// once since `restore`.
    double error() const;

private:
    template <class T> void fill(const peers::MatrixOperands& set) const;
    template <class T> double error_of() const;

    peers::MatrixCall call_;
    runtime::AlignedBuffer memory_;
    std::vector<peers::MatrixOperands> sets_;
    std::vector<std::byte> first_c_;
};

} // namespace swirl::bench
