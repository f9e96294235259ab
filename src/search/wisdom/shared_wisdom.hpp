#pragma once

#include "search/wisdom/wisdom.hpp"

namespace swirl::search {

/// The wisdom that the environment names now, opened once per file and shared by all threads. Unless `to_write`, null
/// if the file does not exist: an empty file is not created just for a lookup.
Wisdom* shared_wisdom(bool to_write);

/// Sets where warnings go for wisdom opened from now on; an empty function means log_warning.
void warn_of_shared_wisdom_by(Wisdom::Warn warn);

} // namespace swirl::search
