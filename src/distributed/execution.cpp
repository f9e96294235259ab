#include "distributed/execution.hpp"

#include "runtime/cpu/copy_past_caches.hpp"

#include <cstring>

namespace swirl::distributed {

void Execution::run(const TransformStep& step) const {
    const void* const from = arrays_.source(step.from);
    if (step.from == Array::input && step.to == Array::output && arrays_.input == arrays_.output) {
        step.plan.execute(from, static_cast<void*>(arrays_.first));
        std::memcpy(arrays_.output, arrays_.first, arrays_.result_bytes);
        return;
    }
    step.plan.execute(from, static_cast<void*>(arrays_.target(step.to)));
}

void Execution::run(const CopyStep& step) const {
    if (step.from == Array::input && step.to == Array::output && arrays_.input == arrays_.output) {
        copy(step.blocks, arrays_.input, arrays_.first, step.element_bytes);
        std::memcpy(arrays_.output, arrays_.first, arrays_.result_bytes);
        return;
    }
    copy(step.blocks, arrays_.source(step.from), arrays_.target(step.to), step.element_bytes);
}

void Execution::run(const DeliverStep& step, const std::function<std::byte*(int rank)>& of,
                    const std::function<void()>& before_chunk) const {
    const std::byte* const from = arrays_.source(step.from);
    for (const DeliverStep::Chunk& chunk : step.chunks) {
        before_chunk();
        const std::byte* transformed = from;
        if (!step.plans.empty()) {
            step.plans[chunk.problem].execute(static_cast<const void*>(from + chunk.load_offset),
                                              static_cast<void*>(arrays_.chunk));
            transformed = arrays_.chunk;
        }
        for (const DeliverStep::Delivery& delivery : chunk.deliveries)
            copy(delivery.copies, transformed, of(delivery.rank), step.element_bytes, step.stores);
    }
    if (step.stores == CopyStores::past_caches) runtime::finish_copies_past_caches();
}

void Execution::run(const StreamStep& step, const StreamStep::Part& part) const {
    const std::byte* from = arrays_.source(step.from);
    if (!step.plans.empty()) {
        step.plans[part.problem].execute(static_cast<const void*>(from + part.load_offset),
                                         static_cast<void*>(arrays_.chunk));
        from = arrays_.chunk;
    }
    copy(part.pack, from, arrays_.sent, step.element_bytes);
}

void Execution::unpack(const StreamStep& step, const StreamStep::Chunk& chunk) const {
    copy(chunk.unpack, arrays_.received, arrays_.target(step.to), step.element_bytes, step.unpack_stores);
    if (step.unpack_stores == CopyStores::past_caches) runtime::finish_copies_past_caches();
}

} // namespace swirl::distributed
