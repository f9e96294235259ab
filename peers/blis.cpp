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
    explicit BlisLibrary(int threads) : library(opened(threads)) {
        void (*initialize)() = nullptr;
        int (*query)() = nullptr;
        const char* (*name)(int) = nullptr;
        const char* (*get_version)() = nullptr;
        void (*set_threads)(Integer) = nullptr;
        if (library.load(initialize, "bli_init")) initialize();
        if (library.load(query, "bli_arch_query_id") && library.load(name, "bli_arch_string"))
            kernels = name(query());
        if (library.load(get_version, "bli_info_get_version_str")) version = get_version();
        if (library.load(set_threads, "bli_thread_set_num_threads")) set_threads(threads);
    }

    static SharedLibrary opened(int threads) {
        setenv("BLIS_NUM_THREADS", std::to_string(threads).c_str(), 1);
        if (const char* const kernels = kernels_for(target::host_cpu()); kernels != nullptr)
            setenv("BLIS_ARCH_TYPE", kernels, 0);
        return SharedLibrary({peers_folder() / "blis" / "lib" / "libblis.so.4", "libblis.so.4"},
                             SharedLibrary::Symbols::own);
    }

    SharedLibrary library;
    std::string kernels, version;
};

MatrixPlan plan_blis(const MatrixCall& call, int threads) {
    static const BlisLibrary opened(threads);
    if (!opened.library.is_open()) return {.absent_because = opened.library.absent_because()};
    MatrixRun run = blas_run(opened.library, call);
    if (!run) return {.absent_because = fmt::format("BLIS has no {}", routine_name(call))};
    return {.run = std::move(run),
            .made_by = fmt::format("BLIS {}, kernels for {}", opened.version, opened.kernels)};
}

} // namespace

const MatrixPeer blis{"blis", "BLIS", plan_blis};

} // namespace swirl::peers
