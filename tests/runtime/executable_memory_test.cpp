#include "runtime/cpu/executable_memory.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

namespace swirl::runtime {
namespace executable_memory_test {

/// mov rax, [rdi]; mov qword [rax], 42; ret
jit::MachineCode writes_42() {
    jit::MachineCode code;
    code.bytes = {0x48, 0x8b, 0x07, 0x48, 0xc7, 0x00, 42, 0, 0, 0, 0xc3};
    return code;
}

TEST(ExecutableCode, RunsAndSurvivesBeingMoved) {
    if (!ExecutableCode::is_available()) GTEST_SKIP() << "no executable memory here";
    ExecutableCode code(writes_42());
    ExecutableCode other = std::move(code);
    std::int64_t result = 0;
    void* buffers[] = {&result};
    other(buffers);
    EXPECT_EQ(result, 42);
}

TEST(ExecutableCode, CanBeSwitchedOffByTheEnvironment) {
    const char* before = std::getenv("SWIRL_NO_JIT");
    const std::string kept = before == nullptr ? "" : before;
    setenv("SWIRL_NO_JIT", "1", 1);
    EXPECT_FALSE(ExecutableCode::is_available());
    EXPECT_THROW(ExecutableCode{writes_42()}, ExecutableMemoryUnavailable);
    if (before == nullptr)
        unsetenv("SWIRL_NO_JIT");
    else
        setenv("SWIRL_NO_JIT", kept.c_str(), 1);
}

} // namespace executable_memory_test
} // namespace swirl::runtime
