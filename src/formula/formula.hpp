#pragma once

#include "base/integer.hpp"
#include "base/shared_list.hpp"
#include "formula/index_map.hpp"

#include <swirl/kinds.hpp>

#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <variant>
#include <vector>

/// SPL: matrices as terms (Püschel et al., "SPIRAL", Proc. IEEE 93(2), 2005; the tutorial, section 2).
/// A formula of shape rows×columns maps a vector of `columns` entries to one of `rows`.
namespace swirl::formula {

using Complex = std::complex<long double>;

struct Shape {
    Integer rows;
    Integer columns;
    auto operator<=>(const Shape&) const = default;
};

// ---- payloads: parameters only; operands are the node's children -------------------------------------------

struct Identity {
    bool operator==(const Identity&) const = default;
};

// Nonterminals: transforms that a breakdown rule may expand. Their size is the node's shape.
struct Dft {
    Direction direction;
    bool operator==(const Dft&) const = default;
};
/// The order of a Walsh–Hadamard transform's rows.
enum class WalshOrder : std::uint8_t {
    natural,
    dyadic,   ///< row k is the natural one of the reversed bits of k
    sequency, ///< row k changes its sign k times: it is the dyadic one of k's Gray code
};
struct Wht {
    WalshOrder order;
    bool operator==(const Wht&) const = default;
};
/// forward: real n → halfcomplex r_0 r_1 … r_{⌊n/2⌋} i_{⌈n/2⌉−1} … i_1 (FFTW's R2HC); backward: HC2R, unnormalised.
struct RealDft {
    Direction direction;
    bool operator==(const RealDft&) const = default;
};
/// Types 1 to 4, unnormalised as FFTW's REDFT00, REDFT10, REDFT01, REDFT11 and RODFT00, RODFT10, RODFT01, RODFT11; types 5
/// to 8, of odd period, as TransformKind defines them. A DCT of type 1 has at least two points.
struct Dct {
    int type;
    bool operator==(const Dct&) const = default;
};
struct Dst {
    int type;
    bool operator==(const Dst&) const = default;
};
/// The discrete Hartley transform: entries cos(2πjk/n) + sin(2πjk/n).
struct Dht {
    bool operator==(const Dht&) const = default;
};
/// Cyclic convolution with a kernel h: circulant matrix, first column h. Without a kernel, its spectrum is given at
/// execution: see ArgumentFunction.
struct Circulant {
    std::shared_ptr<const std::vector<Complex>> kernel;
    bool of_reals =
        false; ///< the kernel given at execution is real, and of its spectrum entries 0 … n/2 are given
    bool operator==(const Circulant& o) const {
        return of_reals == o.of_reals && (kernel && o.kernel ? *kernel == *o.kernel : kernel == o.kernel);
    }
};

/// The chirp-z transform on the unit circle, of n inputs and m outputs: entries e^{−2πi·j·(start + k·step)}, row k, column j.
/// Frequencies are in cycles per sample. formula/chirp_z.hpp has its convolution.
struct ChirpZ {
    long double start;
    long double step;
    bool operator==(const ChirpZ&) const = default;
};

/// How a signal goes on beyond its ends.
enum class Ends : std::uint8_t {
    zero,
    periodic,  ///< one of odd length after another copy of its last sample
    symmetric, ///< half-point: … x_1 x_0 | x_0 x_1 …
    reflect,   ///< whole-point: … x_2 x_1 | x_0 x_1 …
    /// As reflect, of transforms by filters that are symmetric about a tap: the coefficients are symmetric, too, so as many as samples
    /// determine the others. ISO/IEC 15444-1, annex F.
    jpeg2000,
};
struct Wavelet {
    static constexpr int most_moments = 10;
    enum class Family : std::uint8_t { daubechies, cdf5_3, cdf9_7 };
    Family family;
    int moments = 0; ///< vanishing moments of a Daubechies wavelet, 1 to 10: Haar's, db2, …, db10
    auto operator<=>(const Wavelet&) const = default;
};
/// The discrete wavelet transform of n samples: the approximation of the last level, then details from coarse to fine. Each
/// level filters the approximation of the one before it. Filters, phases and lengths are PyWavelets': formula/wavelet.hpp.
struct WaveletTransform {
    Wavelet wavelet;
    int levels;
    Ends ends;
    bool inverse;    ///< from coefficients to samples
    bool transposed; ///< the transpose of the transform or of its inverse
    bool operator==(const WaveletTransform&) const = default;
};
/// Which outputs of a filter are kept: as many as samples, all, or those that need no sample beyond the ends.
enum class FilterOutputs : std::uint8_t { same, full, valid };
/// A filter of finite impulse response: y_i = Σ_j taps_j·x_{i−j}.
struct FirFilter {
    static constexpr Integer most_taps = 128;
    std::shared_ptr<const std::vector<Complex>> taps;
    Ends ends;
    FilterOutputs outputs;
    bool transposed;
    bool operator==(const FirFilter& o) const {
        return *taps == *o.taps && ends == o.ends && outputs == o.outputs && transposed == o.transposed;
    }
};

/// (P x)[i] = x[map(i)].
struct Permutation {
    IndexMap map;
    bool operator==(const Permutation&) const = default;
};
/// n×N: (G x)[i] = x[map(i)].
struct Gather {
    IndexMap map;
    bool operator==(const Gather&) const = default;
};
/// N×n, the transpose of a gather: y[map(i)] = x[i], other entries 0.
struct Scatter {
    IndexMap map;
    bool operator==(const Scatter&) const = default;
};

/// The digit (i / divisor) mod modulus of an index.
struct Digit {
    Integer divisor;
    Integer modulus;
    Integer of(Integer i) const { return i / divisor % modulus; }
    bool operator==(const Digit&) const = default;
};
/// ω_order^{factor·first(i)·second(i)}, ω = e^{∓2πi/order}. T^{mn}_n is order mn, first {n, m}, second {1, n}.
struct TwiddleFunction {
    Integer order;
    Digit first;
    Digit second;
    Direction direction;
    Integer factor = 1;
    bool operator==(const TwiddleFunction&) const = default;
};
/// e^{∓πi·factor·i²/order}: with factor 1, Bluestein's chirp (1970).
struct ChirpFunction {
    Integer order;
    Direction direction;
    Integer factor = 1;
    bool operator==(const ChirpFunction&) const = default;
};
/// The spectrum of Bluestein's filter: entry j of DFT_size(h)/size with h_k = h_{−k} = e^{±πi·k²/order} for k < order,
/// else 0. Kernels compute it (formula/chirp_spectrum.hpp).
struct ChirpSpectrumFunction {
    static constexpr Integer largest_size = 3'037'000'499; ///< its square is below 2^63
    Integer order;
    Integer size; ///< from 2·order − 1, with order ≥ 4096, to `largest_size`
    Direction direction;
    bool operator==(const ChirpSpectrumFunction&) const = default;
};
struct ConstantFunction {
    Complex value;
    bool operator==(const ConstantFunction&) const = default;
};
struct ExplicitFunction {
    SharedList<Complex> values;
    bool operator==(const ExplicitFunction&) const = default;
};
/// An array that the caller passes at execution. Evaluation of a term substitutes fixed placeholder values without
/// symmetry.
struct ArgumentFunction {
    /// n > 0: the array holds entries 0 … n/2 of the spectrum of n reals. Entry i > n/2 is the conjugate of entry n − i, and
    /// entries 0 and n/2 are real: their imaginary components are ignored.
    Integer order = 0;
    bool operator==(const ArgumentFunction&) const = default;
};
using DiagonalFunction = std::variant<TwiddleFunction, ChirpFunction, ChirpSpectrumFunction, ConstantFunction,
                                      ExplicitFunction, ArgumentFunction>;
/// Entry i is function(index(i)); accurate to about the last bit of long double.
struct Diagonal {
    DiagonalFunction function;
    IndexMap index;
    bool operator==(const Diagonal&) const = default;
};

/// Small dense matrix, row-major.
struct Matrix {
    std::vector<Complex> entries;
    bool operator==(const Matrix&) const = default;
};

/// children A·B·C, applied right to left
struct Product {
    bool operator==(const Product&) const = default;
};
/// children A ⊗ B ⊗ C
struct Kronecker {
    bool operator==(const Kronecker&) const = default;
};
/// children A ⊕ B ⊕ C
struct DirectSum {
    bool operator==(const DirectSum&) const = default;
};
/// Σ_{variable < count} child; the child's gathers, scatters and diagonals refer to the variable.
struct IterativeSum {
    Variable variable;
    Integer count;
    bool operator==(const IterativeSum&) const = default;
};
/// The real 2r×2c matrix of a complex r×c child, acting on interleaved (re, im) pairs.
struct RealOf {
    bool operator==(const RealOf&) const = default;
};

/// How loops are built for a subterm. Tags of single loops, such as vec(ν), are placed later: loops/loop_program.hpp.
enum class Tag : std::uint8_t {
    pass,    ///< one merged loop nest: the child's permutations and diagonals fold into its loads and stores
    codelet, ///< straight-line code throughout, including the transforms in it
    tile, ///< I_T ⊗ A, A = A_k ⋯ A_1, as (I_T ⊗ A_k) ⋯ (I_T ⊗ A_1): T vectors stay in cache between factors
    // of transforms over several ranks (Bonelli, Franchetti, Lorenz, Püschel, Ueberhuber 2006): distributed/derivation.hpp
    par,      ///< par(p): still to be rewritten for p ranks
    rank,     ///< rank(r): a summand that rank r computes from and to memory of its own
    exchange, ///< a permutation whose entries travel between ranks
};
struct Tagged {
    Tag tag;
    Integer parameter = 0; ///< p of par(p), r of rank(r)
    bool operator==(const Tagged&) const = default;
};
using Payload = std::variant<Identity, Dft, Wht, RealDft, Dct, Dst, Dht, Circulant, ChirpZ, WaveletTransform,
                             FirFilter, Permutation, Gather, Scatter, Diagonal, Matrix, Product, Kronecker,
                             DirectSum, IterativeSum, RealOf, Tagged>;

// ---- the term -----------------------------------------------------------------------------------------------

struct FormulaNode;

/// An immutable matrix term; cheap to copy, compared by value.
class Formula {
public:
    explicit Formula(std::shared_ptr<const FormulaNode> node) : node_(std::move(node)) {}
    const Payload& payload() const;
    const std::vector<Formula>& children() const;
    Shape shape() const;
    Integer rows() const { return shape().rows; }
    Integer columns() const { return shape().columns; }
    std::size_t hash() const;
    const FormulaNode* node() const { return node_.get(); }
    bool operator==(const Formula& other) const;

