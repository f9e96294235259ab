#include "base/error.hpp"
#include "peers/blas_functions.hpp"

#include <cstdlib>
#include <string>

namespace swirl::peers {
namespace {

MatrixPlan plan_swirl_blas(const MatrixCall& call, int threads) {
    static const SharedLibrary library = [threads] {
        setenv("SWIRL_NUM_THREADS", std::to_string(threads).c_str(), 1);
        return SharedLibrary(files_beside_program("SWIRL_BLAS", {"libswirl_blas.so", "../libswirl_blas.so"}),
                             SharedLibrary::Symbols::own);
    }();
    if (!library.is_open()) return {.absent_because = library.absent_because()};
    MatrixRun run = blas_run(library, call);
    if (!run) return {.absent_because = fmt::format("libswirl_blas has no {}", routine_name(call))};
    return {.run = std::move(run), .made_by = "libswirl_blas"};
}

} // namespace

const MatrixPeer swirl_blas{"swirl-blas", "swirl's BLAS", plan_swirl_blas};

} // namespace swirl::peers
