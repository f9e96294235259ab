#include "fftw/c_support.hpp"

#include "fftw/planner.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace swirl::fftw {
namespace {

constexpr std::size_t allocation_alignment = 64; ///< of a cache line, and of the longest vectors
constexpr std::uintptr_t compared_alignment = 16;

} // namespace

void* allocate(std::size_t count, std::size_t bytes) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() - allocation_alignment;
    if (count > most / bytes) return nullptr;
    const std::size_t lines = (count * bytes + allocation_alignment - 1) / allocation_alignment;
    return std::aligned_alloc(allocation_alignment, (lines == 0 ? 1 : lines) * allocation_alignment);
}

char* copy_for_c(const std::string& text) {
    auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
    return copy;
}

int alignment_of(const void* pointer) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(pointer) % compared_alignment);
}

int import_wisdom(const Wisdom::ReadCharacter& read) {
    return Planner::of_process().wisdom().import(read) ? 1 : 0;
}

} // namespace swirl::fftw
