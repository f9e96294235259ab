#pragma once

#include "support/fake_cuda.hpp"

#include <cstdint>
#include <mutex>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

/// Shared by the functions of the fake driver.
namespace swirl::support::driver {

extern std::recursive_mutex mutex;
extern thread_local std::vector<runtime::cuda::Context> stack; ///< of current contexts
FakeCuda& fake();

/// A driver call: serialised, recorded, and failing where a test says so or the real driver would.
class Call {
public:
    enum Needs { nothing, initialised, context };

    Call(const char* name, Needs needs) : lock_(mutex) {
        using namespace runtime::cuda;
        fake().calls.emplace_back(name);
        if (const auto found = fake().failures.find(name); found != fake().failures.end())
            result_ = found->second;
        else if (needs != nothing && !fake().is_initialised)
            result_ = not_initialized;
        else if (needs == context && stack.empty())
            result_ = invalid_context;
    }

    template <class Action> runtime::cuda::Result operator()(Action action) {
        if (result_ == runtime::cuda::success) action();
        return result_;
    }

private:
    std::lock_guard<std::recursive_mutex> lock_;
    runtime::cuda::Result result_ = runtime::cuda::success;
};

template <class Handle> Handle handle(std::uintptr_t id) { return reinterpret_cast<Handle>(id); }

} // namespace swirl::support::driver
