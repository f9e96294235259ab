#pragma once

#include "peers/shared_library.hpp"
#include "runtime/cuda/abi.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

/// The part of cuBLAS's interface that is used here, with the numbers of its enumerations, from NVIDIA's manuals of
/// cuBLAS ("cublas_api.h", "cublasLt.h") and CUDA's table of data types. Functions return 0 or an error.
namespace swirl::peers::cublas {

using Handle = struct HandleOfCublas*;
using Status = int;

enum class Transposition : int { none = 0, transposed = 1 };
enum class Type : int { float32 = 0, float64 = 1, float16 = 2, bfloat16 = 14, e4m3 = 28 };
/// What is computed with.
enum class Compute : int {
    float32 = 68,
    tf32 = 77,
    bfloat16_nine_products = 78, ///< float32 from three bfloat16 of each number
    float64 = 70,
};
enum class MathMode : int { by_type = 0, tf32 = 3 };
enum class EmulationStrategy : int { eager = 2 }; ///< wherever it is possible
constexpr int default_algorithm = -1;

// of cublasLt
using LtHandle = struct HandleOfCublasLt*;
using LtOperation = struct OperationOfCublasLt*;
using LtLayout = struct LayoutOfCublasLt*;
using LtPreference = struct PreferenceOfCublasLt*;
struct LtAlgorithm {
    std::uint64_t data[8];
};
struct LtFound {
    LtAlgorithm algorithm;
    std::size_t workspace_bytes;
    Status status;
    float waves;
    int reserved[4];
};
enum class LtOperationAttribute : int { transposed_a = 3, transposed_b = 4, fast_accumulation = 25 };
enum class LtPreferenceAttribute : int { workspace_bytes_at_most = 1 };

/// One of cuBLAS's strided and batched products of one type.
template <class Real>
using BatchedProduct = Status (*)(Handle, Transposition, Transposition, int m, int n, int k,
                                  const Real* alpha, const void* a, int lda, long long stride_a,
                                  const void* b, int ldb, long long stride_b, const Real* beta, void* c,
                                  int ldc, long long stride_c, int batch);
/// Of one product of one type.
template <class Real>
using Product = Status (*)(Handle, Transposition, Transposition, int m, int n, int k, const Real* alpha,
                           const void* a, int lda, const void* b, int ldb, const Real* beta, void* c,
                           int ldc);

class Library {
public:
    /// Loaded when first asked for.
    static const Library& get();

    /// Empty where cuBLAS is there.
    std::string absent_because() const;
    std::string version() const; ///< "cuBLAS 13.1.0"
    bool has_lt() const { return has_lt_; }
    void check(Status status, const char* call) const; ///< UserError that names the call and the error

    Status (*create)(Handle*) = nullptr;
    Status (*destroy)(Handle) = nullptr;
    Status (*set_stream)(Handle, runtime::cuda::Stream) = nullptr;
    Status (*set_workspace)(Handle, void* workspace, std::size_t bytes) = nullptr;
    Status (*set_math_mode)(Handle, MathMode) = nullptr;
    Status (*set_emulation_strategy)(Handle, EmulationStrategy) = nullptr; ///< null before cuBLAS 13
    Product<float> sgemm = nullptr;
    Product<double> dgemm = nullptr;
    BatchedProduct<float> sgemm_batched = nullptr;
    Status (*gemm_ex)(Handle, Transposition, Transposition, int m, int n, int k, const void* alpha,
                      const void* a, Type, int lda, const void* b, Type, int ldb, const void* beta, void* c,
                      Type, int ldc, Compute, int algorithm) = nullptr;

    Status (*lt_create)(LtHandle*) = nullptr;
    Status (*lt_destroy)(LtHandle) = nullptr;
    Status (*lt_create_operation)(LtOperation*, Compute, Type of_factors) = nullptr;
    Status (*lt_set_operation)(LtOperation, LtOperationAttribute, const void* value,
                               std::size_t bytes) = nullptr;
    Status (*lt_destroy_operation)(LtOperation) = nullptr;
    Status (*lt_create_layout)(LtLayout*, Type, std::uint64_t rows, std::uint64_t columns,
                               std::int64_t leading) = nullptr;
    Status (*lt_destroy_layout)(LtLayout) = nullptr;
    Status (*lt_create_preference)(LtPreference*) = nullptr;
    Status (*lt_set_preference)(LtPreference, LtPreferenceAttribute, const void* value,
                                std::size_t bytes) = nullptr;
    Status (*lt_destroy_preference)(LtPreference) = nullptr;
    Status (*lt_find)(LtHandle, LtOperation, LtLayout a, LtLayout b, LtLayout c, LtLayout d, LtPreference,
                      int most, LtFound*, int* count) = nullptr;
    Status (*lt_multiply)(LtHandle, LtOperation, const void* alpha, const void* a, LtLayout, const void* b,
                          LtLayout, const void* beta, const void* c, LtLayout, void* d, LtLayout,
                          const LtAlgorithm*, void* workspace, std::size_t workspace_bytes,
                          runtime::cuda::Stream) = nullptr;

private:
    Library();
    bool load();
    bool load_lt();

    SharedLibrary library_;
    bool is_complete_ = false, has_lt_ = false;
    Status (*get_property_)(int which, int* value) = nullptr;
    const char* (*status_name_)(Status) = nullptr;
};

} // namespace swirl::peers::cublas
