#include "fuzz/guarded_memory.hpp"

#include "fuzz/journal.hpp"

#include <fmt/format.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

namespace swirl::fuzz {
namespace {

constexpr Integer page = 4096, least_zone = 4 * page, most_zone = 64 * page;
constexpr int pattern = 0xf5; // in float64 −1e260, in float32 −6e32, in float16 −24,000

Integer zone_for(Integer bytes) {
    return std::clamp((bytes + page - 1) / page * page, least_zone, most_zone);
}

std::shared_ptr<std::byte> pages(Integer bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return {static_cast<std::byte*>(memory), [size](std::byte* first) { ::munmap(first, size); }};
}

} // namespace

GuardedMemory::GuardedMemory(std::string name, Integer lowest, Integer end, Integer offset, Fence fence)
    : name_(std::move(name)), fence_(fence), lowest_(lowest), end_(end) {
    const Integer zone = zone_for(end - lowest);
    before_ = fence == Fence::before ? 0 : zone;
    bytes_ = before_ + (end - lowest) + (fence == Fence::behind ? 0 : zone);
    if (fence == Fence::none) {
        memory_ = std::shared_ptr<std::byte>(new std::byte[static_cast<std::size_t>(bytes_ + 2 * page)],
                                             std::default_delete<std::byte[]>());
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.get()) +
                             static_cast<std::uintptr_t>(before_) - static_cast<std::uintptr_t>(lowest);
        const Integer beyond = static_cast<Integer>(address % page);
        data_ = memory_.get() + (page - beyond) + offset;
    } else {
        const Integer page = ::sysconf(_SC_PAGESIZE), whole = (bytes_ + page - 1) / page * page;
        memory_ = pages(whole + page);
        std::byte* const fenced = memory_.get() + (fence == Fence::before ? 0 : whole);
        if (::mprotect(fenced, static_cast<std::size_t>(page), PROT_NONE) != 0) throw std::bad_alloc();
        data_ = fence == Fence::before ? fenced + page : fenced - bytes_;
    }
    origin_ = data_ + before_ - lowest;
    std::memset(data_, pattern, static_cast<std::size_t>(bytes_));
}

void GuardedMemory::save() { saved_.assign(data_, data_ + bytes_); }

void GuardedMemory::allow(Integer offset, Integer bytes) {
    const Integer at = before_ - lowest_ + offset;
    std::memcpy(saved_.data() + at, data_ + at, static_cast<std::size_t>(bytes));
}

void GuardedMemory::require_unharmed() const {
    if (std::memcmp(saved_.data(), data_, saved_.size()) == 0) return;
    const auto found = std::mismatch(saved_.begin(), saved_.end(), data_);
    const Integer at = (found.first - saved_.begin()) - before_ + lowest_;
    if (at < lowest_ || at >= end_)
        throw Failure("guard zone",
                      fmt::format("the guard zone of the {} is written at byte {}; the array is "
                                  "bytes {} to {}",
                                  name_, at, lowest_, end_ - 1));
    throw Failure("written outside",
                  fmt::format("the {} is written at byte {}, where it has to stay", name_, at));
}

GuardedMemory::Fence draw_fence(Random& random) {
    using enum GuardedMemory::Fence;
    return random.one_of({none, none, none, none, before, behind, behind});
}

} // namespace swirl::fuzz
