#include "search/gpu_accesses.hpp"

#include "lower/gpu_parts.hpp"

#include <algorithm>

namespace swirl::search {

namespace {

/// Whether a thread's first access is to two neighbours, at an even place in its vector.
bool are_pairs(const std::vector<lower::Location>& places) {
    const lower::Location& first = places.front();
    const auto& terms = first.re.terms();
    return first.re.constant() % 2 == 0 &&
           std::all_of(terms.begin(), terms.end(),
                       [](const Affine::Term& term) { return term.coefficient % 2 == 0; }) &&
           (first.im == first.re + 1 ||
            std::any_of(places.begin(), places.end(),
                        [&](const lower::Location& place) { return place.re == first.re + 1; }));
}

/// Scalars that lie together.
Integer piece_of(const std::vector<lower::Loop>& loops, const std::vector<lower::Location>& places,
                 Integer unit) {
    std::vector<std::pair<Integer, Integer>> steps; // distance, count
    for (const lower::Loop& loop : loops)
        steps.emplace_back(std::abs(places.front().re.coefficient(loop.variable)), loop.count);
    if (places.size() > 1)
        steps.emplace_back(std::abs((places[1].re - places[0].re).constant()), std::ssize(places));
    std::sort(steps.begin(), steps.end());
    Integer together = unit;
    for (const auto& [distance, count] : steps)
        if (distance == together) together *= count;
    return together;
}

} // namespace

void GpuAccesses::add_global(const lower::SharedIterations& shared, const lower::Memory& memory,
                             const std::vector<lower::Location>& places, Integer scalar_bytes,
                             double weight) {
    if (places.empty()) return;
    const bool pairs =
        memory.kind == lower::Memory::Kind::interleaved || places.front().im == places.front().re + 1;
    const Integer bytes = (pairs ? 2 : 1) * scalar_bytes;
    std::vector<Integer> sectors;
    const Integer threads = std::min<Integer>(gpu_.warp_size, shared.active());
    sectors.reserve(static_cast<std::size_t>(2 * threads));
    for (const Integer offset : shared.offsets_of(threads, places.front().re)) {
        const Integer at = offset * scalar_bytes;
        sectors.push_back(floor_divide(at, gpu_.sector_bytes));
        sectors.push_back(floor_divide(at + bytes - 1, gpu_.sector_bytes));
    }
    std::sort(sectors.begin(), sectors.end());
    sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
    const auto least = static_cast<double>(ceil_divide(threads * bytes, gpu_.sector_bytes));
    split_ += weight * (static_cast<double>(sectors.size()) / least - 1);
    pieces_ += weight / static_cast<double>(piece_of(shared.loops(), places, pairs ? 2 : 1) * scalar_bytes);
}

void GpuAccesses::add_shared(const lower::SharedIterations& shared, const lower::Memory& memory,
                             const std::vector<lower::Location>& places, double weight) {
    if (places.empty()) return;
    const Integer words = scalar_bytes_ / gpu_.shared_bank_bytes;
    const Integer threads =
        std::min<Integer>(gpu_.warp_size / words / (are_pairs(places) ? 2 : 1), shared.active());
    const lower::Array& array = loops_.arrays[static_cast<std::size_t>(memory.array)];
    shared_.push_back(
        {weight, array.elements, array.gapless, shared.offsets_of(threads, places.front().re),
         shared.offsets_of(threads, transforms_ ? Affine::of(transforms_->variable) : Affine(0))});
}

double GpuAccesses::conflicts(Integer pitch) const {
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
        sum += access.weight * (most - 1);
    }
    return sum;
}

} // namespace swirl::search
