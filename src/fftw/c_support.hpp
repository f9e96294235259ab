#pragma once

#include <swirl/export.h>
#include <swirl/version.h>
#include <swirl/element.hpp>

#include "fftw/planner.hpp"
#include "fftw/requests.hpp"
#include "fftw/wisdom.hpp"
#include "runtime/cpu/parallel_for.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
#include <swirl-fftw/fftw3.h>
#pragma GCC visibility pop

/// What the functions in C need in both precisions.
namespace swirl::fftw {

/// Memory that free() frees, aligned for any vector; null if there is none.
void* allocate(std::size_t count, std::size_t bytes);
/// A copy that free() frees; null if there is no memory.
char* copy_for_c(const std::string& text);
/// Bytes beyond a multiple of 16. Plans assume no alignment; programs compare these values.
int alignment_of(const void* pointer);
/// 1 if the text is wisdom, else 0.
int import_wisdom(const Wisdom::ReadCharacter& read);

} // namespace swirl::fftw
