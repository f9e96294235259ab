#include "loops/endpoint.hpp"

#include <algorithm>

namespace swirl::loops {

namespace {

/// Bound of a value that no later map divides.
constexpr Integer unbounded = Integer{1} << 62;

/// Σ stride·digit over the mixed-radix digits of an index.
Integer sum_of_digits(const std::vector<Integer>& radices, const std::vector<Integer>& strides,
                      Integer index) {
    Integer sum = 0;
    for (std::size_t q = radices.size(); q-- > 0; index /= radices[q])
        sum += strides[q] * (index % radices[q]);
    return sum;
}

/// Σ stride·digit of an index as an affine form plus the sum over the digits of another index, which are fewer.
struct PartlyAffine {
    Affine form;
    std::vector<Integer> radices;
    std::vector<Integer> strides;
    Affine index;
};

/// Nothing if no digit is affine. The digits that are not are neighbours.
std::optional<PartlyAffine> separate_digits(const std::vector<Integer>& radices,
                                            const std::vector<Integer>& strides, const Affine& index,
                                            const Extents& extents) {
    Affine rest = index, lower = 0;
    std::size_t end = radices.size();
    for (; end > 1; --end) {
        auto division = divide(rest, radices[end - 1], extents);
        if (!division) break;
        lower += strides[end - 1] * division->remainder;
        rest = std::move(division->quotient);
    }
    const auto digits = [end](const std::vector<Integer>& all, std::size_t first) {
        return std::vector<Integer>(all.begin() + static_cast<std::ptrdiff_t>(first),
                                    all.begin() + static_cast<std::ptrdiff_t>(end));
    };
    Integer weight = 1;
    for (std::size_t first = end; first-- > 1;) {
        weight *= radices[first];
        const auto division = divide(rest, weight, extents);
        if (!division) continue;
        const auto above = static_cast<std::ptrdiff_t>(first);
        const auto upper =
            evaluate_digits({radices.begin(), radices.begin() + above},
                            {strides.begin(), strides.begin() + above}, division->quotient, extents);
        if (upper)
            return PartlyAffine{lower + *upper, digits(radices, first), digits(strides, first),
                                division->remainder};
    }
    if (end == radices.size()) return std::nullopt;
    return PartlyAffine{lower, digits(radices, 0), digits(strides, 0), rest};
}

/// The same addresses with fewer digits: neighbours whose elements follow each other are one.
Layout with_merged_digits(const Layout& layout) {
    Layout merged;
    for (std::size_t q = 0; q < layout.lengths.size(); ++q) {
        if (q > 0 && merged.strides.back() == layout.lengths[q] * layout.strides[q]) {
            merged.lengths.back() *= layout.lengths[q];
            merged.strides.back() = layout.strides[q];
        } else {
            merged.lengths.push_back(layout.lengths[q]);
            merged.strides.push_back(layout.strides[q]);
        }
    }
    return merged;
}

/// Walks from the factor's index to memory; tracks two indices once a complex entry is viewed as a pair of reals.
class Walk {
public:
    Walk(const Affine& index, Extents& extents, std::optional<Variable> symbol)
        : indices_{index}, extents_(extents), symbol_(symbol) {}

    bool apply(const AccessMap& access_map, Location& location) {
        return std::visit([&](const auto& s) { return take(s, location); }, access_map);
    }

    const std::vector<Affine>& indices() const { return indices_; }

private:
    bool take(const View& view, Location&) {
        for (Affine& index : indices_) index = view.base + view.stride * index;
        return true;
    }

    bool take(const Pairs&, Location&) {
        indices_ = {2 * indices_[0], 2 * indices_[0] + 1};
        return true;
    }

    bool take(const Layout& layout, Location& location) {
        if (layout.forms && !take_forms(layout, location)) return false;
        for (Affine& index : indices_) {
            if (layout.forms && !evaluate_digits(layout.lengths, layout.strides, index, extents_))
                return false;
            auto form = evaluate_digits(layout.lengths, layout.strides, index, extents_);
            if (!form && !layout.forms) { // of a loop that crosses digits
                const Layout merged = with_merged_digits(layout);
                form = evaluate_digits(merged.lengths, merged.strides, index, extents_);
            }
            if (!form)
                return tabulate(
                    [layout](Integer at) { return sum_of_digits(layout.lengths, layout.strides, at); },
                    unbounded, location);
            index = std::move(*form);
        }
        return true;
    }

    bool take_forms(const Layout& layout, Location& location) const {
        for (const Affine& index : indices_) {
            std::vector<Affine>& forms = location.forms.emplace_back();
            for (const LayoutForm& form_layout : *layout.forms) {
                const auto form = evaluate_digits(layout.lengths, form_layout.strides, index, extents_);
                if (!form) return false;
                forms.push_back(*form + form_layout.constant);
            }
        }
        return true;
    }

