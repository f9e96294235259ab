#pragma once

#include "base/error.hpp"
#include "loops/loop_program.hpp"

#include <vector>

namespace swirl::loops {

/// The loops on which an index table depends, in the same order.
std::vector<Loop> table_loops(const IndexTable& table, const std::vector<Loop>& loops);
/// Calls f(value) with the table's value in each iteration of `varying`; the last loop runs fastest.
template <class F> void for_each_value(const IndexTable& table, const std::vector<Loop>& varying, F&& f) {
    std::vector<Integer> iteration(varying.size());
    const IndexTable::Lookup lookup = [&](Variable v) {
        for (std::size_t k = varying.size(); k-- > 0;)
            if (varying[k].variable == v) return iteration[k];
        throw InternalError("a table of indices depends on a variable outside its loops");
    };
    Integer size = 1;
    for (const Loop& loop : varying) size *= loop.count;
    for (Integer row = 0; row < size; ++row) {
        f(table.value(lookup));
        for (std::size_t k = varying.size(); k-- > 0;) {
            if (++iteration[k] < varying[k].count) break;
            iteration[k] = 0;
        }
    }
}

} // namespace swirl::loops
