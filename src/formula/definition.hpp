#pragma once

#include "formula/formula.hpp"

#include <span>

namespace swirl::formula {

/// The rows of a nonterminal, chirp-z transform or small matrix by its definition. Roots of unity come from one exact table.
class Definition {
public:
    /// Accepts nonterminals, ChirpZ and Matrix only.
    explicit Definition(const Formula& formula);
    /// Writes row i.
    void row(Integer i, std::span<Complex> entries) const;

private:
    /// Root k of the table's order, for any k ≥ 0.
    Complex root(Integer k) const { return roots_[static_cast<std::size_t>(k % order_)]; }

    void real_dft_row(Direction direction, Integer i, std::span<Complex> entries) const;
    void dct_row(int type, Integer i, std::span<Complex> entries) const;
    void dst_row(int type, Integer i, std::span<Complex> entries) const;

    const Formula& formula_;
    Integer n_;
    Integer order_ = 1;
    std::vector<Complex> roots_;
    std::vector<Complex> kernel_; ///< of a convolution
};

} // namespace swirl::formula