    bool take(const formula::Diagonal& diagonal, Location& location) {
        if (indices_.size() == 2 && !is_real_constant(diagonal))
            return take_sign(diagonal, indices_[0], location.re_negative) &&
                   take_sign(diagonal, indices_[1], location.im_negative);
        location.diagonals.push_back({diagonal, indices_[0], location.table});
        return true;
    }

    bool take(const AuxiliaryDiagonal& factor, Location& location) {
        if (indices_.size() == 2) return false;
        auto index = evaluate(factor.map, indices_[0], extents_);
        if (!index) return false;
        bool conjugate = false;
        if (const Integer order = factor.function.order; order > 0) {
            const auto [low, high] = bounds(*index, extents_);
            conjugate = 2 * low > order;
            if (!conjugate && 2 * high > order) return false;
            if (conjugate) index = order - *index;
        }
        for (std::size_t k = factor.views.size(); k-- > 0;)
            index = factor.views[k].base + factor.views[k].stride * *index;
        auto offset = evaluate_digits(factor.layout.lengths, factor.layout.strides, *index, extents_);
        if (!offset) return false;
        const formula::Diagonal diagonal{formula::ArgumentFunction{}, formula::IndexMap::identity(1)};
        location.diagonals.push_back({diagonal, std::move(*offset), location.table, conjugate});
        return true;
    }

    /// Whether the diagonal multiplies both components of a pair by the same real.
    static bool is_real_constant(const formula::Diagonal& diagonal) {
        const auto* constant = std::get_if<formula::ConstantFunction>(&diagonal.function);
        return constant != nullptr && constant->value.imag() == 0;
    }

    /// For a real diagonal behind a pair: the sign, if it is the same for all values of the variables.
    bool take_sign(const formula::Diagonal& diagonal, const Affine& index, bool& negative) const {
        const auto at = evaluate(diagonal.index, index, extents_);
        if (!at || !at->is_constant()) return false;
        const formula::Complex value = formula::diagonal_value(diagonal.function, at->constant());
        if (value != formula::Complex(1) && value != formula::Complex(-1)) return false;
        negative = negative != (value.real() < 0);
        return true;
    }

    bool take(const formula::IndexMap& map, Location& location) {
        std::vector<Affine> mapped;
        for (const Affine& index : indices_) {
            auto form = evaluate(map, index, extents_);
            if (!form) return tabulate_digits(map, location) || tabulate(map, map.range(), location);
            mapped.push_back(std::move(*form));
        }
        indices_ = std::move(mapped);
        return true;
    }

    /// Replaces the index by the map's value, as an affine form of some digits and an index table of the others, if a
    /// table of all would be long.
    bool tabulate_digits(const formula::IndexMap& map, Location& location) {
        const auto* digits = std::get_if<formula::DigitMap>(&map.kind());
        const bool may_be_negative = digits && std::any_of(digits->strides.begin(), digits->strides.end(),
                                                           [](Integer stride) { return stride < 0; });
        if (!symbol_ || indices_.size() != 1 || !digits || digits->modulus != 0 || may_be_negative ||
            !needs_long_table(location))
            return false;
        auto parts = separate_digits(digits->radices, digits->strides, indices_[0], extents_);
        if (!parts || (location.table && parts->form.coefficient(*symbol_) != 0)) return false;
        Integer range = 1;
        for (std::size_t q = 0; q < parts->radices.size(); ++q)
            range += parts->strides[q] * (parts->radices[q] - 1);
        indices_[0] = parts->index;
        const auto sum = [radices = parts->radices, strides = parts->strides](Integer at) {
            return sum_of_digits(radices, strides, at);
        };
        if (!tabulate(sum, range, location)) return false;
        indices_[0] += parts->form + digits->base;
        return true;
    }

    /// Whether the index has many values.
    bool needs_long_table(const Location& location) const {
        constexpr Integer shortest = Integer{1} << 16;
        Integer iterations = 1;
        for (const auto& term : indices_[0].terms())
            if (!location.table || term.variable != *symbol_) iterations *= extents_[term.variable];
        return iterations >= shortest;
    }

    /// Replaces map(index), with values below `range`, by the symbol of an index table.
    template <class Map> bool tabulate(const Map& map, Integer range, Location& location) {
        if (!symbol_ || indices_.size() != 1) return false;
        const Affine index = indices_[0];
        if (!location.table) {
            location.table = IndexTable{*symbol_, {}, [map, index](const IndexTable::Lookup& lookup) {
                                            return map(index.evaluate(lookup));
                                        }};
        } else {
            location.table->value = [map, index, symbol = *symbol_,
                                     inner = location.table->value](const IndexTable::Lookup& lookup) {
                const Integer known = inner(lookup);
                return map(index.evaluate([&](Variable v) { return v == symbol ? known : lookup(v); }));
            };
        }
        auto& variables = location.table->variables;
        for (const auto& term : index.terms())
            if (term.variable != *symbol_ &&
                std::find(variables.begin(), variables.end(), term.variable) == variables.end())
                variables.push_back(term.variable);
        extents_.set(*symbol_, range);
        indices_[0] = Affine::of(*symbol_);
        return true;
    }

