#include "sass/main_loop.hpp"

#include "base/error.hpp"
#include "sass/loop_pattern.hpp"
#include "sass/loop_proof.hpp"
#include "sass/loop_writer.hpp"
#include "sass/score.hpp"

#include <algorithm>

namespace swirl::sass {

namespace {

constexpr std::string_view known_target = "sm_90";

} // namespace

ReorderedLoop reorder_main_loop(const Bytes& image, std::string_view target) {
    ReorderedLoop result{image, "", 0, 0};
    try {
        if (target != known_target)
            throw UserError("latencies and register banks are known for {} only, not for {}", known_target,
                            target);
        const Cubin cubin(image);
        if (cubin.kernels().empty()) throw UserError("the cubin has no kernel");
        const Cubin::Kernel& kernel = cubin.kernels().front();
        const Code compiled = cubin.code(kernel);
        const LoopPattern pattern = loop_pattern(compiled, kernel.registers);
        const Code body = reordered_loop(pattern);
        Code written = compiled;
        std::ranges::copy(body, written.begin() + static_cast<std::ptrdiff_t>(pattern.span.first));
        written[pattern.span.last + 1].control.wait |= loop_scoreboards;
        if (const auto mismatch = loop_mismatch(compiled, written, pattern.span))
            throw UserError("the reordered loop is not proved equivalent: {}", *mismatch);
        result.cycles_before = score_of_loop(compiled, pattern.span).issue_cycles;
        result.cycles = score_of_loop(written, *main_loop(written)).issue_cycles;
        result.image = cubin.with_code(kernel, written);
    } catch (const UserError& error) {
        result.not_reordered_because = error.what();
    }
    return result;
}

} // namespace swirl::sass
