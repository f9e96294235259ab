#pragma once

#include "base/integer.hpp"

#include <functional>

namespace swirl {

/// While it lives, long computations of this thread call the function, and those of the scopes around it, every few
/// milliseconds; it throws to end them. An empty function changes nothing.
class InterruptScope {
public:
    explicit InterruptScope(std::function<void()> function);
    ~InterruptScope();
    InterruptScope(const InterruptScope&) = delete;
    InterruptScope& operator=(const InterruptScope&) = delete;

private:
    friend void ask_interrupt();
    std::function<void()> function_;
    const InterruptScope* around_;
};

/// Calls the functions of this thread's scopes. Hold no lock.
void ask_interrupt();

/// Asks once for so many elements of a table or a vector.
class InterruptCounter {
public:
    void after_element() {
        constexpr Integer elements_per_call = Integer{1} << 14; // of up to a microsecond each
        if (++elements_ % elements_per_call == 0) ask_interrupt();
    }

private:
    Integer elements_ = 0;
};

} // namespace swirl
