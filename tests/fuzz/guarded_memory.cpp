#include "fuzz/guarded_memory.hpp"

#include "fuzz/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace swirl::fuzz {
namespace {

constexpr Integer alignment = 4096, least_zone = 4 * alignment, most_zone = 64 * alignment;
constexpr int pattern = 0xf5; // in float64 −1e260, in float32 −6e32, in float16 −24,000

Integer zone_for(Integer bytes) {
    return std::clamp((bytes + alignment - 1) / alignment * alignment, least_zone, most_zone);
}

} // namespace

GuardedMemory::GuardedMemory(std::string name, Integer lowest, Integer end, Integer offset)
    : name_(std::move(name)),
      lowest_(lowest),
      end_(end),
      zone_(zone_for(end - lowest)),
      bytes_(end - lowest + 2 * zone_) {
    memory_.reset(new std::byte[static_cast<std::size_t>(bytes_ + 2 * alignment)]);
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.get()) +
                         static_cast<std::uintptr_t>(zone_) - static_cast<std::uintptr_t>(lowest);
    const Integer beyond = static_cast<Integer>(address % alignment);
    data_ = memory_.get() + (alignment - beyond) + offset;
    origin_ = data_ + zone_ - lowest;
    std::memset(data_, pattern, static_cast<std::size_t>(bytes_));
}

void GuardedMemory::remember() { remembered_.assign(data_, data_ + bytes_); }

void GuardedMemory::allow(Integer offset, Integer bytes) {
    const Integer at = zone_ - lowest_ + offset;
    std::memcpy(remembered_.data() + at, data_ + at, static_cast<std::size_t>(bytes));
}

void GuardedMemory::require_unharmed() const {
    if (std::memcmp(remembered_.data(), data_, remembered_.size()) == 0) return;
    const auto found = std::mismatch(remembered_.begin(), remembered_.end(), data_);
    const Integer at = (found.first - remembered_.begin()) - zone_ + lowest_;
    if (at < lowest_ || at >= end_)
        throw Failure("guard zone",
                      fmt::format("the guard zone of the {} is written at byte {}; the array is "
                                  "bytes {} to {}",
                                  name_, at, lowest_, end_ - 1));
    throw Failure("written outside",
                  fmt::format("the {} is written at byte {}, where it has to stay", name_, at));
}

} // namespace swirl::fuzz
