#pragma once

#include "support/run_program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

/// Compiles and runs emitted C++ for AArch64: natively on such a host, else with a cross compiler and an emulator.
namespace swirl::support {

/// The buffer behind a pointer argument, before the call and, afterwards, after it.
struct ArmBuffer {
    std::vector<std::byte> bytes;
    std::size_t origin = 0; ///< bytes before the argument's address
};

/// One call of an extern "C" function.
struct ArmCall {
    /// void(void*, …) with one pointer per buffer, or void(void* const* buffers, const int64_t* parameters).
    enum class Convention : std::uint8_t { pointers, array };

    std::string function;
    Convention convention = Convention::pointers;
    std::vector<ArmBuffer> buffers = {};
    std::vector<std::int64_t> parameters = {}; ///< for Convention::array
};

struct ArmMachine {
    std::string compiler;
    std::string emulator; ///< empty: not needed
};

/// Throws if a program for AArch64 cannot be compiled or run.
inline ArmMachine arm_machine() {
    const auto first_of = [](std::initializer_list<const char*> names) {
        for (const char* name : names)
            if (run_command(std::string("command -v ") + name).status == 0) return std::string(name);
        throw std::runtime_error(std::string("there is no ") + *names.begin() +
                                 " here, which this test needs; scripts/setup installs it");
    };
#if defined(__aarch64__)
    return {first_of({"g++", "clang++"}), ""};
#else
    return {first_of({"aarch64-linux-gnu-g++"}), first_of({"qemu-aarch64", "qemu-aarch64-static"})};
#endif
}

/// A program that makes the calls on buffers it reads, and writes the buffers afterwards.
inline std::string caller_of(const std::vector<ArmCall>& calls) {
    std::ostringstream declarations, table;
    for (const ArmCall& call : calls) {
        const bool array = call.convention == ArmCall::Convention::array;
        std::string formals, actuals;
        for (std::size_t i = 0; i < call.buffers.size() && !array; ++i) {
            formals += i == 0 ? "void*" : ", void*";
            actuals += (i == 0 ? "b[" : ", b[") + std::to_string(i) + "]";
        }
        declarations << "extern \"C\" void " << call.function << "("
                     << (array ? "void* const*, const std::int64_t*" : formals) << ");\n";
        table << "    [](void** b, const std::int64_t* p) { (void)p; " << call.function << "("
              << (array ? "b, p" : actuals) << "); },\n";
    }
    return "#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n#include <vector>\n" +
           declarations.str() +
           "using Call = void (*)(void**, const std::int64_t*);\nconst Call calls[] = {\n" + table.str() +
           R"(};
std::int64_t number() {
    std::int64_t value = 0;
    if (std::fread(&value, sizeof value, 1, stdin) != 1) std::exit(3);
    return value;
}
int main() {
    for (const Call call : calls) {
        std::vector<std::int64_t> parameters(number() + 1);
        for (std::size_t i = 0; i + 1 < parameters.size(); ++i) parameters[i] = number();
        struct Buffer { char* bytes; std::int64_t size; };
        std::vector<Buffer> buffers(number());
        std::vector<void*> pointers;
        for (Buffer& buffer : buffers) {
            buffer.size = number();
            const std::int64_t origin = number();
            // aligned to the largest element and no further
            buffer.bytes = static_cast<char*>(std::aligned_alloc(64, (buffer.size + 136) / 64 * 64)) + 8;
            if (buffer.size > 0 && std::fread(buffer.bytes, buffer.size, 1, stdin) != 1) return 3;
            pointers.push_back(buffer.bytes + origin);
        }
        call(pointers.data(), parameters.data());
        for (const Buffer& buffer : buffers) {
            std::fwrite(buffer.bytes, 1, buffer.size, stdout);
            std::free(buffer.bytes - 8);
        }
    }
}
)";
}

/// Compiles the texts separately and without warnings, and makes the calls. Throws with the compiler's messages.
inline void run_on_arm(const std::vector<std::string>& texts, const std::string& flags,
                       std::vector<ArmCall>& calls) {
    const ArmMachine machine = arm_machine();
    const TemporaryFolder folder;
    const auto path = [&](const std::string& name) { return (folder.path() / name).string(); };
    std::string objects, compile, wait;
    const auto add = [&](const std::string& name, const std::string& text, const std::string& options) {
        std::ofstream(path(name + ".cpp")) << text;
        compile += machine.compiler + " -std=c++17 " + options + " -c -o " + path(name + ".o") + " " +
                   path(name + ".cpp") + " & job_" + name + "=$!\n";
        wait += "wait $job_" + name + " || exit 1\n";
        objects += " " + path(name + ".o");
    };
    for (std::size_t i = 0; i < texts.size(); ++i)
        add("text_" + std::to_string(i), texts[i],
            "-Wall -Wextra -Wpedantic -Wshadow -Werror -ffp-contract=off " + flags);
    add("caller", caller_of(calls), "-O0");
    const Outcome built =
        run_command(compile + wait + machine.compiler + " -static" + objects + " -o " + path("program"));
    if (built.status != 0 || !built.errors.empty()) throw std::runtime_error(built.output + built.errors);

    std::string input;
    const auto put = [&](std::size_t index) {
        const auto value = static_cast<std::int64_t>(index);
        input.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    std::size_t expected = 0;
    for (const ArmCall& call : calls) {
        put(call.parameters.size());
        for (const std::int64_t parameter : call.parameters) put(static_cast<std::size_t>(parameter));
        put(call.buffers.size());
        for (const ArmBuffer& buffer : call.buffers) {
            put(buffer.bytes.size());
            put(buffer.origin);
            input.append(reinterpret_cast<const char*>(buffer.bytes.data()), buffer.bytes.size());
            expected += buffer.bytes.size();
        }
    }
    std::ofstream(path("input"), std::ios::binary) << input;
    const Outcome ran = run_command(machine.emulator + " " + path("program") + " <" + path("input"));
    if (ran.status != 0 || ran.output.size() != expected)
        throw std::runtime_error("status " + std::to_string(ran.status) + " of the program: " + ran.errors);
    std::size_t at = 0;
    for (ArmCall& call : calls)
        for (ArmBuffer& buffer : call.buffers) {
            const auto from = ran.output.begin() + static_cast<std::ptrdiff_t>(at);
            std::copy_n(from, buffer.bytes.size(), reinterpret_cast<char*>(buffer.bytes.data()));
            at += buffer.bytes.size();
        }
}

} // namespace swirl::support
