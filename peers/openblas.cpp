#include "base/error.hpp"
#include "peers/blas_functions.hpp"
#include "peers/peer.hpp"
#include "target/cpu.hpp"

#include <cstdlib>
#include <optional>

namespace swirl::peers {
namespace {

/// Kernels that need AVX-512, as OPENBLAS_CORETYPE and openblas_get_corename name them.
constexpr const char* avx512_cores[] = {"SkylakeX", "Cooperlake", "SapphireRapids"};

/// OpenBLAS, its kernels chosen when it is loaded.
struct OpenblasLibrary {
    OpenblasLibrary(const std::vector<std::string>& files, const char* core, int threads) {
        setenv("OPENBLAS_NUM_THREADS", std::to_string(threads).c_str(), 1);
        if (core != nullptr) setenv("OPENBLAS_CORETYPE", core, 1);
        library.emplace(files, SharedLibrary::Symbols::own);
        char* (*get_core)() = nullptr;
        char* (*get_configuration)() = nullptr;
        void (*set_threads)(int) = nullptr;
        if (library->load(get_core, "openblas_get_corename")) kernels = get_core();
        if (library->load(get_configuration, "openblas_get_config")) {
            version = get_configuration(); // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …"
            version = version.substr(0, version.find(' ', version.find(' ') + 1));
        }
        if (library->load(set_threads, "openblas_set_num_threads")) set_threads(threads);
        if (core != nullptr) unsetenv("OPENBLAS_CORETYPE");
    }

    MatrixPlan plan(const MatrixCall& call) const {
        if (!library->is_open()) return {.absent_because = library->absent_because()};
        MatrixRun run = blas_run(*library, call);
        if (!run) return {.absent_because = fmt::format("OpenBLAS has no {}", routine_name(call))};
        return {.run = std::move(run), .made_by = fmt::format("{}, kernels for {}", version, kernels)};
    }

    std::optional<SharedLibrary> library;
    std::string kernels, version;
};

const OpenblasLibrary& chosen_by_itself(int threads) {
    static const OpenblasLibrary library(
        {peers_folder() / "openblas" / "lib" / "libopenblas.so.0", "libopenblas.so.0"}, nullptr, threads);
    return library;
}

MatrixPlan plan_openblas(const MatrixCall& call, int threads) { return chosen_by_itself(threads).plan(call); }

MatrixPlan plan_avx512(const MatrixCall& call, int threads) {
    if (target::host_cpu().name != target::avx512_cpu().name)
        return {.absent_because = "OpenBLAS: no AVX-512"};
    const std::string& chosen = chosen_by_itself(threads).kernels;
    for (const char* core : avx512_cores)
        if (chosen == core)
            return {.absent_because = "OpenBLAS chooses its kernels for AVX-512 without being told"};
    // A file of its own: the dynamic linker would give the library that is loaded.
    static const OpenblasLibrary library({peers_folder() / "openblas-avx512" / "lib" / "libopenblas.so.0"},
                                         avx512_cores[0], threads);
    return library.plan(call);
}

} // namespace

const MatrixPeer openblas{"openblas", "OpenBLAS", plan_openblas};
const MatrixPeer openblas_avx512{"openblas-avx512", "OpenBLAS, AVX-512", plan_avx512};

} // namespace swirl::peers
