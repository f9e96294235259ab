#pragma once

#include "formula/formula.hpp"
#include "loops/layout.hpp"
#include "loops/pointwise.hpp"
#include "problem/data_type.hpp"

#include <optional>

namespace swirl::loops {

/// Which ends of a formula are copies between the caller's memory and a temporary.
struct CopiedEnds {
    bool input = false;
    bool output = false;
};

/// A formula, the caller's memory at its two ends, and what the loops' passes know about the machine.
struct Request {
    formula::Formula formula; ///< expanded; remaining transforms become codelets
    bool complex = true;      ///< entries are complex, stored as adjacent pairs
    DataType scalar = DataType::float64;
    Layout input;
    Layout output;
    Integer input_base = 0; ///< elements, as the layout's strides count them, before its entry 0
    Integer output_base = 0;
    bool in_place = false;             ///< one array "data" instead of "in" and "out"
    bool input_split_complex = false;  ///< the caller keeps the components of complex elements in two arrays
    bool output_split_complex = false; ///< the same
    bool output_converted = false;     ///< the caller's results have another data type than the arithmetic
    std::optional<AuxiliaryFactor> auxiliary = {};
    std::optional<Reach> input_reach = {}; ///< if not all of the layout is accessed
    std::optional<Reach> output_reach = {};
    std::optional<Pointwise> load = {};  ///< load callback of the input
    std::optional<Pointwise> store = {}; ///< store callback of the output
    /// For callbacks on a half spectrum: an equivalent formula that has both components of each element in one call.
    /// It replaces the formula if that one spreads them over different calls or iterations.
    std::optional<formula::Formula> by_complex_entries = {};
    CopiedEnds copied = {}; ///< in loops over the digits of the caller's layout, for any formula
    long double scale = 1;
    int lanes = 1;               ///< of a vector register
    Integer cache_bytes = 0;     ///< of a core's private caches; 0: unknown
    Integer streaming_bytes = 0; ///< of arrays that accesses keep in the caches; 0: of any
    bool rereads_output = false; ///< a later kernel of the plan reads it
    bool pairs = false;          ///< whether vectors may hold complex elements as pairs of neighbouring lanes
    bool pairs_at_callbacks = false; ///< the same of vectors that callbacks read or write
    bool overlap_vectors = false;    ///< whether short vectors may be whole ones that repeat iterations
    bool merge_columns = true; ///< whether a codelet may hold several factors with diagonals between them
    bool for_gpu = false;
    Integer smem_pad_interval =
        0; ///< on a GPU, entries of a temporary after which one is skipped to avoid bank conflicts; 0: never
    bool nest_loops_inside = false; ///< on a GPU, loops of a nested product run inside each of its factors
    Integer shared_entries = 0;     ///< size limit of temporaries that smem_pad_interval applies to; 0: none
};

} // namespace swirl::loops
