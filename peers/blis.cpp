#include "base/error.hpp"
#include "peers/blas_functions.hpp"
#include "peers/peer.hpp"
#include "target/cpu.hpp"

#include <cstdlib>

namespace swirl::peers {
namespace {

/// BLIS's number of its kernels for such a CPU, from arch_t of its bli_type_defs.h. It knows CPUs by their models and takes
/// code for none in particular on later ones.
const char* kernels_for(const target::Cpu& cpu) {
    if (cpu.name == target::avx512_cpu().name) return "0";      // skx
    return cpu.name == target::avx2_cpu().name ? "3" : nullptr; // haswell
}

struct BlisLibrary {
    BlisLibrary(const std::vector<std::string>& files, const char* arch, int threads)
        : library(opened(files, arch, threads)) {
        int (*query)() = nullptr;
        const char* (*name)(int) = nullptr;
        const char* (*get_version)() = nullptr;
        void (*set_threads)(Integer) = nullptr;
        if (library.load(query, "bli_arch_query_id") && library.load(name, "bli_arch_string"))
            kernels = name(query());
        if (library.load(get_version, "bli_info_get_version_str")) version = get_version();
        if (library.load(set_threads, "bli_thread_set_num_threads")) set_threads(threads);
    }

    static SharedLibrary opened(const std::vector<std::string>& files, const char* arch, int threads) {
        setenv("BLIS_NUM_THREADS", std::to_string(threads).c_str(), 1);
        const bool sets_arch = arch != nullptr && std::getenv("BLIS_ARCH_TYPE") == nullptr;
        if (sets_arch) setenv("BLIS_ARCH_TYPE", arch, 1);
        SharedLibrary library(files, SharedLibrary::Symbols::own);
        // It reads the variable when it is initialised.
        if (void (*initialize)() = nullptr; library.load(initialize, "bli_init")) initialize();
        if (sets_arch) unsetenv("BLIS_ARCH_TYPE");
        return library;
    }

    MatrixPlan plan(const MatrixCall& call, const char* title) const {
        if (!library.is_open()) return {.absent_because = library.absent_because()};
        MatrixRun run = blas_run(library, call);
        if (!run) return {.absent_because = fmt::format("{} has no {}", title, routine_name(call))};
        return {.run = std::move(run),
                .made_by = fmt::format("{} {}, kernels for {}", title, version, kernels)};
    }

    SharedLibrary library;
    std::string kernels, version;
};

MatrixPlan plan_blis(const MatrixCall& call, int threads) {
    static const BlisLibrary library({peers_folder() / "blis" / "lib" / "libblis.so.4", "libblis.so.4"},
                                     kernels_for(target::host_cpu()), threads);
    return library.plan(call, "BLIS");
}

/// It knows AMD's later models, and numbers its kernels otherwise.
MatrixPlan plan_aocl(const MatrixCall& call, int threads) {
    static const BlisLibrary library({peers_folder() / "aocl-blas" / "lib" / "libblis.so"}, nullptr, threads);
    return library.plan(call, "AOCL-BLAS");
}

} // namespace

const MatrixPeer blis{"blis", "BLIS", plan_blis};
const MatrixPeer aocl_blas{"aocl-blas", "AOCL-BLAS", plan_aocl};

} // namespace swirl::peers
