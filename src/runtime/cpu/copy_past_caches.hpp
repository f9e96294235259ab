#pragma once

#include <cstddef>

namespace swirl::runtime {

/// Copies bytes with stores that do not read what they overwrite into the caches, as far as they fill cache lines; elsewhere, and
/// for short runs, as memcpy. For arrays that no cache holds.
void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes);

/// Afterwards the copies come before this thread's later stores in the eyes of other threads.
void finish_copies_past_caches();

} // namespace swirl::runtime
