#pragma once

#include "formula/chirp_spectrum.hpp"
#include "formula/formula.hpp"
#include "formula/unit_circle.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace swirl::formula {

/// The roots of unity of one order, each the product of two tabulated roots: for callers that need many. Error about
/// two units in the last place of long double.
class RootsOfUnity {
public:
    RootsOfUnity(Integer order, Direction direction);
    Complex operator()(Integer k) const; ///< ω^k, 0 ≤ k < order

private:
    Integer step_;
    std::vector<Complex> fine_;   ///< ω^j, j < step
    std::vector<Complex> coarse_; ///< ω^{j·step}
};

/// root_of_unity of one order. Those of the first octant are computed at their first use, the others are reflections.
class ReflectedRoots {
public:
    explicit ReflectedRoots(Integer order)
        : order_(order), octant_(static_cast<std::size_t>(order / 2 + 1)) {}
    Complex operator()(Integer k, Direction direction); ///< 0 ≤ k < order

private:
    Integer order_;
    std::vector<Complex> octant_; ///< 0: not computed yet
};

/// Values of diagonal functions; tables are built at the first use of an order.
class DiagonalValues {
public:
    DiagonalValues() = default;
    DiagonalValues(DiagonalValues&&) = default;

    Complex operator()(const DiagonalFunction& function, Integer i);

private:
    __extension__ using Wide = __int128;

    Complex root(Wide order, Wide k, Direction direction);

    using Order = std::pair<Integer, Direction>;
    std::map<Order, RootsOfUnity> tables_;
    std::map<Integer, ReflectedRoots> small_; ///< of orders with too few roots for tables
    std::pair<Order, const RootsOfUnity*> latest_ = {{0, Direction::forward}, nullptr};
    std::pair<Integer, ReflectedRoots*> latest_small_ = {0, nullptr};
    std::map<Wide, Turns> rates_; ///< 1/order, of orders with too many roots for tables
    std::optional<UnitCircle> circle_;
    std::map<std::pair<Integer, Integer>, ChirpSpectrum> spectra_; ///< by order and size
};

/// diagonal_value(function, i). The tables that all entries of a chirp's spectrum take are kept in `spectra`.
Complex diagonal_value(const DiagonalFunction& function, Integer i, DiagonalValues& spectra);

} // namespace swirl::formula
