#include "cufft/known_variants.hpp"

#include "cufft/planning_options.hpp"
#include "problem/syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <mutex>

namespace swirl::cufft {
namespace {

/// Of those that are kept although no plan has them.
constexpr std::size_t most_recent = 256;
constexpr Integer most_table_bytes = Integer{64} << 20;

/// Everything that the kernels depend on.
std::string name_of(const Request& request, int ordinal) {
    std::string name = std::to_string(ordinal);
    if (!request.layout) name += " default";
    for (const Direction direction : directions_of(request.kind))
        name += " | " + to_text(transform_of(request, direction, Placement::out_of_place));
    return name;
}

} // namespace

KnownVariants& KnownVariants::of_process() {
    static constinit LazyValue<KnownVariants> known;
    return known.get([] { return KnownVariants(); });
}

std::shared_ptr<const Variants> KnownVariants::get(const Request& request, int ordinal) {
    const std::string name = name_of(request, ordinal);
    Pointer variants = find(name);
    if (variants == nullptr) {
        variants = std::make_shared<const Variants>(request, ordinal);
        if (prints_plans()) fmt::print(stderr, "swirl: cufft: {}", variants->text());
        store(name, variants);
    }
    return variants;
}

KnownVariants::Pointer KnownVariants::find(const std::string& name) {
    std::vector<Pointer> dropped;
    const std::lock_guard lock(mutex_);
    const auto at = known_.find(name);
    if (at == known_.end()) return nullptr;
    Pointer variants = at->second.lock();
    if (variants != nullptr) dropped = keep(variants);
    return variants;
}

void KnownVariants::store(const std::string& name, const Pointer& variants) {
    std::vector<Pointer> dropped;
    const std::lock_guard lock(mutex_);
    if (known_.size() >= most_known_) {
        std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
        most_known_ = std::max(most_known_, 2 * known_.size());
    }
    known_.insert_or_assign(name, variants);
    dropped = keep(variants);
}

std::vector<KnownVariants::Pointer> KnownVariants::keep(const Pointer& variants) {
    std::vector<Pointer> dropped;
    if (const auto at = std::find(recent_.begin(), recent_.end(), variants); at != recent_.end())
        recent_.erase(at);
    else
        recent_bytes_ += variants->table_bytes();
    recent_.push_front(variants);
    while (!recent_.empty() && (recent_.size() > most_recent || recent_bytes_ > most_table_bytes)) {
        recent_bytes_ -= recent_.back()->table_bytes();
        dropped.push_back(std::move(recent_.back()));
        recent_.pop_back();
    }
    return dropped;
}

} // namespace swirl::cufft
