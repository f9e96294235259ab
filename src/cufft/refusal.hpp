#pragma once

#include "cufft/abi.hpp"

#include <exception>

namespace swirl::cufft {

/// Thrown where the interface answers with this status.
class Refusal : public std::exception {
public:
    explicit Refusal(Status status) : status_(status) {}
    Status status() const { return status_; }
    const char* what() const noexcept override { return "refused"; }

private:
    Status status_;
};

inline void require(bool holds, Status otherwise) {
    if (!holds) throw Refusal(otherwise);
}

} // namespace swirl::cufft
