#pragma once

#include "search/wisdom.hpp"

namespace swirl::search {

/// The wisdom that the environment names now; opened once for each file, for all threads. Unless `to_write`, null where
/// there is no such file: none is created only to find nothing in it.
Wisdom* shared_wisdom(bool to_write);

/// Where warnings go of what is opened from now on; an empty function means standard error.
void warn_of_shared_wisdom_by(Wisdom::Warn warn);

} // namespace swirl::search
