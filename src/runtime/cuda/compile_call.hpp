#pragma once

#include "runtime/cuda/module.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace swirl::runtime {

/// The options of one call of the driver's compiler, and its log buffers. Not movable: the driver holds pointers into
/// it.
class CompileCall {
public:
    explicit CompileCall(const CompileOptions& options);
    CompileCall(const CompileCall&) = delete;
    CompileCall& operator=(const CompileCall&) = delete;

    unsigned count() const { return static_cast<unsigned>(names_.size()); }
    cuda::CompileOption* names() { return names_.data(); }
    void** values() { return values_.data(); }

    std::string information() const; ///< registers and spills of each kernel
    std::string errors() const;

private:
    std::vector<char> information_;
    std::vector<char> errors_;
    std::vector<cuda::CompileOption> names_;
    std::vector<void*> values_;
};

/// Reports a failed call that compiles or loads code: UserError if another driver, GPU or more memory would help; else
/// InternalError with the compiler's log.
[[noreturn]] void throw_compile_error(const GpuDevice& device, cuda::Result result, std::string_view call,
                                      const std::string& log);

} // namespace swirl::runtime
