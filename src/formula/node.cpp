#include "formula/node.hpp"
#include "base/hash.hpp"
#include "base/overloaded.hpp"

#include <bit>

namespace swirl::formula {

namespace {

/// Equal for equal values, zeros of both signs included; much faster than std::hash.
std::uint64_t hash_of_value(long double value) {
    return std::bit_cast<std::uint64_t>(static_cast<double>(value) + 0.0);
}

std::size_t hash_of_values(const std::vector<Complex>& values) {
    std::size_t seed = values.size();
    for (const Complex& value : values)
        seed = mix_hash(mix_hash(seed, hash_of_value(value.real())), hash_of_value(value.imag()));
    return seed;
}

/// Hashes a computed list by its identity, so that its values need not be computed.
std::size_t hash_of_list(const SharedList<Complex>& list) {
    return list.is_computed() ? hash_of(list.size(), list.identity()) : hash_of_values(*list);
}

std::size_t hash_of_function(const DiagonalFunction& function) {
    const std::size_t parameters = std::visit(
        Overloaded{
            [](const TwiddleFunction& f) {
                return hash_of(f.order, f.first.divisor, f.first.modulus, f.second.divisor, f.second.modulus,
                               static_cast<int>(f.direction), f.factor);
            },
            [](const ChirpFunction& f) { return hash_of(f.order, static_cast<int>(f.direction), f.factor); },
            [](const ChirpSpectrumFunction& f) {
                return hash_of(f.order, f.size, static_cast<int>(f.direction));
            },
            [](const ConstantFunction& f) { return hash_of(f.value.real(), f.value.imag()); },
            [](const ExplicitFunction& f) { return hash_of_list(f.values); },
            [](const ArgumentFunction& f) { return hash_of(f.order); },
        },
        function);
    return hash_of(function.index(), parameters);
}

std::size_t hash_of_parameters(const Payload& payload) {
    return std::visit(
        Overloaded{
            [](const Identity&) { return std::size_t{0}; },
            [](const Dft& p) { return hash_of(static_cast<int>(p.direction)); },
            [](const Wht& p) { return hash_of(static_cast<int>(p.order)); },
            [](const RealDft& p) { return hash_of(static_cast<int>(p.direction)); },
            [](const Dct& p) { return hash_of(p.type); },
            [](const Dst& p) { return hash_of(p.type); },
            [](const Dht&) { return hash_of(0); },
            [](const Circulant& p) { return p.kernel ? hash_of_values(*p.kernel) : hash_of(p.of_reals); },
            [](const ChirpZ& p) { return hash_of(p.start, p.step); },
            [](const WaveletTransform& p) {
                return hash_of(static_cast<int>(p.wavelet.family), p.wavelet.moments, p.levels,
                               static_cast<int>(p.ends), p.inverse, p.transposed);
            },
            [](const FirFilter& p) {
                return hash_of(hash_of_values(*p.taps), static_cast<int>(p.ends), static_cast<int>(p.outputs),
                               p.transposed);
            },
            [](const Permutation& p) { return p.map.hash(); },
            [](const Gather& p) { return p.map.hash(); },
            [](const Scatter& p) { return p.map.hash(); },
            [](const Diagonal& p) { return hash_of(hash_of_function(p.function), p.index.hash()); },
            [](const Matrix& p) { return hash_of_values(p.entries); },
            [](const Product&) { return std::size_t{0}; },
            [](const Kronecker&) { return std::size_t{0}; },
            [](const DirectSum&) { return std::size_t{0}; },
            [](const IterativeSum& p) { return hash_of(p.variable, p.count); },
            [](const RealOf&) { return std::size_t{0}; },
            [](const Tagged& p) { return hash_of(static_cast<int>(p.tag), p.parameter); },
        },
        payload);
}

} // namespace

Formula make_node(Payload payload, std::vector<Formula> children, Shape shape) {
    std::size_t hash = mix_hash(hash_of_parameters(payload), payload.index());
    hash = hash_of(hash, shape.rows, shape.columns);
    for (const Formula& child : children) hash = mix_hash(hash, child.hash());
    return Formula(std::make_shared<const FormulaNode>(
        FormulaNode{std::move(payload), std::move(children), shape, hash}));
}

const Payload& Formula::payload() const { return node_->payload; }
const std::vector<Formula>& Formula::children() const { return node_->children; }
Shape Formula::shape() const { return node_->shape; }
std::size_t Formula::hash() const { return node_->hash; }

bool Formula::operator==(const Formula& other) const {
    if (node_ == other.node_) return true;
    return node_->hash == other.node_->hash && node_->shape == other.node_->shape &&
           node_->payload == other.node_->payload && node_->children == other.node_->children;
}

bool is_nonterminal(const Formula& formula) {
    return formula.is<Dft>() || formula.is<Wht>() || formula.is<RealDft>() || formula.is<Dct>() ||
           formula.is<Dst>() || formula.is<Dht>() || formula.is<Circulant>();
}

} // namespace swirl::formula
