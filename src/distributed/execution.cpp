#include "distributed/execution.hpp"

#include <cstring>

namespace swirl::distributed {

void Execution::run(const TransformStep& step) const {
    const void* const from = source(step.from);
    if (step.from == Array::input && step.to == Array::output && input_ == output_) {
        step.plan.execute(from, static_cast<void*>(first_));
        std::memcpy(output_, first_, result_bytes_);
        return;
    }
    step.plan.execute(from, static_cast<void*>(target(step.to)));
}

void Execution::run(const CopyStep& step) const {
    if (step.from == Array::input && step.to == Array::output && input_ == output_) {
        copy(step.blocks, input_, first_, step.element_bytes);
        std::memcpy(output_, first_, result_bytes_);
        return;
    }
    copy(step.blocks, source(step.from), target(step.to), step.element_bytes);
}

} // namespace swirl::distributed
