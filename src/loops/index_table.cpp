#include "loops/index_table.hpp"

#include <algorithm>

namespace swirl::loops {

std::vector<Loop> table_loops(const IndexTable& table, const std::vector<Loop>& loops) {
    std::vector<Loop> varying;
    for (const Loop& loop : loops)
        if (std::find(table.variables.begin(), table.variables.end(), loop.variable) != table.variables.end())
            varying.push_back(loop);
    return varying;
}

} // namespace swirl::loops
