#include "base/interrupt_scope.hpp"

#include <utility>

namespace swirl {

namespace {

thread_local const InterruptScope* innermost = nullptr;

} // namespace

InterruptScope::InterruptScope(std::function<void()> function)
    : function_(std::move(function)), around_(innermost) {
    if (function_) innermost = this;
}

InterruptScope::~InterruptScope() { innermost = around_; }

void ask_interrupt() {
    for (const InterruptScope* scope = innermost; scope != nullptr; scope = scope->around_)
        scope->function_();
}

} // namespace swirl
