#pragma once

#include "peers/matrix_peer.hpp"
#include "runtime/aligned_buffer.hpp"

#include <vector>

namespace swirl::bench {

/// Random operands of a call, one set or as many as no cache holds.
class Operands {
public:
    /// `cold`: so many sets that they fill 64 MiB, handed out in no order that a prefetcher could guess.
    Operands(const peers::MatrixCall& call, bool cold);

    std::span<const peers::MatrixOperands> sets() const { return sets_; }
    /// What C is before an execution: of trmm and trsm it is read. For the first set.
    void restore() const;

    /// The largest deviation of some elements of the first set's C from the definition, of trsm of A·C from what C was: over the
    /// sum of the absolute values that make the element. `call` has been executed once since `restore`.
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
