#include "rules/rule_list.hpp"

#include <algorithm>

namespace swirl::rules {

Applicability accepted() { return {}; }

Applicability not_a(std::string_view transform) {
    Applicability applicability = rejected("not a {}", transform);
    applicability.is_for_other_transform_ = true;
    return applicability;
}

std::span<const BreakdownRule> registry() {
    static const BreakdownRule table[] = {
        bands,
        bluestein,
        buffered,
        circulant_dft,
        circulant_half_size,
        circulant_rdft,
        circulant_stockham,
        cooley_tukey,
        cooley_tukey_frequency,
        dct_type5,
        dct1_dct3,
        dct1_dft,
        dct1_rdft,
        dct2_rdft,
        dct3_rdft,
        dct4_dft,
        dct4_rdft,
        dct5_rdft,
        dft_base,
        dft_iterative,
        dht_rdft,
        dst_dct,
        dst1_dft,
        dst1_dst3,
        dst1_rdft,
        dst5_rdft,
        formula_loops,
        formula_codelet,
        four_step,
        good_thomas,
        rader,
        rader_real,
        rdft_base,
        rdft_cooley_tukey,
        rdft_embedding,
        rdft_good_thomas,
        rdft_half_size,
        rdft_rader,
        rdft_split_radix,
        rdft_stockham,
        rdft_two_sweep,
        real_row_column,
        row_column,
        six_step,
        split_radix,
        stockham,
        two_sweep,
        volume_bands,
        wht_base,
        wht_iterative,
        wht_ordered,
        wht_permuted,
        wht_recursive,
        wht_split,
        wht_stockham,
    };
    return table;
}

const BreakdownRule& rule_named(std::string_view name) {
    const auto rules = registry();
    const auto at =
        std::lower_bound(rules.begin(), rules.end(), name,
                         [](const BreakdownRule& rule, std::string_view n) { return rule.name < n; });
    if (at != rules.end() && at->name == name) return *at;
    std::vector<std::string_view> names;
    for (const BreakdownRule& rule : rules) names.push_back(rule.name);
    throw UserError("no breakdown rule is named \"{}\"; there are: {}", name, fmt::join(names, ", "));
}

} // namespace swirl::rules
