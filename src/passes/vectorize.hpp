#pragma once

#include "ir/program.hpp"

namespace swirl::passes {

/// Turns loops of kind `vector` into operations on vectors of `lanes` lanes: each lane does the work of one iteration.
///
/// Before: such a loop has a constant number of at most `lanes` independent iterations (none reads or writes what
/// another writes); its body is one straight-line block of scalar operations.
/// After: no loop is of kind `vector`. With fewer iterations than lanes, only as many lanes access memory.
///
/// Memory accesses, by the distance s between the elements of neighbouring iterations:
///   s = 0                     scalar load and splat
///   s = ±1                    vector access, for −1 with a reversing shuffle
///   s = ±2, element pairs     two vector accesses and two (de-)interleaving shuffles: interleaved complex data
///   other s, m ≥ 2 elements in a row
///                             a contiguous access of up to `lanes` elements for each iteration, transposed in
///                             registers; if these rows touch, vectors that hold them in order and, where it takes
///                             fewer shuffles, their columns by shuffles of any lane map (`permutes_two`)
///   else                      strided vector access (ir::Address::lane_stride)
/// Lanes run the iterations in another order where that saves shuffles, with scratch memory and tables permuted to
/// match (lane_order.hpp). A loop of one iteration, or with lane-dependent dynamic addresses, becomes scalar code.
ir::Program vectorize(ir::Program program, int lanes, bool permutes_two = false);

} // namespace swirl::passes
