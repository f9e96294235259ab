#include "peers/cublas_library.hpp"

#include "base/error.hpp"
#include "peers/cuda_library_files.hpp"

#include <array>

namespace swirl::peers::cublas {
namespace {

constexpr const char* variable = "SWIRL_CUBLAS";
constexpr std::array versions = {13, 12, 11};

} // namespace

const Library& Library::get() {
    static const Library library;
    return library;
}

Library::Library() : library_(cuda_library_files(variable, "libcublas.so", versions)) {
    is_complete_ = load();
    has_lt_ = load_lt();
}

bool Library::load() {
    library_.load(set_emulation_strategy, "cublasSetEmulationStrategy");
    library_.load(status_name_, "cublasGetStatusName"); // since cuBLAS 11.4
    return library_.load(create, "cublasCreate_v2") && library_.load(destroy, "cublasDestroy_v2") &&
           library_.load(set_stream, "cublasSetStream_v2") &&
           library_.load(set_workspace, "cublasSetWorkspace_v2") &&
           library_.load(set_math_mode, "cublasSetMathMode") && library_.load(sgemm, "cublasSgemm_v2") &&
           library_.load(dgemm, "cublasDgemm_v2") && library_.load(gemm_ex, "cublasGemmEx") &&
           library_.load(sgemm_batched, "cublasSgemmStridedBatched") &&
           library_.load(get_property_, "cublasGetProperty");
}

/// Its functions are those of a library that cuBLAS's own opens.
bool Library::load_lt() {
    return library_.load(lt_create, "cublasLtCreate") && library_.load(lt_destroy, "cublasLtDestroy") &&
           library_.load(lt_create_operation, "cublasLtMatmulDescCreate") &&
           library_.load(lt_set_operation, "cublasLtMatmulDescSetAttribute") &&
           library_.load(lt_destroy_operation, "cublasLtMatmulDescDestroy") &&
           library_.load(lt_create_layout, "cublasLtMatrixLayoutCreate") &&
           library_.load(lt_destroy_layout, "cublasLtMatrixLayoutDestroy") &&
           library_.load(lt_create_preference, "cublasLtMatmulPreferenceCreate") &&
           library_.load(lt_set_preference, "cublasLtMatmulPreferenceSetAttribute") &&
           library_.load(lt_destroy_preference, "cublasLtMatmulPreferenceDestroy") &&
           library_.load(lt_find, "cublasLtMatmulAlgoGetHeuristic") &&
           library_.load(lt_multiply, "cublasLtMatmul");
}

std::string Library::absent_because() const {
    if (!library_.is_open()) return library_.absent_because() + "; SWIRL_CUBLAS can name its library";
    return is_complete_ ? "" : "the library lacks functions of cuBLAS";
}

std::string Library::version() const {
    std::array<int, 3> parts{}; // MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL of libraryPropertyType
    for (int which = 0; which < 3; ++which) get_property_(which, &parts[static_cast<std::size_t>(which)]);
    return fmt::format("cuBLAS {}.{}.{}", parts[0], parts[1], parts[2]);
}

void Library::check(Status status, const char* call) const {
    if (status == 0) return;
    const char* const name = status_name_ == nullptr ? nullptr : status_name_(status);
    throw UserError("{} gives error {}{}", call, status, name == nullptr ? "" : fmt::format(" ({})", name));
}

} // namespace swirl::peers::cublas
