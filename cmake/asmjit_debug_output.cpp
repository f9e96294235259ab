// Debian builds libasmjit.a without -fPIC. Of its objects only globals.cpp.o, with these three functions, cannot
// be part of a shared library (it reads `stderr` directly). With our definitions the linker leaves it out.

#include <asmjit/asmjit.h>

#include <cstdio>
#include <cstdlib>

ASMJIT_BEGIN_NAMESPACE

const char* DebugUtils::errorAsString(Error error) noexcept {
    return error == kErrorOk ? "Ok" : "AsmJit error (see asmjit/core/globals.h for its number)";
}

void DebugUtils::debugOutput(const char* text) noexcept { std::fputs(text, stderr); }

void DebugUtils::assertionFailed(const char* file, int line, const char* message) noexcept {
    std::fprintf(stderr, "AsmJit assertion failed at %s:%d: %s\n", file, line, message);
    std::abort();
}

ASMJIT_END_NAMESPACE
