#include "base/error.hpp"
#include "peers/blas_functions.hpp"

#include <cstdlib>
#include <filesystem>

namespace swirl::peers {
namespace {

std::vector<std::string> swirl_blas_files() {
    if (const char* const own = std::getenv("SWIRL_BLAS"); own != nullptr && *own != '\0') return {own};
    std::error_code ignored;
    const auto folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    return {folder / "libswirl_blas.so", folder.parent_path() / "libswirl_blas.so"};
}

MatrixPlan plan_swirl_blas(const MatrixCall& call, int threads) {
    static const SharedLibrary library = [threads] {
        setenv("SWIRL_NUM_THREADS", std::to_string(threads).c_str(), 1);
        return SharedLibrary(swirl_blas_files(), SharedLibrary::Symbols::own);
    }();
    if (!library.is_open()) return {.absent_because = library.absent_because()};
    MatrixRun run = blas_run(library, call);
    if (!run) return {.absent_because = fmt::format("libswirl_blas has no {}", routine_name(call))};
    return {.run = std::move(run), .made_by = "libswirl_blas"};
}

} // namespace

const MatrixPeer swirl_blas{"swirl-blas", "swirl's BLAS", plan_swirl_blas};

} // namespace swirl::peers
