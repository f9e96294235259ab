#pragma once

#include "rules/building_blocks.hpp"

#include <vector>

namespace swirl::rules {

/// Layout of a spectrum of reals: Re X_f at f, Im X_f at `imaginary` + `stride`·f.
struct SpectrumOrder {
    Integer imaginary;
    Integer stride;
    Integer of(Integer frequency) const { return imaginary + stride * frequency; }

    static SpectrumOrder between_passes(Integer n) { return {n / 2, 1}; }
    static SpectrumOrder halfcomplex(Integer n) { return {n, -1}; }
};

/// A pass of rdft-stockham, with the names of rules/rdft_stockham.cpp: columns of R entries in three groups: frequency 0, frequency
/// K/2, and those between.
class RealStockhamPass {
public:
    RealStockhamPass(Integer size, Integer spectrum, Integer radix)
        : n(size),
          K(spectrum),
          R(radix),
          M(size / (spectrum * radix)),
          N(spectrum * radix),
          S(complex_entries(spectrum)),
          order(M == 1 ? SpectrumOrder::halfcomplex(N) : SpectrumOrder::between_passes(N)) {}

    formula::Formula formula(Direction direction) const;
    /// The last pass forward, the product with a spectrum given at execution, and the first pass backward: the passes meet in
    /// the columns' order, whatever the order of the spectrum between them.
    formula::Formula convolution() const;

private:
    bool has_middle() const { return K % 2 == 0; }

    formula::Formula columns(Direction direction) const;
    formula::Formula complex_columns(Direction direction) const;
    formula::Formula transforms(Direction direction) const;
    formula::Formula twiddles(Direction direction) const;
    formula::Formula odd_columns(Direction direction) const;
    formula::Formula convolved_odd_columns() const;
    formula::IndexMap sources() const;
    formula::IndexMap split_complex() const;
    formula::IndexMap targets() const;
    void add_middle_targets(std::vector<formula::DigitMap>& pieces) const;
    formula::Formula conjugation() const;

    /// Of the R complex frequencies s + K·k_1, and of the R/2 frequencies (1 + 4u)·K/2, the number below N/2; the
    /// others stand for their conjugates.
    Integer direct_columns() const { return ceil_divide(R, 2); }
    Integer direct_pairs() const { return (R + 2) / 4; }

    Integer n, K, R, M, N, S;
    SpectrumOrder order;
};

} // namespace swirl::rules
