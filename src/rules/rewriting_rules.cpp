#include "rules/rewriting_rules.hpp"

#include "rules/rewrite_families.hpp"

namespace swirl::rules {

using namespace formula;

std::span<const RewriteFamily> rewrite_families() {
    static const RewriteFamily families[] = {
        {"kronecker", "drop identities, flatten, compose permutations", kronecker_identities(), true},
        {"reshape", "commute and split Kronecker products, one step at a time", reshaping_identities(),
         false},
        {"real matrices", "complex matrices as real ones on interleaved pairs", real_matrix_rules(), true},
        {"vectorize", "tag vec(ν): whole vectors and transpositions in registers", vectorization_rules(),
         true},
        {"parallelize", "tag smp(p,μ): equal shares and whole cache lines", parallelization_rules(), true},
        {"merge loops", "sums with gathers and scatters that take in their neighbours", loop_merging_rules(),
         true},
    };
    return families;
}

Formula simplify(const Formula& formula, RewriteTrace* trace) {
    return rewrite_to_fixpoint(formula, kronecker_identities(), trace);
}

Formula merge_loops(const Formula& formula, RewriteTrace* trace) {
    static const RewriteRules rules = [] {
        RewriteRules all = kronecker_identities();
        all.insert(all.end(), loop_merging_rules().begin(), loop_merging_rules().end());
        return all;
    }();
    return rewrite_to_fixpoint(formula, rules, trace);
}

} // namespace swirl::rules
