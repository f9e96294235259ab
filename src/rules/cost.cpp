#include "rules/cost.hpp"

#include "base/fork_gate.hpp"
#include "rules/building_blocks.hpp"
#include "rules/limits.hpp"
#include "rules/number_theory.hpp"

#include <algorithm>
#include <mutex>
#include <tuple>
#include <unordered_map>

namespace swirl::rules {

using namespace formula;

namespace {

// Factors 1, −1, ±i are free; any other complex factor takes 4 multiplications and 2 additions, a factor (±1±i)·√½
// 2 and 2. The counts below are those of the rules' formulas under this model.
constexpr OperationCount complex_product{.additions = 2, .multiplications = 4};
constexpr OperationCount eighth_root_product{.additions = 2, .multiplications = 2};

OperationCount dft_operations(Integer n);
OperationCount rdft_operations(Integer n);

/// p^e as {p^a, p^b} with a and b as close as possible.
std::pair<Integer, Integer> split_prime_power(Integer power) {
    const Integer p = prime_factors(power).front();
    Integer m = p;
    while (m * m * p * p <= power) m *= p;
    return {m, power / m};
}

/// A coprime split with the larger prime power last: {rest, prime power}, or {n, 1} for a prime power.
std::pair<Integer, Integer> split_coprime(Integer n) {
    const auto splits = coprime_splits(n);
    return splits.empty() ? std::pair<Integer, Integer>{n, 1} : splits.front();
}

/// Symmetric form of rules/dft_base.cpp and rules/rdft_base.cpp on one real input; size 5 computes its cosines by F_2.
OperationCount base_operations(Integer p) {
    const Integer h = p / 2;
    if (p == 5) return {.additions = 12, .multiplications = 6};
    return {.additions = 2 * h + h + h * h + h * (h - 1), .multiplications = 2 * h * h};
}

/// Operations of rules/rader_real.cpp.
OperationCount rader_operations(Integer p, Integer three) {
    const Integer n = p - 1, m = n / three, pairs = complex_entries(m), reals = m - 2 * pairs;
    OperationCount transform = three * rdft_operations(m);
    const OperationCount rotation{.additions = 2, .multiplications = 4};
    OperationCount blocks = OperationCount{.additions = 2, .multiplications = reals} + pairs * rotation;
    if (three == 3) {
        transform += m * OperationCount{.additions = 4, .multiplications = 1};
        blocks += reals * rotation + pairs * OperationCount{.additions = 12, .multiplications = 12};
    }
    return 2 * (2 * transform + blocks);
}

/// The algorithm for a DFT of odd prime size: the real form of Rader's algorithm with the choice `rader`; if that is
/// empty, the symmetric form, or for large primes Rader's algorithm.
struct PrimeAlgorithm {
    Choice rader;
    OperationCount operations;
};

/// Operations of rules/rader.cpp.
OperationCount complex_rader_operations(Integer p) {
    return 2 * dft_operations(p - 1) + (p - 2) * complex_product + OperationCount{4, 2};
}

PrimeAlgorithm cheapest_prime(Integer p) {
    if (p > largest_rader_real_prime) return {{}, complex_rader_operations(p)};
    const Integer h = p / 2;
    // The output butterflies combine cosine and sine transforms: 2h additions per real input.
    const OperationCount symmetric = 2 * (base_operations(p) + OperationCount{2 * h, 0});
    PrimeAlgorithm best{{}, symmetric};
    bool found = p <= largest_base_prime;
    for (const Choice& choice : rule_named("rader-real").choices(DFT(p))) {
        const OperationCount operations = rader_operations(p, choice[0]);
        if (!found || operations.total() < best.operations.total()) best = {choice, operations};
        found = true;
    }
    return best;
}

/// For real input: the symmetric form, or Rader's complex algorithm without the operations on zeros, which halves all
/// but the additions that combine two real transforms into a complex one.
OperationCount real_prime_operations(Integer p) {
    const PrimeAlgorithm complex = cheapest_prime(p);
    if (p <= largest_base_prime && complex.rader.empty()) return base_operations(p);
    return {(complex.operations.additions - 2 * (p - 1)) / 2, complex.operations.multiplications / 2};
}

OperationCount split_radix_operations(Integer n) {
    const Integer q = n / 4;
    OperationCount sum = dft_operations(2 * q) + 2 * dft_operations(q);
    sum.additions += 3 * n;
    if (q % 2 == 0) sum += 2 * eighth_root_product + 2 * (q - 2) * complex_product;
    return sum;
}

OperationCount dft_operations(Integer n) {
    if (n == 1) return {};
    if (n == 2) return {.additions = 4, .multiplications = 0};
    if (is_power_of_two(n)) return split_radix_operations(n);
    if (is_prime(n)) return cheapest_prime(n).operations;
    auto [m, k] = split_coprime(n);
    OperationCount twiddles;
    if (k == 1) {
        std::tie(m, k) = split_prime_power(n);
        twiddles = (m - 1) * (k - 1) * complex_product;
    }
    return k * dft_operations(m) + m * dft_operations(k) + twiddles;
}

OperationCount rdft_split_radix_operations(Integer n) {
    const Integer q = n / 4, pairs = complex_entries(q);
    OperationCount sum = rdft_operations(2 * q) + 2 * rdft_operations(q);
    sum.additions += 4;
    if (q % 2 == 0) sum += OperationCount{.additions = 6, .multiplications = 2};
    return sum + pairs * (OperationCount{.additions = 12, .multiplications = 0} + 2 * complex_product);
}

OperationCount rdft_operations(Integer n) {
    if (n == 1) return {};
    if (n == 2) return {.additions = 2, .multiplications = 0};
    if (is_power_of_two(n)) return rdft_split_radix_operations(n);
    if (is_prime(n)) return real_prime_operations(n);
    auto [m, k] = split_coprime(n);
    if (k != 1) {
        const Integer butterflies = 4 * complex_entries(m) * complex_entries(k);
        return k * rdft_operations(m) + m * rdft_operations(k) + OperationCount{butterflies, 0};
    }
    std::tie(k, m) = split_prime_power(n);
    return k * rdft_operations(m) + rdft_operations(k) +
           complex_entries(m) * (dft_operations(k) + (k - 1) * complex_product);
}

/// Rule and choice for a transform; the rule's formula determines the children.
BreakdownTree root_of_dft(Integer n) {
    if (n <= 2) return {"dft-base", {}, {}};
    if (is_power_of_two(n)) return {"split-radix", {}, {}};
    if (is_prime(n)) {
        if (n > largest_rader_real_prime) return {"rader", {}, {}};
        const Choice rader = cheapest_prime(n).rader;
        return {rader.empty() ? "dft-base" : "rader-real", rader, {}};
    }
    if (const auto [m, k] = split_coprime(n); k != 1) return {"good-thomas", {m, k}, {}};
    const auto [m, k] = split_prime_power(n);
    return {"cooley-tukey", {m, k}, {}};
}

BreakdownTree root_of_rdft(Integer n) {
    if (n <= 2) return {"rdft-base", {}, {}};
    if (is_power_of_two(n)) return {"rdft-split-radix", {}, {}};
    if (is_prime(n)) {
        const bool base = n <= largest_base_prime && cheapest_prime(n).rader.empty();
        return {base ? "rdft-base" : "rdft-embedding", {}, {}};
    }
    if (const auto [m, k] = split_coprime(n); k != 1) return {"rdft-good-thomas", {m, k}, {}};
    const auto [k, m] = split_prime_power(n);
    return {"rdft-cooley-tukey", {k, m}, {}};
}

BreakdownTree root_of(const Formula& f) {
    const Integer n = f.rows();
    if (f.is<Dft>()) return root_of_dft(n);
    if (f.is<RealDft>()) return root_of_rdft(n);
    if (const Wht* wht = f.get_if<Wht>()) {
        if (wht->order != WalshOrder::natural)
            return {n <= largest_radix ? "wht-permuted" : "wht-stockham", {}, {}};
        return {n <= 2 ? "wht-base" : "wht-iterative", {}, {}};
    }
    for (const BreakdownRule& rule : registry())
        if (rule.applicable(f).ok()) return {std::string(rule.name), {}, {}};
    throw InternalError("no breakdown rule applies to {}", name_of(f));
}

struct HashOfFormula {
    std::size_t operator()(const Formula& f) const { return f.hash(); }
};

struct Memory {
    ForkSafeMutex mutex;
    std::unordered_map<Formula, BreakdownTree, HashOfFormula> trees;
};

Memory& memory() {
    static auto& instance = *new Memory; // never destroyed: may be in use at exit
    return instance;
}

} // namespace

BreakdownTree cheapest_straight_line(const Formula& nonterminal) {
    {
        const std::lock_guard lock(memory().mutex);
        const auto known = memory().trees.find(nonterminal);
        if (known != memory().trees.end()) return known->second;
    }
    // Computed outside the lock, since rules call back here. Two threads may compute the same tree.
    BreakdownTree tree = root_of(nonterminal);
    const BreakdownRule& rule = rule_named(tree.rule);
    if (tree.choice.empty()) tree.choice = rule.choices(nonterminal).front();
    for (const Formula& child : nonterminals(rule.build(nonterminal, tree.choice)))
        tree.children.push_back(cheapest_straight_line(child));
    const std::lock_guard lock(memory().mutex);
    return memory().trees.emplace(nonterminal, std::move(tree)).first->second;
}

OperationCount straight_line_operations(const Formula& nonterminal) {
    const bool known = nonterminal.is<Dft>() || nonterminal.is<RealDft>();
    ensure(known, "operation count of {}: only DFTs and real DFTs are counted", name_of(nonterminal));
    return nonterminal.is<Dft>() ? dft_operations(nonterminal.rows()) : rdft_operations(nonterminal.rows());
}

} // namespace swirl::rules
