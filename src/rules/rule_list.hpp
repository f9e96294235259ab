#pragma once

#include "rules/rule.hpp"

/// One declaration per rule; registry.cpp sorts them into the table.
namespace swirl::rules {

extern const BreakdownRule bands;
extern const BreakdownRule bluestein;
extern const BreakdownRule buffered;
extern const BreakdownRule circulant_dft;
extern const BreakdownRule circulant_half_size;
extern const BreakdownRule circulant_rdft;
extern const BreakdownRule circulant_stockham;
extern const BreakdownRule cooley_tukey;
extern const BreakdownRule cooley_tukey_frequency;
extern const BreakdownRule dct1_dct3;
extern const BreakdownRule dct1_dft;
extern const BreakdownRule dct1_rdft;
extern const BreakdownRule dct2_rdft;
extern const BreakdownRule dct3_rdft;
extern const BreakdownRule dct4_dft;
extern const BreakdownRule dct4_rdft;
extern const BreakdownRule dct5_rdft;
extern const BreakdownRule dct_type5;
extern const BreakdownRule dft_base;
extern const BreakdownRule dft_iterative;
extern const BreakdownRule dht_rdft;
extern const BreakdownRule dst1_dft;
extern const BreakdownRule dst1_dst3;
extern const BreakdownRule dst1_rdft;
extern const BreakdownRule dst5_rdft;
extern const BreakdownRule dst_dct;
extern const BreakdownRule formula_codelet;
extern const BreakdownRule formula_loops;
extern const BreakdownRule four_step;
extern const BreakdownRule good_thomas;
extern const BreakdownRule rader;
extern const BreakdownRule rader_real;
extern const BreakdownRule rdft_base;
extern const BreakdownRule rdft_cooley_tukey;
extern const BreakdownRule rdft_embedding;
extern const BreakdownRule rdft_good_thomas;
extern const BreakdownRule rdft_half_size;
extern const BreakdownRule rdft_rader;
extern const BreakdownRule rdft_split_radix;
extern const BreakdownRule rdft_stockham;
extern const BreakdownRule rdft_two_sweep;
extern const BreakdownRule real_row_column;
extern const BreakdownRule row_column;
extern const BreakdownRule six_step;
extern const BreakdownRule split_radix;
extern const BreakdownRule stockham;
extern const BreakdownRule two_sweep;
extern const BreakdownRule volume_bands;
extern const BreakdownRule wht_base;
extern const BreakdownRule wht_iterative;
extern const BreakdownRule wht_ordered;
extern const BreakdownRule wht_permuted;
extern const BreakdownRule wht_recursive;
extern const BreakdownRule wht_split;
extern const BreakdownRule wht_stockham;

} // namespace swirl::rules
