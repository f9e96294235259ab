#include "fftw_mpi/blocks.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace swirl::fftw_mpi {

std::optional<Integer> block_of(Integer n, Integer asked, int ranks) {
    if (n < 1 || asked < 0) return std::nullopt;
    if (asked == default_block) return (n - 1) / ranks + 1;
    if ((n - 1) / asked + 1 > ranks) return std::nullopt;
    return asked;
}

Range range_of(Integer n, Integer block, int rank) {
    const Integer blocks_before = rank;
    if (blocks_before > (n - 1) / block) return {};
    const Integer begin = blocks_before * block;
    return {begin, std::min(block, n - begin)};
}

distributed::Box Storage::box(int rank) const {
    const Range range = range_of(lengths[divided()], block, rank);
    if (range.count == 0) return {};
    distributed::Box box;
    box.lower.assign(lengths.size() + 1, 0);
    box.upper = {howmany};
    box.upper.insert(box.upper.end(), lengths.begin(), lengths.end());
    box.lower[divided() + 1] = range.begin;
    box.upper[divided() + 1] = range.begin + range.count;
    box.order.resize(box.upper.size());
    std::iota(box.order.begin(), box.order.end() - 1, 1);
    box.order.back() = 0;
    if (is_transposed) std::swap(box.order[0], box.order[1]);
    return box;
}

} // namespace swirl::fftw_mpi
