#include "passes/footprint.hpp"

#include "passes/statements.hpp"

#include <numeric>

namespace swirl::passes {

namespace {

/// Whether l·s − m·t = d for some 0 ≤ l < n, 0 ≤ m < k; modulo `modulus` unless that is 0.
bool lanes_overlap(Integer d, Integer s, int n, Integer t, int k, Integer modulus) {
    if (modulus == 0 && s == t) {
        if (s == 0) return d == 0;
        return d % s == 0 && d / s < n && d / s > -k;
    }
    for (int l = 0; l < n; ++l)
        for (int m = 0; m < k; ++m) {
            const Integer rest = l * s - m * t - d;
            if (rest == 0 || (modulus != 0 && rest % modulus == 0)) return true;
        }
    return false;
}

} // namespace

int FootprintTable::shape_of(const ir::Address& address) {
    std::size_t hash = static_cast<std::size_t>(address.dynamic);
    for (const Affine::Term& term : address.index.terms())
        hash = mix_hash(mix_hash(hash, static_cast<std::uint64_t>(term.variable)),
                        static_cast<std::uint64_t>(term.coefficient));
    const auto [begin, end] = shape_ids_.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
        const Shape& shape = shapes_[static_cast<std::size_t>(at->second)];
        if (shape.dynamic == address.dynamic && shape.dynamic_scale == address.dynamic_scale &&
            shape.terms == address.index.terms())
            return at->second;
    }
    const int shape = static_cast<int>(shapes_.size());
    shapes_.push_back({address.index.terms(), address.dynamic, address.dynamic_scale});
    shape_ids_.emplace(hash, shape);
    return shape;
}

Footprint FootprintTable::footprint(const ir::Operation& operation) {
    return footprint(operation.address, active_lanes(operation));
}

Footprint FootprintTable::footprint(const ir::Address& address, int active) {
    return {.buffer = address.buffer,
            .shape = shape_of(address),
            .offset = address.index.constant(),
            .lane_stride = active == 1 ? 0 : address.lane_stride,
            .active = active};
}

bool FootprintTable::may_overlap(const Footprint& a, const Footprint& b) const {
    if (a.buffer != b.buffer) return false;
    if (a.shape != b.shape) return shapes_may_overlap(a, b);
    return lanes_overlap(b.offset - a.offset, a.lane_stride, a.active, b.lane_stride, b.active, 0);
}

bool FootprintTable::shapes_may_overlap(const Footprint& a, const Footprint& b) const {
    const Shape& x = shapes_[static_cast<std::size_t>(a.shape)];
    const Shape& y = shapes_[static_cast<std::size_t>(b.shape)];
    if (x.dynamic != y.dynamic || x.dynamic_scale != y.dynamic_scale) return true;
    // The variable parts differ by multiples of g.
    Integer g = 0;
    auto p = x.terms.begin();
    auto q = y.terms.begin();
    while (p != x.terms.end() || q != y.terms.end()) {
        if (q == y.terms.end() || (p != x.terms.end() && p->variable < q->variable))
            g = std::gcd(g, (p++)->coefficient);
        else if (p == x.terms.end() || q->variable < p->variable)
            g = std::gcd(g, (q++)->coefficient);
        else
            g = std::gcd(g, (p++)->coefficient - (q++)->coefficient);
    }
    return lanes_overlap(b.offset - a.offset, a.lane_stride, a.active, b.lane_stride, b.active, g);
}

} // namespace swirl::passes
