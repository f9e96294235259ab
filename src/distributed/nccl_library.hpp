#pragma once

#include "distributed/nccl_abi.hpp"

#include <string>

namespace swirl::distributed::nccl {

/// NCCL, loaded on first use; never unloaded, because it has threads of its own. Throws Unavailable that says what is
/// missing.
const Functions& library();

/// What a result means.
std::string text_of(Result result);

} // namespace swirl::distributed::nccl
