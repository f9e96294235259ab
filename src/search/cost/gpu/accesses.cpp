#include "search/cost/gpu/accesses.hpp"

#include "loops/gpu/regions.hpp"

#include <algorithm>

namespace swirl::search {

namespace {

/// Sectors that accesses by an index table take, relative to contiguous ones.
constexpr double table_sectors = 1.5;

/// Whether a thread's first access is to two neighbours, at an even offset within its vector.
bool are_pairs(const std::vector<loops::Location>& locations) {
    const loops::Location& first = locations.front();
    const auto& terms = first.re.terms();
    return first.re.constant() % 2 == 0 &&
           std::all_of(terms.begin(), terms.end(),
                       [](const Affine::Term& term) { return term.coefficient % 2 == 0; }) &&
           (first.im == first.re + 1 ||
            std::any_of(locations.begin(), locations.end(),
                        [&](const loops::Location& location) { return location.re == first.re + 1; }));
}

/// Length of the contiguous range, in scalars.
Integer segment_of(const std::vector<loops::Loop>& loops, const std::vector<loops::Location>& locations,
                   Integer unit) {
    std::vector<std::pair<Integer, Integer>> steps; // distance, count
    for (const loops::Loop& loop : loops)
        steps.emplace_back(std::abs(locations.front().re.coefficient(loop.variable)), loop.count);
    if (locations.size() > 1)
        steps.emplace_back(std::abs((locations[1].re - locations[0].re).constant()), std::ssize(locations));
    std::sort(steps.begin(), steps.end());
    Integer contiguous = unit;
    for (const auto& [distance, count] : steps)
        if (distance == contiguous) contiguous *= count;
    return contiguous;
}

} // namespace

void GpuAccesses::add_global(const loops::ThreadedIterations& shared, const loops::Memory& memory,
                             const std::vector<loops::Location>& locations, Integer scalar_bytes,
                             double weight) {
    if (locations.empty()) return;
    const bool pairs =
        memory.kind == loops::Memory::Kind::interleaved || locations.front().im == locations.front().re + 1;
    const Integer bytes = (pairs ? 2 : 1) * scalar_bytes;
    std::vector<Integer> sectors;
    const Integer threads = std::min<Integer>(gpu_.warp_size, shared.active());
    sectors.reserve(static_cast<std::size_t>(2 * threads));
    for (const Integer offset : shared.offsets_of(threads, locations.front().re)) {
        const Integer at = offset * scalar_bytes;
        sectors.push_back(floor_divide(at, gpu_.sector_bytes));
        sectors.push_back(floor_divide(at + bytes - 1, gpu_.sector_bytes));
    }
    std::sort(sectors.begin(), sectors.end());
    sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
    const auto least = static_cast<double>(ceil_divide(threads * bytes, gpu_.sector_bytes));
    // A table's indices are unknown here: a block's accesses share sectors, but a warp's hardly do.
    const double used = locations.front().table ? table_sectors : static_cast<double>(sectors.size()) / least;
    split_ += weight * (used - 1);
    segments_ +=
        weight / static_cast<double>(segment_of(shared.loops(), locations, pairs ? 2 : 1) * scalar_bytes);
}

void GpuAccesses::add_shared(const loops::ThreadedIterations& shared, const loops::Memory& memory,
                             const std::vector<loops::Location>& locations, double scalars) {
    if (locations.empty()) return;
    const Integer words = scalar_bytes_ / gpu_.shared_bank_bytes;
    const Integer pair = are_pairs(locations) ? 2 : 1;
    const Integer threads = std::min<Integer>(gpu_.warp_size / words / pair, shared.active());
    const loops::Array& array = loops_.arrays[static_cast<std::size_t>(memory.array)];
    shared_.push_back(
        {scalars / static_cast<double>(pair * threads), array.elements, array.gapless,
         shared.offsets_of(threads, locations.front().re),
         shared.offsets_of(threads, transforms_ ? Affine::of(transforms_->variable) : Affine(0))});
}

double GpuAccesses::shared_requests() const {
    double sum = 0;
    for (const Access& access : shared_) sum += access.requests;
    return sum;
}

double GpuAccesses::shared_cycles(Integer pitch) const {
    const Integer words = scalar_bytes_ / gpu_.shared_bank_bytes;
    double sum = 0;
    std::vector<Integer> addresses;
    std::vector<int> of_bank;
    for (const Access& access : shared_) {
        addresses = access.offsets;
        for (std::size_t k = 0; k < addresses.size(); ++k)
            addresses[k] += (access.elements + (access.gapless ? 0 : pitch)) * access.vectors[k];
        std::sort(addresses.begin(), addresses.end());
        addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
        of_bank.assign(static_cast<std::size_t>(gpu_.shared_banks), 0);
        int most = 1;
        for (const Integer address : addresses)
            most = std::max(most,
                            ++of_bank[static_cast<std::size_t>(modulo(address * words, gpu_.shared_banks))]);
        sum += access.requests * most;
    }
    return sum;
}

} // namespace swirl::search
