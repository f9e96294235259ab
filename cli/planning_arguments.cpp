#include "cli/command.hpp"
#include "cli/planning.hpp"
#include "problem/words.hpp"

#include <fmt/format.h>

namespace swirl::cli {

void PlanningOptions::add_to(CLI::App& command) {
    shows_progress = true;
    command
        .add_option("--cpu", cpu,
                    "Generate code for avx512, avx2, sse2, portable or neon (C++ only), not the best this "
                    "machine has")
        ->type_name("NAME");
    command
        .add_option("--schedule", schedule,
                    "Take this schedule, as 'swirl plan' prints it, instead of choosing one")
        ->type_name("TEXT");
    CLI::Option* const likely = command.add_flag(
        "--measure", measure, "Choose by timing the likely schedules; the winner is stored in wisdom");
    command
        .add_flag(
            "--exhaustive", exhaustive,
            "Choose by timing every breakdown that applies, which may take hours; the winner is stored in "
            "wisdom")
        ->excludes(likely);
    command
        .add_option(
            "--budget", budget,
            "Seconds that --measure (without this 0.8, beyond 65536 entries 3.5, on a GPU 5) or --exhaustive "
            "(no limit) may take; without either, that a GPU may time the model's best few schedules of a "
            "new problem "
            "(0.05; 0 times none)")
        ->type_name("SECONDS");
    command.add_option("--threads", threads, "Threads that may work on one execution; 0 for all processors")
        ->type_name("NUMBER")
        ->capture_default_str();
    command
        .add_option(
            "--memory-limit", memory_limit,
            "Memory that a plan may need besides the arrays, in bytes or as 64MiB; without this, what the "
            "machine has")
        ->transform(CLI::AsSizeValue(false))
        ->type_name("BYTES");
    command
        .add_option("--planning-limit", planning_limit,
                    "Refuse what a model predicts to take longer to plan; without this nothing")
        ->type_name("SECONDS");
    command.add_flag("--no-wisdom", no_wisdom, "Do not use wisdom, the results of earlier measurements");
    command.add_flag("--no-check", no_check,
                     "Do not check the plan against a second route before it is used");
}

void PlanningOptions::add_device_to(CLI::App& command) {
    command
        .add_option("--device", device,
                    "cpu, gpu (NVIDIA's; gpu:1 for the second), or for plan, show and explain a kind of GPU: "
                    "generic, "
                    "sm_80 or sm_90")
        ->type_name("NAME")
        ->capture_default_str();
    command
        .add_option("--gemm-accuracy", gemm_accuracy,
                    "Of float32 GEMM on a GPU: ordinary, ordinary-in-range, reduced, eleven-bits or low; the "
                    "less accurate, the more tensor cores may do")
        ->type_name("NAME")
        ->capture_default_str();
    command.add_flag("--reorder-sass", reorder_sass,
                     "Reorder the SASS main loops of float32 GEMM on a GPU, "
                     "where the order is proved to give the same bits");
    command.add_flag("--no-cache", no_cache, "Neither take machine code from the cache nor store it there");
}

void add_sizes_option(CLI::App& command, std::string& sizes) {
    command
        .add_option(
            "--sizes", sizes,
            "Put each of these sizes where a length is the letter n ('dft n'): 1..64, 64..65536*2, 64,1000")
        ->type_name("SIZES");
}

void add_problem_words(CLI::App& command, std::vector<std::string>& words, const std::string& what,
                       const std::string& examples) {
    command.add_option("PROBLEM", words, what)->type_name("");
    std::string kinds;
    for (const auto& kind : kind_words) {
        const auto is_inside = [&](const auto& list) {
            return list.front() < kind.value && kind.value < list.back();
        };
        if (!is_inside(dct_kinds) && !is_inside(dst_kinds))
            kinds += fmt::format(" {}", kind.text);
        else if (!kinds.ends_with("…"))
            kinds += " …";
    }
    command.footer(fmt::format(
        "For example:\n{}\n"
        "PROBLEM is a transform, lengths and options, as separate words or quoted (for the shell's sake with "
        "parentheses):\n"
        "  dft 1024                     dft 16x8 backward float32 inplace\n"
        "  formula (DFT(2) ⊗ I(4)) · L(8, 2) complex64      a matrix as a formula, (x) * (+) in ASCII\n"
        "  dft 2^20 planar              'dft 64 in=2 batch=10:(128,64) scale=1/64'\n"
        "  convolution 4096 float32     'dft 1024 float16 load=\"x * window[i]\"'\n"
        "transforms:{}\n"
        "or a matrix multiplication, ROWSxCOLUMNSxK (m, n, k):\n"
        "  gemm 1000x80x60              gemm 64x64x64 float32 a=rows b=1:80 batch=10 'epilogue=max(0, x + "
        "bias[i])'\n"
        "  gemm 64x64x64 reduce=amax:max:columns:abs(x) reduce=total:sum:all",
        examples, kinds));
}

} // namespace swirl::cli
