#pragma once

#include "formula/formula.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Left-hand sides of rewrite rules. They read like the terms they match:
/// product(identity("n"), any("A")) matches I_n · A.
namespace swirl::formula {

/// The bindings of a pattern's names.
class Match {
public:
    const Formula& operator[](std::string_view name) const;
    /// Rows of a bound term; n for identity("n").
    Integer size(std::string_view name) const { return (*this)[name].rows(); }
    template <class P> const P& payload(std::string_view name) const {
        return std::get<P>((*this)[name].payload());
    }

private:
    friend class Pattern;
    std::vector<std::pair<std::string, Formula>> bound_;
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
    template <class P> friend Pattern chain_of(std::vector<Pattern> operands);

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
};

/// Any term.
Pattern any(std::string name);
/// A node with payload P and any operands.
template <class P> Pattern term(std::string name) {
    return {std::move(name), [](const Formula& formula) { return formula.is<P>(); }};
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
inline Pattern direct_sum(Pattern a, Pattern b) { return chain_of<DirectSum>({std::move(a), std::move(b)}); }

} // namespace swirl::formula