    template <class P> const P* get_if() const { return std::get_if<P>(&payload()); }
    template <class P> bool is() const { return get_if<P>() != nullptr; }

private:
    std::shared_ptr<const FormulaNode> node_;
};

struct FormulaNode {
    Payload payload;
    std::vector<Formula> children;
    Shape shape;
    std::size_t hash;
};

// ---- factories: check shapes, throw InternalError. Products, Kronecker products and direct sums flatten only nested
// ---- nodes of their own kind (a * b * c is one Product of three) and keep a Tagged child separate -------------

Formula I(Integer n);
Formula DFT(Integer n, Direction direction = Direction::forward);
Formula WHT(Integer n, WalshOrder order = WalshOrder::natural); ///< n a power of two
Formula RDFT(Integer n, Direction direction = Direction::forward);
Formula DCT(int type, Integer n);
Formula DST(int type, Integer n);
Formula DHT(Integer n);
Formula circulant(std::vector<Complex> kernel);
Formula circulant(Integer n);      ///< the spectrum of its kernel is given at execution
Formula real_circulant(Integer n); ///< the same of a real kernel
Formula CZT(Integer inputs, Integer outputs, long double start, long double step);
/// Of n samples.
Formula DWT(Integer n, Wavelet wavelet, int levels, Ends ends);
/// To n samples: the transform's inverse on its range.
Formula IDWT(Integer n, Wavelet wavelet, int levels, Ends ends);
/// Of n samples. Outputs other than `same` require ends of zeros.
Formula FIR(Integer n, std::vector<Complex> taps, Ends ends = Ends::zero,
            FilterOutputs outputs = FilterOutputs::same);
Formula L(Integer size, Integer stride); ///< stride permutation L^size_stride
Formula J(Integer n);                    ///< reversal
Formula permutation(IndexMap map);
Formula gather(IndexMap map);
Formula scatter(IndexMap map); ///< map.range() × map.domain()
/// Twiddles T^{size}_n = diag ω_size^{j·k}, entry j·n + k: the tutorial's eq. 4.
Formula T(Integer size, Integer n, Direction direction = Direction::forward);
Formula diagonal(DiagonalFunction function, Integer n);
Formula diagonal(DiagonalFunction function, IndexMap index);
Formula diagonal(std::vector<Complex> values);
Formula matrix(Integer rows, Integer columns, std::vector<Complex> entries);
/// The modified discrete cosine transform (Princen and Bradley 1986), n even, of 2n points: entries
/// 2·cos(π·(j + ½ + n/2)·(k + ½)/n), as DCT(4, n) of the folded input; and its transpose.
Formula MDCT(Integer n);
Formula IMDCT(Integer n);
Formula F2(); ///< the 2×2 butterfly matrix [1 1; 1 −1]

Formula product(std::vector<Formula> factors);
Formula operator*(const Formula& a, const Formula& b);
Formula kron(std::vector<Formula> factors);
Formula kron(const Formula& a, const Formula& b);
Formula direct_sum(std::vector<Formula> summands);
Formula direct_sum(const Formula& a, const Formula& b);
Formula iterative_sum(Variable variable, Integer count, const Formula& body);
Formula real_of(const Formula& complex);

Formula tagged(Tag tag, const Formula& child);
Formula par(Integer ranks, const Formula& child);
Formula on_rank(Integer rank, const Formula& child);
Formula exchange(const Formula& permutation);
Formula pass(const Formula& child);
Formula tile(const Formula& child);
Formula codelet(const Formula& child);

/// A node with the same payload and new children (shapes checked).
Formula with_children(const Formula& formula, std::vector<Formula> children);

/// Whether the term is a transform that a breakdown rule may expand.
bool is_nonterminal(const Formula& formula);

// ---- semantics ----------------------------------------------------------------------------------------------

/// Entry i of a diagonal function: exponents reduced exactly, then one correctly scaled sine and cosine.
Complex diagonal_value(const DiagonalFunction& function, Integer i);
/// The row of the natural order that is row k of another order.
Integer natural_row(WalshOrder order, Integer n, Integer k);
/// e^{∓2πi·k/n} for any k ≥ 0, n ≥ 1: octant reduction in integers, error about one unit in the last place.
Complex root_of_unity(Integer n, Integer k, Direction direction);

using DenseMatrix = std::vector<Complex>; ///< row-major rows × columns
/// The matrix itself. Nonterminals by definition, summed in long double.
DenseMatrix dense(const Formula& formula);
/// y = formula · x without forming the matrix; nonterminals by definition (O(n²)), structured terms by fast algorithms.
std::vector<Complex> apply(const Formula& formula, std::span<const Complex> x);
/// The same in long double or double, with another way to apply a long nonterminal or chirp-z transform to a vector. Asks interrupts of
/// long vectors.
using ApplyNonterminal =
    std::function<std::vector<Complex>(const Formula& nonterminal, std::span<const Complex> x)>;
template <class Real>
std::vector<std::complex<Real>> apply(const Formula& formula, std::span<const std::complex<Real>> x,
                                      const ApplyNonterminal& nonterminal);
/// The transposed matrix as a term. If a transform's transpose is another transform, it becomes that one, with a
/// diagonal where the unnormalised definitions differ by factors of two (real DFT, types 2 and 3).
Formula transpose(const Formula& formula);
/// The matrix of complex conjugates as a term.
Formula conjugate(const Formula& formula);

} // namespace swirl::formula
