// Time until a GPU's kernels are ready: compiled in sequence, compiled as a list, and from the cache.

#include "bench/support/program.hpp"
#include "emit/ptx/ptx.hpp"
#include "formula/formula.hpp"
#include "lower/gpu/lowering.hpp"
#include "passes/pipeline.hpp"
#include "rules/rule.hpp"
#include "runtime/cpu/team.hpp"
#include "runtime/cuda/compile.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace swirl::bench {
namespace {

using runtime::GpuDevice;
using runtime::KernelCache;
using runtime::KernelText;

constexpr int rounds = 50;

KernelText kernel_of(const GpuDevice& device, Integer n, const std::string& tree, Integer threads) {
    const formula::Formula transform = rules::expand(formula::DFT(n), rules::parse_tree(tree));
    const formula::Formula formula = formula::kron({formula::I(8), transform});
    const ir::Program program = passes::run_for_gpu(
        lower::lower_to_gpu({.name = "kernel",
                             .loops = {.formula = formula,
                                       .scalar = DataType::float32,
                                       .input = loops::Layout::contiguous(formula.columns()),
                                       .output = loops::Layout::contiguous(formula.rows())}},
                            {loops::LaunchConfiguration{.threads = threads, .smem_pad_interval = 32}})
            .front());
    return {.ptx = emit::ptx(program, {.target = std::string(device.target().name)}), .name = tree};
}

std::vector<KernelText> kernels_for(const GpuDevice& device) {
    return {
        kernel_of(device, 256, "stockham(16,16)", 16),
        kernel_of(device, 512, "stockham(8,8,8)", 64),
        kernel_of(device, 1024, "stockham(16,8,8)", 64),
        kernel_of(device, 2048, "stockham(16,16,8)", 128),
        kernel_of(device, 4096, "stockham(16,16,16)", 256),
        kernel_of(device, 8192, "stockham(16,16,32)", 256),
        kernel_of(device, 1000, "stockham(10,10,10)", 100),
        kernel_of(device, 729, "stockham(9,9,9)", 81),
    };
}

void report(const char* what, double milliseconds) { fmt::print("{:<52}{:>9.3f} ms\n", what, milliseconds); }

int run() {
    setenv("CUDA_CACHE_DISABLE", "1", 1); // the driver's own cache would bypass the compiler
    const GpuDevice device;
    std::vector<KernelText> kernels;
    report("deriving 8 kernels and writing their PTX",
           milliseconds_of([&] { kernels = kernels_for(device); }));
    runtime::machine_code(device, kernels[0].ptx); // loads the compiler
    const double alone = milliseconds_of([&] {
        for (const KernelText& kernel : kernels) runtime::compiled(device, kernel, nullptr);
    });
    report("compiling them, one after the other", alone);
    const TemporaryFolder folder;
    KernelCache cache(folder.path());
    const auto prepare = [&] { runtime::compiled(device, kernels, &cache); };
    report(fmt::format("compiling them at once, on {} processors", runtime::processors()).c_str(),
           milliseconds_of(prepare));
    report("all 8 from the cache, the first time", milliseconds_of(prepare));
    report("all 8 from the cache, median of 50 times", milliseconds_of(prepare, rounds));
    const std::span<const KernelText> largest(&kernels[5], 1);
    report("dft 8192 from the cache, median of 50 times",
           milliseconds_of([&] { runtime::compiled(device, largest, &cache); }, rounds));
    std::uint64_t bytes = 0;
    for (const auto& entry : cache.entries()) bytes += entry.bytes;
    fmt::print("the 8 entries have {} bytes\n", bytes);
    return 0;
}

} // namespace
} // namespace swirl::bench

int main(int count, char** values) {
    using namespace swirl::bench;
    return main_of({.description = "Time until a GPU's kernels are ready, compiled and from the cache.",
                    .add_options = [](CLI::App&) {},
                    .run = [](const std::string&) { return run(); }},
                   count, values);
}
