#include "base/overloaded.hpp"
#include "formula/band_matrix.hpp"
#include "formula/chirp_spectrum.hpp"
#include "formula/node.hpp"
#include "formula/wavelet.hpp"

#include <bit>

namespace swirl::formula {

namespace {

Integer times(Integer a, Integer b) {
    const auto product = checked_multiply(a, b);
    ensure(product.has_value(), "a formula of {} times {} rows or columns is too large", a, b);
    return *product;
}

Integer plus(Integer a, Integer b) {
    const auto sum = checked_add(a, b);
    ensure(sum.has_value(), "a formula of {} plus {} rows or columns is too large", a, b);
    return *sum;
}

const Formula& only_child(const std::vector<Formula>& children, const char* what) {
    ensure(children.size() == 1, "{} with {} operands instead of 1", what, children.size());
    return children.front();
}

void positive(Integer n, const char* what) { ensure(n >= 1, "{} of size {}: must be positive", what, n); }

Shape product_shape(const std::vector<Formula>& factors) {
    ensure(!factors.empty(), "product without factors");
    for (std::size_t i = 1; i < factors.size(); ++i)
        ensure(factors[i - 1].columns() == factors[i].rows(),
               "product of a {}×{} and a {}×{} matrix: the inner sizes differ", factors[i - 1].rows(),
               factors[i - 1].columns(), factors[i].rows(), factors[i].columns());
    return {factors.front().rows(), factors.back().columns()};
}

Shape kronecker_shape(const std::vector<Formula>& factors) {
    ensure(!factors.empty(), "Kronecker product without factors");
    Shape shape{1, 1};
    for (const Formula& factor : factors)
        shape = {times(shape.rows, factor.rows()), times(shape.columns, factor.columns())};
    return shape;
}

Shape direct_sum_shape(const std::vector<Formula>& summands) {
    ensure(!summands.empty(), "direct sum without summands");
    Shape shape{0, 0};
    for (const Formula& summand : summands)
        shape = {plus(shape.rows, summand.rows()), plus(shape.columns, summand.columns())};
    return shape;
}

Shape scaled(Shape shape, Integer factor) {
    return {times(shape.rows, factor), times(shape.columns, factor)};
}

Formula leaf(Payload payload, Integer n) { return make_node(std::move(payload), {}, {n, n}); }

Formula node(const Payload& payload, std::vector<Formula> children) {
    const Shape shape = shape_of(payload, children);
    return make_node(payload, std::move(children), shape);
}

/// The operands of an operator; nested nodes of the same `kind` are flattened.
template <class Kind> std::vector<Formula> flattened(const Formula& a, const Formula& b) {
    std::vector<Formula> operands;
    for (const Formula* side : {&a, &b}) {
        if (side->is<Kind>())
            operands.insert(operands.end(), side->children().begin(), side->children().end());
        else
            operands.push_back(*side);
    }
    return operands;
}

template <class Kind> Formula chain(std::vector<Formula> operands) {
    return operands.size() == 1 ? operands.front() : node(Kind{}, std::move(operands));
}

} // namespace

Shape shape_of(const Payload& payload, const std::vector<Formula>& children) {
    const auto leaf_without_shape = [&](const auto&) -> Shape {
        throw InternalError("a leaf with {} operands, or without its shape", children.size());
    };
    return std::visit(Overloaded{
                          [&](const Product&) { return product_shape(children); },
                          [&](const Kronecker&) { return kronecker_shape(children); },
                          [&](const DirectSum&) { return direct_sum_shape(children); },
                          [&](const IterativeSum& p) {
                              positive(p.count, "iterative sum");
                              return only_child(children, "iterative sum").shape();
                          },
                          [&](const RealOf&) { return scaled(only_child(children, "real form").shape(), 2); },
                          [&](const Tagged&) { return only_child(children, "tag").shape(); },
                          leaf_without_shape,
                      },
                      payload);
}

Formula I(Integer n) {
    positive(n, "identity");
    return leaf(Identity{}, n);
}

Formula DFT(Integer n, Direction direction) {
    positive(n, "DFT");
    return leaf(Dft{direction}, n);
}

Formula CZT(Integer inputs, Integer outputs, long double start, long double step) {
    positive(inputs, "chirp-z transform");
    positive(outputs, "chirp-z transform");
    constexpr Integer largest = Integer{1} << 31; // products of two indices have 64 bits
    ensure(std::max(inputs, outputs) <= largest,
           "chirp-z transform of {} inputs and {} outputs: at most 2^31", inputs, outputs);
    ensure(std::isfinite(start) && std::isfinite(step), "chirp-z transform from {} by {}: must be finite",
           static_cast<double>(start), static_cast<double>(step));
    return make_node(ChirpZ{start, step}, {}, {outputs, inputs});
}

namespace {

Formula wavelet_transform(Integer n, const WaveletTransform& transform) {
    constexpr int most_levels = 30;
    constexpr Integer longest = Integer{1} << 40; // positions stay below 2^63
    positive(n, "wavelet transform");
    ensure(n <= longest, "wavelet transform of {} samples: at most 2^40", n);
    ensure(transform.levels >= 1 && transform.levels <= most_levels,
           "wavelet transform of {} levels: must be 1 to {}", transform.levels, most_levels);
    ensure(transform.ends != Ends::jpeg2000 || is_symmetric(transform.wavelet),
           "wavelet transform by {} with the ends of JPEG 2000, whose filters are symmetric: use cdf5/3 or "
           "cdf9/7",
           to_text(transform.wavelet));
    const std::vector<Integer> lengths = approximation_lengths(transform, n);
    Integer coefficients = lengths.back();
    for (std::size_t level = 0; level + 1 < lengths.size(); ++level)
        coefficients += details_of_level(transform, lengths[level]);
    return make_node(transform, {}, transform.inverse ? Shape{n, coefficients} : Shape{coefficients, n});
}

} // namespace

Formula DWT(Integer n, Wavelet wavelet, int levels, Ends ends) {
    return wavelet_transform(n, {wavelet, levels, ends, false, false});
}

Formula IDWT(Integer n, Wavelet wavelet, int levels, Ends ends) {
    return wavelet_transform(n, {wavelet, levels, ends, true, false});
}

Formula FIR(Integer n, std::vector<Complex> taps, Ends ends, FilterOutputs outputs) {
    positive(n, "filter");
    const auto count = static_cast<Integer>(taps.size());
    ensure(count >= 1 && count <= FirFilter::most_taps,
           "filter of {} taps: must be 1 to {}; longer ones are faster as a convolution", count,
           FirFilter::most_taps);
    ensure(ends == Ends::zero || outputs == FilterOutputs::same,
           "filter with all or valid outputs only: these need no ends");
    ensure(ends != Ends::jpeg2000,
           "filter with the ends of JPEG 2000, which are a wavelet transform's: use reflect");
    ensure(outputs != FilterOutputs::valid || count <= n, "{} taps have no valid output of {} samples", count,
           n);
    const FirFilter filter{std::make_shared<const std::vector<Complex>>(std::move(taps)), ends, outputs,
                           false};
    return make_node(filter, {}, {outputs_of(filter, n), n});
}

namespace {

/// Of quarters a, b, c, d of a window's 2n points, c and its mirror images d, a and b: −c_r, −d, a, −b_r.
IndexMap folded(Integer n) {
    const Integer half = n / 2;
    return IndexMap::piecewise({{{half}, {-1}, 3 * half - 1, 0},
                                {{half}, {1}, 3 * half, 0},
                                {{half}, {1}, 0, 0},
                                {{half}, {-1}, n - 1, 0}},
                               2 * n);
}

/// Sums and differences of those, or their transpose.
Formula signed_pairs(Integer n, Shape each) {
    const auto pairs = [&](std::vector<Complex> signs) {
        return kron(matrix(each.rows, each.columns, std::move(signs)), I(n / 2));
    };
    return direct_sum(pairs({-1, -1}), pairs({1, -1}));
}

void even_points(Integer n, const char* what) {
    positive(n, what);
    ensure(n % 2 == 0, "{} of {} points: must be even", what, n);
}

} // namespace

Formula MDCT(Integer n) {
    even_points(n, "MDCT");
    return product({DCT(4, n), signed_pairs(n, {1, 2}), gather(folded(n))});
}

Formula IMDCT(Integer n) {
    even_points(n, "IMDCT");
    return product({scatter(folded(n)), signed_pairs(n, {2, 1}), DCT(4, n)});
}

Formula WHT(Integer n, WalshOrder order) {
    positive(n, "WHT");
    ensure(std::has_single_bit(static_cast<std::uint64_t>(n)), "WHT of size {}: must be a power of two", n);
    return leaf(Wht{order}, n);
}

Formula RDFT(Integer n, Direction direction) {
    positive(n, "real DFT");
    return leaf(RealDft{direction}, n);
}

Formula DCT(int type, Integer n) {
    positive(n, "DCT");
    ensure(type >= 1 && type <= 8, "DCT of type {}: must be 1 to 8", type);
    ensure(type > 1 || n > 1, "DCT of type 1 and size 1: must have at least two points");
    return leaf(Dct{type}, n);
}

Formula DST(int type, Integer n) {
    positive(n, "DST");
    ensure(type >= 1 && type <= 8, "DST of type {}: must be 1 to 8", type);
    return leaf(Dst{type}, n);
}

Formula DHT(Integer n) {
    positive(n, "Hartley transform");
    return leaf(Dht{}, n);
}

Formula circulant(std::vector<Complex> kernel) {
    const auto n = static_cast<Integer>(kernel.size());
    positive(n, "circulant");
    return leaf(Circulant{std::make_shared<const std::vector<Complex>>(std::move(kernel))}, n);
}

Formula circulant(Integer n) {
    positive(n, "circulant");
    return leaf(Circulant{nullptr}, n);
}

Formula real_circulant(Integer n) {
    positive(n, "circulant");
    return leaf(Circulant{nullptr, true}, n);
}

Formula L(Integer size, Integer stride) { return permutation(IndexMap::stride_permutation(size, stride)); }
Formula J(Integer n) { return permutation(IndexMap::reversal(n)); }

Formula permutation(IndexMap map) {
    ensure(map.is_permutation(), "the map {} → {} of a permutation is not one to one", map.domain(),
           map.range());
    const Integer n = map.domain();
    return leaf(Permutation{map.canonical()}, n);
}

Formula gather(IndexMap map) {
    const Shape shape{map.domain(), map.range()};
    return make_node(Gather{map.canonical()}, {}, shape);
}

Formula scatter(IndexMap map) {
    const Shape shape{map.range(), map.domain()};
    return make_node(Scatter{map.canonical()}, {}, shape);
}

Formula T(Integer size, Integer n, Direction direction) {
    ensure(size >= 1 && n >= 1 && size % n == 0, "twiddles of size {} in rows of {}: the latter must divide",
           size, n);
    return diagonal(TwiddleFunction{size, {n, size / n}, {1, n}, direction}, size);
}

Formula diagonal(DiagonalFunction function, Integer n) {
    return diagonal(std::move(function), IndexMap::identity(n));
}

Formula diagonal(DiagonalFunction function, IndexMap index) {
    const auto valid = [](const Digit& digit) { return digit.divisor >= 1 && digit.modulus >= 1; };
    std::visit(Overloaded{
                   [&](const TwiddleFunction& f) {
                       ensure(f.order >= 1 && valid(f.first) && valid(f.second),
                              "twiddles of order {} from digits (i/{}) mod {} and (i/{}) mod {}", f.order,
                              f.first.divisor, f.first.modulus, f.second.divisor, f.second.modulus);
                   },
                   [&](const ChirpFunction& f) { ensure(f.order >= 1, "chirp of order {}", f.order); },
                   [&](const ChirpSpectrumFunction& f) {
                       ensure(f.order >= ChirpSpectrum::shortest && f.size >= 2 * f.order - 1 &&
                                  f.size <= ChirpSpectrumFunction::largest_size && index.range() <= f.size,
                              "the spectrum of a chirp of {} points in {}, with indices up to {}", f.order,
                              f.size, index.range() - 1);
                   },
                   [&](const ConstantFunction&) {},
                   [&](const ArgumentFunction& f) {
                       ensure(f.order == 0 || f.order >= index.range(),
                              "the spectrum of {} reals with indices up to {}", f.order, index.range() - 1);
                   },
                   [&](const ExplicitFunction& f) {
                       ensure(f.values && static_cast<Integer>(f.values.size()) >= index.range(),
                              "diagonal of {} values with indices up to {}", f.values.size(),
                              index.range() - 1);
                   },
               },
               function);
    const Integer n = index.domain();
    return leaf(Diagonal{std::move(function), index.canonical()}, n);
}

Formula diagonal(std::vector<Complex> values) {
    const auto n = static_cast<Integer>(values.size());
    positive(n, "diagonal");
    return diagonal(ExplicitFunction{std::make_shared<const std::vector<Complex>>(std::move(values))}, n);
}

Formula matrix(Integer rows, Integer columns, std::vector<Complex> entries) {
    positive(rows, "matrix");
    positive(columns, "matrix");
    ensure(static_cast<Integer>(entries.size()) == times(rows, columns), "{}×{} matrix from {} entries", rows,
           columns, entries.size());
    return make_node(Matrix{std::move(entries)}, {}, {rows, columns});
}

Formula F2() { return matrix(2, 2, {1, 1, 1, -1}); }

Formula product(std::vector<Formula> factors) { return chain<Product>(std::move(factors)); }
Formula operator*(const Formula& a, const Formula& b) { return product(flattened<Product>(a, b)); }
Formula kron(std::vector<Formula> factors) { return chain<Kronecker>(std::move(factors)); }
Formula kron(const Formula& a, const Formula& b) { return kron(flattened<Kronecker>(a, b)); }
Formula direct_sum(std::vector<Formula> summands) { return chain<DirectSum>(std::move(summands)); }
Formula direct_sum(const Formula& a, const Formula& b) { return direct_sum(flattened<DirectSum>(a, b)); }

Formula iterative_sum(Variable variable, Integer count, const Formula& body) {
    return node(IterativeSum{variable, count}, {body});
}
Formula real_of(const Formula& complex) { return node(RealOf{}, {complex}); }
Formula tagged(Tag tag, const Formula& child) { return node(Tagged{tag}, {child}); }
Formula par(Integer ranks, const Formula& child) {
    positive(ranks, "group of ranks");
    return node(Tagged{Tag::par, ranks}, {child});
}
Formula on_rank(Integer rank, const Formula& child) {
    ensure(rank >= 0, "rank {}: must not be negative", rank);
    return node(Tagged{Tag::rank, rank}, {child});
}
Formula exchange(const Formula& permutation) { return tagged(Tag::exchange, permutation); }
Formula pass(const Formula& child) { return tagged(Tag::pass, child); }
Formula tile(const Formula& child) { return tagged(Tag::tile, child); }
Formula codelet(const Formula& child) { return tagged(Tag::codelet, child); }
Formula with_children(const Formula& formula, std::vector<Formula> children) {
    ensure(children.size() == formula.children().size(), "{} operands for a node that has {}",
           children.size(), formula.children().size());
    if (children.empty()) return formula;
    return node(formula.payload(), std::move(children));
}

} // namespace swirl::formula
