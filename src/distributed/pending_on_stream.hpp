#pragma once

#include <swirl/distributed/communicator.hpp>

#include "base/error.hpp"
#include "runtime/cuda/stream.hpp"

#include <memory>
#include <utility>

namespace swirl::distributed {

/// An exchange of a GPU's memory that another stream carries out: waiting enqueues on the caller's stream that it waits for that one.
class PendingOnStream final : public PendingExchange {
public:
    /// `kept`: what the exchange uses until then.
    PendingOnStream(runtime::GpuStream stream, runtime::GpuEvent finished,
                    std::shared_ptr<const void> kept = {})
        : kept_(std::move(kept)), stream_(std::move(stream)), finished_(std::move(finished)) {}
    ~PendingOnStream() override {
        try {
            wait();
        } catch (const Error&) {} // of the driver, which the stream reports, too
    }
    void wait() override {
        if (!std::exchange(is_waited_for_, true)) stream_.wait(finished_);
    }

private:
    std::shared_ptr<const void> kept_;
    runtime::GpuStream stream_;
    runtime::GpuEvent finished_;
    bool is_waited_for_ = false;
};

} // namespace swirl::distributed
