#include "runtime/cpu/executable_memory.hpp"

#include "base/environment.hpp"
#include "base/fork_gate.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace swirl::runtime {

namespace {

bool is_switched_off() {
    const char* value = environment_variable("SWIRL_NO_JIT");
    return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

std::size_t whole_pages(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (bytes + page - 1) / page * page;
}

bool runs_code() {
    constexpr std::byte ret{0xc3};
    try {
        const ExecutableCode code(std::span(&ret, 1));
        code(nullptr);
        return true;
    } catch (const ExecutableMemoryUnavailable&) {
        return false;
    }
}

std::string system_reason(const char* call) { return std::string(call) + ": " + std::strerror(errno); }

} // namespace

ExecutableCode::ExecutableCode(std::span<const std::byte> code) : code_bytes_(code.size()) {
    if (is_switched_off()) throw ExecutableMemoryUnavailable("SWIRL_NO_JIT is set");
#if !defined(__x86_64__)
    throw ExecutableMemoryUnavailable("it is for x86-64");
#endif
    size_ = whole_pages(code.size());
    void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw ExecutableMemoryUnavailable(system_reason("mmap"));
    memory_ = memory;
    std::memcpy(memory_, code.data(), code.size());
    if (mprotect(memory_, size_, PROT_READ | PROT_EXEC) != 0) {
        const std::string reason = system_reason("mprotect");
        release();
        throw ExecutableMemoryUnavailable(reason);
    }
    function_ = std::bit_cast<KernelFunction>(memory_);
}

ExecutableCode::~ExecutableCode() { release(); }

ExecutableCode::ExecutableCode(ExecutableCode&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      code_bytes_(std::exchange(other.code_bytes_, 0)),
      function_(std::exchange(other.function_, nullptr)) {}

ExecutableCode& ExecutableCode::operator=(ExecutableCode&& other) noexcept {
    if (this == &other) return *this;
    release();
    memory_ = std::exchange(other.memory_, nullptr);
    size_ = std::exchange(other.size_, 0);
    code_bytes_ = std::exchange(other.code_bytes_, 0);
    function_ = std::exchange(other.function_, nullptr);
    return *this;
}

void ExecutableCode::release() noexcept {
    if (memory_ != nullptr) munmap(memory_, size_);
    memory_ = nullptr;
}

bool ExecutableCode::is_available() {
    static constinit LazyValue<const bool> system_allows;
    return !is_switched_off() && system_allows.get(runs_code);
}

} // namespace swirl::runtime
