#pragma once

#include <swirl/matrix_product.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Other libraries' matrix products, to be measured and compared with in the same run. They are found at run time, or left
/// out with a reason.
namespace swirl::peers {

/// GEMM as the BLAS has it, with α = 1 and β = 0: matrices are stored by columns, without gaps.
struct MatrixCall {
    DataType data_type = DataType::float64; ///< of C; int32: of int8 A and B
    Integer rows = 0;                       ///< m
    Integer columns = 0;                    ///< n
    Integer k = 0;
    bool from_bfloat16 = false; ///< C is float32, A and B are bfloat16
    bool transposed_a = false;  ///< the transpose of A is stored
    bool transposed_b = false;

    Integer leading_a() const { return transposed_a ? k : rows; }
    Integer leading_b() const { return transposed_b ? columns : k; }
    bool from_int8() const { return data_type == DataType::int32; }
    bool widens() const { return from_bfloat16 || from_int8(); }
    bool operator==(const MatrixCall&) const = default;
};

/// The call that computes a product; none for other layouts, batches and epilogues.
std::optional<MatrixCall> call_of(const MatrixProduct& product);

/// "dgemm", "bf16gemm", "s8gemm"
std::string routine_name(const MatrixCall& call);
/// "dgemm 256", "dgemm 1000x1000x16", "sgemm 1000 tn"
std::string to_text(const MatrixCall& call);
/// The first letter of a routine of these numbers.
char letter(DataType data_type);

struct MatrixOperands {
    const void* a;
    const void* b; ///< null where there is none
    void* c;
};

/// So many executions, one set of operands after the other and from the first again.
using MatrixRun = std::function<void(std::span<const MatrixOperands> sets, Integer repetitions)>;

/// A function of one set of operands as such a run.
template <class Call> MatrixRun repeated(Call call) {
    return [call](std::span<const MatrixOperands> sets, Integer repetitions) {
        std::size_t next = 0;
        for (Integer i = 0; i < repetitions; ++i) {
            call(sets[next]);
            if (++next == sets.size()) next = 0;
        }
    };
}

struct MatrixPlan {
    MatrixRun run = {}; ///< empty where there is none
    std::string absent_because = {};
    std::string made_by = {}; ///< library, version, its kernels
};

struct MatrixPeer {
    std::string_view name;  ///< in options: "openblas"
    std::string_view title; ///< for people: "OpenBLAS"
    /// The first call decides of a library how many threads it has.
    MatrixPlan (*plan)(const MatrixCall& call, int threads);
};

/// OpenBLAS as it chooses its kernels; and with those for AVX-512, on CPUs that it does not choose them for.
extern const MatrixPeer openblas, openblas_avx512;
/// BLIS, its kernels chosen by what the CPU can do where nobody says BLIS_ARCH_TYPE.
extern const MatrixPeer blis;
/// AMD's version of BLIS, as it chooses its kernels.
extern const MatrixPeer aocl_blas;
/// Intel's oneMKL: its BLAS, and kernels that it makes for one shape each.
extern const MatrixPeer mkl_blas, mkl_jit;
/// oneDNN's dnnl_sgemm and dnnl_gemm_bf16bf16f32.
extern const MatrixPeer onednn;
/// Its matmul, of bfloat16: of A as it is stored, and of an A packed before (peers/onednn/).
extern const MatrixPeer onednn_matmul, onednn_packed;
/// LIBXSMM's kernels, each for one shape.
extern const MatrixPeer libxsmm;
/// swirl's own library of the BLAS, SWIRL_BLAS or beside the program: what its entry points cost.
extern const MatrixPeer swirl_blas;

/// All of them.
std::span<const MatrixPeer* const> all_matrix_peers();

/// The peers of a list such as "openblas,mkl", or none for "none". Throws UserError naming the option.
std::vector<const MatrixPeer*> parse_matrix_peers(const std::string& option, const std::string& list);

} // namespace swirl::peers
