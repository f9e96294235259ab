#pragma once

#include "search/wisdom.hpp"

namespace swirl::search {

/// The wisdom that the environment names now; opened once for each file, for all threads. Unless `to_write`, null where
/// there is no such file: none is created only to find nothing in it.
Wisdom* shared_wisdom(bool to_write);

} // namespace swirl::search