    std::vector<Affine> indices_;
    Extents& extents_;
    std::optional<Variable> symbol_;
};

} // namespace

bool Endpoint::is_complex() const {
    if (memory_.kind != Memory::Kind::real) return true;
    return std::any_of(access_maps_.begin(), access_maps_.end(),
                       [](const AccessMap& access_map) { return std::holds_alternative<Pairs>(access_map); });
}

bool Endpoint::can_pair(Integer blocks, Integer n, const Affine& within, Extents& extents) const {
    const Endpoint pairs = through(Pairs{});
    for (Integer block = 0; block < blocks; ++block)
        if (!pairs.locate(block * n + within, extents)) return false;
    return true;
}

Endpoint Endpoint::through(AccessMap access_map) const {
    Endpoint result = *this;
    result.access_maps_.push_back(std::move(access_map));
    return result;
}

Endpoint Endpoint::substitute(Variable variable, const Affine& form) const {
    Endpoint result = *this;
    for (AccessMap& access_map : result.access_maps_) {
        if (auto* view = std::get_if<View>(&access_map)) view->base = view->base.substitute(variable, form);
        if (auto* factor = std::get_if<AuxiliaryDiagonal>(&access_map))
            for (View& view : factor->views) view.base = view.base.substitute(variable, form);
    }
    return result;
}

std::optional<Location> Endpoint::locate(const Affine& index, Extents& extents,
                                         std::optional<Variable> symbol) const {
    Location location;
    Walk walk(index, extents, symbol);
    for (std::size_t k = access_maps_.size(); k-- > 0;)
        if (!walk.apply(access_maps_[k], location)) return std::nullopt;
    const auto& indices = walk.indices();
    if (indices.size() == 2) {
        location.re = indices[0];
        location.im = indices[1];
    } else if (memory_.kind == Memory::Kind::interleaved) {
        location.re = 2 * indices[0];
        location.im = 2 * indices[0] + 1;
    } else {
        location.re = location.im = indices[0];
    }
    return location;
}

namespace {

/// Entries per index of the outermost dimension.
Integer row_of(const Layout& layout) {
    Integer row = 1;
    for (std::size_t k = 1; k < layout.lengths.size(); ++k) row *= layout.lengths[k];
    return row;
}

/// The radices into which a map decomposes a loop's iterations, if these are all combinations of some of its last
/// digits or of those digits within a range of the digit before them. Empty otherwise.
std::vector<Integer> radices_of(const formula::IndexMap& map, const Affine& index, Variable loop,
                                Integer iterations) {
    std::vector<formula::DigitMap> pieces;
    if (const auto* digits = std::get_if<formula::DigitMap>(&map.kind())) pieces = {*digits};
    if (const auto* list = std::get_if<formula::PiecewiseMap>(&map.kind())) pieces = list->pieces;
    if (index != Affine::of(loop) + index.constant()) return {};
    Integer first = index.constant();
    for (const formula::DigitMap& piece : pieces) {
        const Integer size = formula::domain_of(piece);
        if (first >= size) {
            first -= size;
            continue;
        }
        if (piece.modulus != 0 || first + iterations > size) return {};
        std::vector<Integer> radices;
        Integer block = 1; // iterations for each value of the preceding digits
        for (std::size_t q = piece.radices.size(); q-- > 0; block *= piece.radices[q]) {
            const Integer radix = piece.radices[q];
            const Integer count = std::min(radix, iterations / block);
            radices.insert(radices.begin(), count);
            if (count < radix || block * radix == iterations) {
                const bool is_range = iterations == block * count && first % block == 0 &&
                                      first / block % radix + count <= radix;
                return is_range ? radices : std::vector<Integer>{};
            }
        }
        return {};
    }
    return {};
}

} // namespace

namespace {

void sort_cuts(std::vector<Integer>& cuts) {
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
}

/// Adds the iterations at which an index that moves with one variable of `size` values enters another piece of a map.
void add_cuts(const formula::PiecewiseMap& map, const Affine& index, Variable variable, Integer size,
              std::vector<Integer>& cuts) {
    const Integer s = index.coefficient(variable), c = index.constant();
    if (s == 0 || index.terms().size() != 1) return;
    // index = c + s·i crosses `begin` of a piece at i = (begin − c)/s, rounded up or down by the sign of s
    Integer begin = 0;
    for (const formula::DigitMap& piece : map.pieces) {
        const Integer cut = s > 0 ? ceil_divide(begin - c, s) : floor_divide(begin - c, s) + 1;
        if (cut > 0 && cut < size) cuts.push_back(cut);
        begin += formula::domain_of(piece);
    }
}

bool is_constant(const formula::DigitMap& piece) {
    return std::all_of(piece.strides.begin(), piece.strides.end(),
                       [](Integer stride) { return stride == 0; });
}

} // namespace

std::vector<Integer> Endpoint::diagonal_cuts_for(Integer size, Extents extents, Variable fresh) const {
    extents.set(fresh, size);
    Location ignored;
    Walk walk(Affine::of(fresh), extents, std::nullopt);
    std::vector<Integer> cuts;
    for (std::size_t k = access_maps_.size(); k-- > 0;) {
        const auto* diagonal = std::get_if<formula::Diagonal>(&access_maps_[k]);
        const auto* list = diagonal ? std::get_if<formula::PiecewiseMap>(&diagonal->index.kind()) : nullptr;
        if (list && std::all_of(list->pieces.begin(), list->pieces.end(), is_constant))
            add_cuts(*list, walk.indices()[0], fresh, size, cuts);
        if (!walk.apply(access_maps_[k], ignored)) break;
    }
    sort_cuts(cuts);
    return cuts;
}

std::vector<Integer> Endpoint::cuts_for(Integer size, Extents extents, Variable fresh) const {
    extents.set(fresh, size);
    return cuts_of(fresh, Affine::of(fresh), std::move(extents));
}

std::vector<Integer> Endpoint::cuts_of(Variable variable, const Affine& entry, Extents extents) const {
    const Integer size = extents[variable];
    Location ignored;
    Walk walk(entry, extents, std::nullopt);
    for (std::size_t k = access_maps_.size(); k-- > 0;) {
        const Affine index = walk.indices()[0];
        if (walk.apply(access_maps_[k], ignored)) continue;
        if (const auto* layout = std::get_if<Layout>(&access_maps_[k])) {
            if (index != Affine::of(variable)) return {};
            const Integer whole = size / row_of(*layout) * row_of(*layout);
            return whole > 0 && whole < size ? std::vector<Integer>{whole} : std::vector<Integer>{};
        }
        const auto* map = std::get_if<formula::IndexMap>(&access_maps_[k]);
        const auto* pieces = map ? std::get_if<formula::PiecewiseMap>(&map->kind()) : nullptr;
        std::vector<Integer> cuts;
        if (pieces) add_cuts(*pieces, index, variable, size, cuts);
        sort_cuts(cuts);
        return cuts;
    }
    return {};
}

std::vector<Integer> Endpoint::split_counts(Variable variable, Extents extents) const {
    Location ignored;
    Walk walk(0, extents, std::nullopt);
    for (std::size_t k = access_maps_.size(); k-- > 0;) {
        const Integer stride = walk.indices()[0].coefficient(variable);
        if (walk.apply(access_maps_[k], ignored)) continue;
        std::vector<Integer> radices;
        if (const auto* layout = std::get_if<Layout>(&access_maps_[k])) radices = layout->lengths;
        if (const auto* map = std::get_if<formula::IndexMap>(&access_maps_[k]))
            if (const auto* digits = std::get_if<formula::DigitMap>(&map->kind())) radices = digits->radices;
        std::vector<Integer> counts;
        Integer weight = 1;
        for (std::size_t q = radices.size(); q-- > 1;) {
            weight *= radices[q];
            const Integer count = stride > 0 && weight % stride == 0 ? weight / stride : 0;
            if (count > 1 && count < extents[variable] && extents[variable] % count == 0)
                counts.push_back(count);
        }
        return counts;
    }
    return {};
}

std::vector<Integer> Endpoint::radices_for(Integer size, Extents extents, Variable fresh) const {
    extents.set(fresh, size);
    Location ignored;
    Walk walk(Affine::of(fresh), extents, std::nullopt);
    for (std::size_t k = access_maps_.size(); k-- > 0;) {
        const Affine index = walk.indices()[0];
        if (walk.apply(access_maps_[k], ignored)) continue;
        if (const auto* layout = std::get_if<Layout>(&access_maps_[k])) {
            std::vector<Integer> radices = layout->lengths;
            Integer row = row_of(*layout);
            while (layout->forms && row > size &&
                   radices.size() > 1) { // a range of a row, in copies for callbacks
                radices.erase(radices.begin());
                row /= radices.front();
            }
            if (size % row != 0) return {};
            radices.front() = size / row; // a range of the layout's rows suffices
            return radices;
        }
        const auto* map = std::get_if<formula::IndexMap>(&access_maps_[k]);
        return map ? radices_of(*map, index, fresh, size) : std::vector<Integer>{};
    }
    return {};
}

} // namespace swirl::loops
