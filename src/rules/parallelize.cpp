// Tag smp(p, μ): p processors, cache lines of μ elements. Franchetti, Voronenko, Püschel: "FFT program generation
// for shared memory: SMP and multicore" (SC 2006), table 1. Terms that cannot be shared evenly keep their tag.
#include "rules/building_blocks.hpp"
#include "rules/rewrite_families.hpp"
#include "rules/rewriting_rules.hpp"
#include "rules/terms.hpp"

#include <algorithm>

namespace swirl::rules {

using namespace formula;

namespace {

Formula smp_tagged(const Formula& formula, const Match& m) { return tagged(m.tag(), formula); }

bool divides(Integer line, Shape shape) { return shape.rows % line == 0 && shape.columns % line == 0; }

bool moves_data_only(const Formula& formula) {
    if (formula.is<Kronecker>())
        return std::all_of(formula.children().begin(), formula.children().end(), moves_data_only);
    return formula.is<Permutation>() || formula.is<Identity>();
}

RewriteRules permutations() {
    return {
        {.name = "smp(p,μ)[P ⊗ Q] → smp(p,μ)[P_{f⊗g}]",
         .match = tagged(smp, kron(any("P"), any("Q"))),
         .when = both_move_data,
         .rewrite = [](const Match& m) { return smp_tagged(tensor_permutation(m), m); }},
        {.name = "smp(p,μ)[P ⊗ I_μ] → P ⊗̄ I_μ",
         .match = tagged(smp, term<Permutation>("P")),
         .rewrite = [](const Match& m) -> std::optional<Formula> {
             const auto lines = map_of(m["P"]).of_blocks(m.line());
             return lines ? std::optional(cache_line_permutation(shown_as_product(*lines), m.line()))
                          : std::nullopt;
         }},
        {.name = "smp(p,μ)[L^mn_m] → (I_p ⊗∥ L^{mn/p}_{m/p}) smp(p,μ)[L^pn_p ⊗ I_{m/p}]",
         .match = tagged(smp, term<Permutation>("L")),
         .when =
             [](const Match& m) {
                 const auto sizes = stride_sizes(m["L"]);
                 return sizes && sizes->first % (m.processors() * m.line()) == 0;
             },
         .rewrite =
             [](const Match& m) {
                 const auto [rows, n] = *stride_sizes(m["L"]);
                 const Integer p = m.processors(), share = rows / p;
                 return parallel_kron(p, L(share * n, share)) * smp_tagged(spread(L(p * n, p), share), m);
             }},
        {.name = "smp(p,μ)[L^mn_m] → smp(p,μ)[L^pm_m ⊗ I_{n/p}](I_p ⊗∥ L^{mn/p}_m)",
         .match = tagged(smp, term<Permutation>("L")),
         .when =
             [](const Match& m) {
                 const auto sizes = stride_sizes(m["L"]);
                 return sizes && sizes->second % (m.processors() * m.line()) == 0;
             },
         .rewrite =
             [](const Match& m) {
                 const auto [rows, n] = *stride_sizes(m["L"]);
                 const Integer p = m.processors(), share = n / p;
                 return smp_tagged(spread(L(p * rows, rows), share), m) *
                        parallel_kron(p, L(rows * share, rows));
             }},
    };
}

RewriteRules kronecker_products() {
    return {
        {.name = "smp(p,μ)[I_m ⊗ A_n] → I_p ⊗∥ (I_{m/p} ⊗ A_n)",
         .match = tagged(smp, kron(identity("m"), any("A"))),
         .when =
             [](const Match& m) {
                 const Integer p = m.processors(), share = m.size("m") / p;
                 const Shape a = m["A"].shape();
                 return m.size("m") % p == 0 && divides(m.line(), {share * a.rows, share * a.columns});
             },
         .rewrite =
             [](const Match& m) {
                 return parallel_kron(m.processors(), repeat(m.size("m") / m.processors(), m["A"]));
             }},
        // the tutorial's section 6.6, with stride permutations of whole cache lines
        {.name = "smp(p,μ)[A_m ⊗ I_n] → smp(p,μ)[L^mp_m ⊗ I_{n/p}] (I_p ⊗∥ (A_m ⊗ I_{n/p})) smp(p,μ)[L^mp_p "
                 "⊗ I_{n/p}]",
         .match = tagged(smp, kron(any("A"), identity("n"))),
         .when =
             [](const Match& m) {
                 return !moves_data_only(m["A"]) && m.size("n") % (m.processors() * m.line()) == 0;
             },
         .rewrite =
             [](const Match& m) {
                 const Integer p = m.processors(), share = m.size("n") / p;
                 const Integer rows = m["A"].rows(), columns = m["A"].columns();
                 return smp_tagged(spread(L(rows * p, rows), share), m) *
                        parallel_kron(p, spread(m["A"], share)) *
                        smp_tagged(spread(L(columns * p, p), share), m);
             }},
        {.name = "smp(p,μ)[I_m ⊗ A] → I_m ⊗ smp(p,μ)[A]",
         .match = tagged(smp, kron(identity("m"), any("A"))),
         .when = [](const Match& m) { return divides(m.processors() * m.line(), m["A"].shape()); },
         .rewrite = [](const Match& m) { return kron(m["m"], smp_tagged(m["A"], m)); }},
        {.name = "smp(p,μ)[A ⊗ B] → smp(p,μ)[A ⊗ I] smp(p,μ)[I ⊗ B]",
         .match = tagged(smp, kron(any("A"), any("B"))),
         .when = neither_is_identity,
         .rewrite =
             [](const Match& m) {
                 return smp_tagged(kron(m["A"], I(m["B"].rows())), m) *
                        smp_tagged(kron(I(m["A"].columns()), m["B"]), m);
             }},
    };
}

RewriteRules other_constructs() {
    return {
        {.name = "smp(p,μ)[A] → A in equal shares",
         .match = tagged(smp, any("A")),
         .when = [](const Match& m) { return is_fully_parallel(m["A"], m.processors(), m.line()); },
         .rewrite = [](const Match& m) { return m["A"]; }},
        {.name = "smp(p,μ)[A B] → smp(p,μ)[A] smp(p,μ)[B]",
         .match = tagged(smp, product(any("A"), any("B"))),
         .rewrite = [](const Match& m) { return smp_tagged(m["A"], m) * smp_tagged(m["B"], m); }},
        {.name = "smp(p,μ)[pass[A]] → pass[smp(p,μ)[A]]",
         .match = tagged(smp, tagged(Tag::Kind::pass, any("A"))),
         .rewrite = [](const Match& m) { return pass(smp_tagged(m["A"], m)); }},
        // saves a barrier
        {.name = "(I_p ⊗∥ A)(I_p ⊗∥ B) → I_p ⊗∥ AB",
         .match = product(term<ParallelKronecker>("F", any("A")), term<ParallelKronecker>("G", any("B"))),
         .when =
             [](const Match& m) {
                 return m.payload<ParallelKronecker>("F") == m.payload<ParallelKronecker>("G");
             },
         .rewrite =
             [](const Match& m) {
                 return parallel_kron(m.payload<ParallelKronecker>("F").processors, m["A"] * m["B"]);
             }},
    };
}

} // namespace

const RewriteRules& parallelization_rules() {
    static const RewriteRules rules = [] {
        RewriteRules all;
        for (const RewriteRules& part : {other_constructs(), permutations(), kronecker_products()})
            all.insert(all.end(), part.begin(), part.end());
        return all;
    }();
    return rules;
}

bool is_fully_parallel(const Formula& formula, Integer processors, Integer line) {
    if (processors == 1) return true;
    const auto& children = formula.children();
    const auto parallel = [&](const Formula& child) { return is_fully_parallel(child, processors, line); };
    if (const auto* p = formula.get_if<ParallelKronecker>())
        return p->processors == processors && divides(line, children.front().shape());
    if (const auto* p = formula.get_if<CacheLinePermutation>()) return p->line % line == 0;
    if (formula.is<Identity>() || formula.is<Diagonal>()) return formula.rows() % (processors * line) == 0;
    if (formula.is<Product>()) return std::all_of(children.begin(), children.end(), parallel);
    if (formula.is<Kronecker>())
        return std::all_of(children.begin(), children.end() - 1,
                           [](const Formula& f) { return f.is<Identity>(); }) &&
               parallel(children.back());
    if (const auto* p = formula.get_if<Tagged>())
        return p->tag.kind == Tag::Kind::pass && parallel(children.front());
    return false;
}

Formula parallelize(const Formula& formula, Integer processors, Integer line, RewriteTrace* trace) {
    ensure(processors >= 1 && line >= 1, "{} processors with cache lines of {}", processors, line);
    const Formula simple = simplify(formula, trace);
    return simplify(rewrite_to_fixpoint(tagged({Tag::Kind::parallel, processors, line}, simple),
                                        parallelization_rules(), trace),
                    trace);
}

} // namespace swirl::rules
