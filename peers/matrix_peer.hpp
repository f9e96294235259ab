#pragma once

#include <swirl/matrix_product.hpp>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Other libraries' matrix products, to be measured and compared with in the same run. They are found at run time, or left
/// out with a reason.
namespace swirl::peers {

/// Of the level 3 of the BLAS: gemm C = A·B; symm the same for a symmetric A; syrk C = A·Aᵀ; trmm C = A·C and trsm
/// C = A⁻¹·C for a triangular A. Of symmetric and triangular matrices the lower triangle is looked at, or written.
enum class MatrixRoutine : std::uint8_t { gemm, symm, syrk, trmm, trsm };

/// A call as the BLAS has it, with α = 1 and β = 0: matrices are stored by columns, without gaps.
struct MatrixCall {
    MatrixRoutine routine = MatrixRoutine::gemm;
    DataType number = DataType::float64; ///< of C; int32 is of int8 numbers of A and B
    Integer rows = 0;                    ///< m, of C
    Integer columns = 0;                 ///< n, of C
    Integer depth = 0;                   ///< k: of gemm and syrk; of the others it is m
    bool from_bfloat16 = false;          ///< gemm of float32: the numbers of A and B are bfloat16
    bool transposed_a = false;           ///< gemm: the transpose of A is stored
    bool transposed_b = false;

    Integer leading_a() const { return transposed_a ? depth : rows; }
    Integer leading_b() const { return transposed_b ? columns : depth; }
    bool from_int8() const { return number == DataType::int32; }
    bool widens() const { return from_bfloat16 || from_int8(); }
    Integer operand_bytes() const { ///< of a number of A or B
        return from_int8() ? 1 : from_bfloat16 ? 2 : bytes_of(number);
    }
    bool has_b() const { return routine == MatrixRoutine::gemm || routine == MatrixRoutine::symm; }
    bool is_in_place() const { return routine == MatrixRoutine::trmm || routine == MatrixRoutine::trsm; }
    bool operator==(const MatrixCall&) const = default;
};

/// "dgemm 256", "dgemm 1000x1000x16", "sgemm 1000 tn", "dtrsm 1000", "bf16gemm 256", "s8gemm 256"
std::string to_text(const MatrixCall& call);
/// "dgemm", "bf16gemm"
std::string routine_name(const MatrixCall& call);
/// Operations on real numbers, as the LAPACK counts them.
double flops(const MatrixCall& call);
/// Of a number, which letter routines' names begin with.
char letter(DataType number);

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
