#pragma once

#include "jit/compile.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace swirl::runtime {

/// Generated machine code may not run: forbidden by the operating system or by SWIRL_NO_JIT=1 in the environment, or
/// the CPU is not x86-64. Built-in kernels take over.
class ExecutableMemoryUnavailable : public std::runtime_error {
public:
    explicit ExecutableMemoryUnavailable(const std::string& reason)
        : std::runtime_error("generated machine code cannot run here: " + reason) {}
};

/// A kernel (see ir::Program): one pointer per argument, table and scratch buffer, and the integer parameters.
using KernelFunction = void (*)(void* const* buffers, const std::int64_t* parameters);

/// Machine code in memory that is executable and no longer writable. Freed with the object.
class ExecutableCode {
public:
    /// Throws ExecutableMemoryUnavailable.
    explicit ExecutableCode(const jit::MachineCode& code)
        : ExecutableCode(std::as_bytes(std::span(code.bytes))) {}
    explicit ExecutableCode(std::span<const std::byte> code);
    ~ExecutableCode();
    ExecutableCode(ExecutableCode&& other) noexcept;
    ExecutableCode& operator=(ExecutableCode&& other) noexcept;
    ExecutableCode(const ExecutableCode&) = delete;
    ExecutableCode& operator=(const ExecutableCode&) = delete;

    KernelFunction function() const { return function_; }
    void operator()(void* const* buffers, const std::int64_t* parameters = nullptr) const {
        function_(buffers, parameters);
    }
    std::size_t size() const { return size_; } ///< bytes of address space
    std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(memory_), code_bytes_}; }

    /// Whether generated code can run here at all; determined by running some, once, and by SWIRL_NO_JIT now.
    static bool is_available();

private:
    void release() noexcept;

    void* memory_ = nullptr;
    std::size_t size_ = 0;
    std::size_t code_bytes_ = 0;
    KernelFunction function_ = nullptr;
};

} // namespace swirl::runtime
