#pragma once

#include "cufft/abi.hpp"

namespace swirl::cufft {

/// What a function answers for the exception in flight. Bugs, and on request all errors, are also printed.
Status status_of_exception() noexcept;

/// The body of a function of the interface.
template <class Body> Status status_of(Body&& body) noexcept {
    try {
        body();
        return Status::success;
    } catch (...) {
        return status_of_exception();
    }
}

} // namespace swirl::cufft
