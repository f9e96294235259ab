#pragma once

#include "formula/chirp_spectrum.hpp"
#include "loops/chirp_spectrum.hpp"
#include "lower/twiddle_tables.hpp"

#include <vector>

namespace swirl::lower {

/// Multiplies entries of a codelet by entries of the spectrum of a long chirp, each computed from small tables and
/// polynomials (decision 45).
class ChirpSpectrumFactors {
public:
    ChirpSpectrumFactors(Context& context, const loops::ChirpSpectrumEntries& entries,
                         const std::vector<Loop>& loops, const std::optional<VectorLoop>& lane);

    Scaled apply(std::size_t entry, const Scaled& value, Arithmetic& arithmetic, const Affine& vector,
                 const Affine& lane);

private:
    /// A large integer as a sum of two: floating-point numbers hold each exactly.
    struct Halves {
        ir::Value high, low;
    };
    ir::Value number(long double value) { return context_.builder.constant(type_, value); }
    Halves index_of(std::size_t entry, Arithmetic& arithmetic, const Affine& vector, const Affine& lane);
    ir::Value polynomial(const std::vector<double>& coefficients, ir::Value x);
    Scaled ends(std::size_t entry, const Scaled& turn, Arithmetic& arithmetic, const Affine& vector,
                const Affine& lane);

    Context& context_;
    loops::ChirpSpectrumEntries entries_;
    ir::Type type_;
    formula::EndsOfChirp ends_;
    std::vector<Affine> steps_; ///< the index's terms, of one variable each
    TwiddleTables phases_, turns_;
    TwiddleTables halves_; ///< of each step
};

} // namespace swirl::lower
