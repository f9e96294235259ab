#pragma once

#include "formula/formula.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Left-hand sides of rewrite rules. They read like the terms they match:
/// tagged(vec, kron(any("A"), identity("n"))) matches vec(ν)[A ⊗ I_n].
namespace swirl::formula {

/// Short names for the tags of the tutorial's section 6.6.
constexpr Tag::Kind vec = Tag::Kind::vector;
constexpr Tag::Kind smp = Tag::Kind::parallel;

/// The bindings of a pattern's names, and the innermost tag matched.
class Match {
public:
    Match() = default;
    /// `counts` gives the number of values of variables bound around the term; it must outlive the match.
    explicit Match(const IndexMap::Counts& counts) : counts_(&counts) {}

    const Formula& operator[](std::string_view name) const;
    /// Rows of a bound term; n for identity("n").
    Integer size(std::string_view name) const { return (*this)[name].rows(); }
    template <class P> const P& payload(std::string_view name) const {
        return std::get<P>((*this)[name].payload());
    }
    const Tag& tag() const;
    Integer lanes() const { return tag().first; }
    Integer processors() const { return tag().first; }
    Integer line() const { return tag().second; }
    /// Empty if nothing is known about the variables.
    const IndexMap::Counts& counts() const;

private:
    friend class Pattern;
    std::vector<std::pair<std::string, Formula>> bound_;
    std::optional<Tag> tag_;
    const IndexMap::Counts* counts_ = nullptr;
};

class Pattern {
public:
    /// Whether the whole term matches. On success `match` holds the bindings; on failure it is unchanged. In a chain
    /// (product, Kronecker product, direct sum) any() matches one or more operands, as few as possible; repeated names
    /// match equal terms.
    bool matches(const Formula& formula, Match& match) const;
    /// The same for as many adjacent operands of a chain as the pattern has, matched one to one.
    bool matches_window(const Formula& chain, std::size_t first, Match& match) const;
    /// Whether the term's root can match the pattern's root: a quick test before matches().
    bool accepts(const Formula& formula) const { return !accepts_ || accepts_(formula); }
    /// Whether the pattern is a product, Kronecker product or direct sum, and the term has the same kind.
    bool is_chain_like(const Formula& formula) const { return is_chain_ && accepts_(formula); }
    std::size_t operand_count() const { return operands_.size(); }

    friend Pattern any(std::string name);
    template <class P> friend Pattern term(std::string name);
    template <class P> friend Pattern term(std::string name, Pattern child);
    template <class P> friend Pattern chain_of(std::vector<Pattern> operands);
    friend Pattern tagged(Tag::Kind kind, Pattern child);

private:
    using Accepts = bool (*)(const Formula&);
    Pattern(std::string name, Accepts node_test, std::vector<Pattern> operands = {})
        : name_(std::move(name)), accepts_(node_test), operands_(std::move(operands)) {}

    bool matches_operands(const Formula& chain, std::size_t operand, std::size_t at, Match& match) const;
    bool bind(const Formula& formula, Match& match) const;

    std::string name_; ///< empty: unnamed
    Accepts accepts_;  ///< null: any term
    std::vector<Pattern> operands_;
    bool is_chain_ = false;
    std::optional<Tag::Kind> tag_;
};

/// Any term.
Pattern any(std::string name);
/// A node with payload P, whatever its operands.
template <class P> Pattern term(std::string name) {
    return {std::move(name), [](const Formula& formula) { return formula.is<P>(); }};
}
/// A node with payload P and one operand.
template <class P> Pattern term(std::string name, Pattern child) {
    return {std::move(name), [](const Formula& formula) { return formula.is<P>(); }, {std::move(child)}};
}
template <class P> Pattern chain_of(std::vector<Pattern> operands) {
    Pattern pattern(
        "", [](const Formula& formula) { return formula.is<P>(); }, std::move(operands));
    pattern.is_chain_ = true;
    return pattern;
}
inline Pattern identity(std::string name) { return term<Identity>(std::move(name)); }
inline Pattern kron(Pattern a, Pattern b) { return chain_of<Kronecker>({std::move(a), std::move(b)}); }
inline Pattern product(Pattern a, Pattern b) { return chain_of<Product>({std::move(a), std::move(b)}); }
inline Pattern product(Pattern a, Pattern b, Pattern c) {
    return chain_of<Product>({std::move(a), std::move(b), std::move(c)});
}
inline Pattern direct_sum(Pattern a, Pattern b) { return chain_of<DirectSum>({std::move(a), std::move(b)}); }
/// A tag of this kind; Match::tag() gives its parameters.
Pattern tagged(Tag::Kind kind, Pattern child);

} // namespace swirl::formula
