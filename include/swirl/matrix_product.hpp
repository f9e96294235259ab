/// Matrix multiplication (GEMM): problem, data layout, plans.
///
///     // C = A·B, column-major: m = 100, n = 80, k = 60
///     const auto plan = swirl::plan(swirl::MatrixProduct::column_major(swirl::DataType::float64, 100, 80, 60));
///     plan.execute(1.0, a, b, 0.0, c);
#pragma once

#include <swirl/export.h>
#include <swirl/data_type.hpp>
#include <swirl/effort.hpp>
#include <swirl/element.hpp>
#include <swirl/error.hpp>
#include <swirl/expression.hpp>
#include <swirl/kinds.hpp>
#include <swirl/reduction.hpp>
#include <swirl/transform.hpp>

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace swirl {

namespace planning {
class MatrixPlan;
class PackedMatrix;
} // namespace planning

/// Layout of a matrix: element (i, j) is at offset i·row_stride + j·column_stride elements from element (0, 0). Strides
/// may be negative. A transposed matrix is the same memory with exchanged strides.
struct MatrixLayout {
    Integer row_stride = 1;
    Integer column_stride = 1;
    bool conjugated = false;  ///< memory holds the conjugate of the matrix; A and B only
    Integer batch_stride = 0; ///< in elements, between consecutive matrices of a batch
    bool operator==(const MatrixLayout&) const = default;
};

/// C = α·A·B + β·C for A of rows × k and B of k × columns (m × k and k × n in BLAS). α and β, of the accumulators' data
/// type, are given at each execution. If β is zero, C is not read; if α or k is zero, A and B are not read.
struct SWIRL_API MatrixProduct {
    DataType data_type = DataType::float64; ///< of the accumulators; default for A, B and C
    Integer rows = 0;                       ///< BLAS: m
    Integer columns = 0;                    ///< BLAS: n
    Integer k = 0;                          ///< BLAS: k
    MatrixLayout a = {};
    MatrixLayout b = {};
    MatrixLayout c = {};
    Integer batch = 1; ///< number of matrices
    /// Maps each element x = α·A·B + β·C of the result. An expression in x, row i, column j, matrix b of the batch, and
    /// arrays bound to the plan, such as
    ///     x + bias[i] < 0 ? 0 : x + bias[i]
    /// If β is not zero, x uses C as it was before the execution.
    Expression epilogue = {};
    std::vector<Reduction> reductions =
        {}; ///< over the elements of C after the epilogue; at most most_reductions, with distinct names
    std::optional<DataType> a_type = {};
    std::optional<DataType> b_type = {};
    /// Data type of C in memory, if it differs from the accumulators'. float32 accumulators: bfloat16, float16, int8,
    /// uint8 or a normalised type. int32 accumulators: half precision, 8-bit integers or float32; they are first
    /// converted to float32, exact up to 2^24 and rounded beyond. Rounds to nearest, ties to even; integers and
    /// normalised types saturate, NaN becomes 0. β must be 0: C is not read.
    std::optional<DataType> c_type = {};
    /// Pointer-array batch on a GPU: batch strides are ignored, and gpu::MatrixPlan::execute_each executes the plan.
    /// CPU plans take pointer arrays for any problem.
    bool listed = false;
    int list_alignment = 0; ///< alignment of these pointers in bytes, a power of two; 0: that of an element

    bool operator==(const MatrixProduct&) const = default;

    DataType type_of_a() const { return a_type.value_or(data_type); }
    DataType type_of_b() const { return b_type.value_or(data_type); }
    DataType type_of_c() const { return c_type.value_or(data_type); }
    /// Whether C's data type differs from the accumulators'.
    bool converts() const { return type_of_c() != data_type; }
    /// Whether the accumulators' data type differs from that of A or B.
    bool widens() const { return type_of_a() != data_type || type_of_b() != data_type; }

    /// Contiguous matrices stored by columns.
    static MatrixProduct column_major(DataType data_type, Integer rows, Integer columns, Integer k) {
        return {data_type, rows, columns, k, {1, rows}, {1, k}, {1, rows}, 1};
    }
    /// Contiguous matrices stored by rows.
    static MatrixProduct row_major(DataType data_type, Integer rows, Integer columns, Integer k) {
        return {data_type, rows, columns, k, {k, 1}, {columns, 1}, {columns, 1}, 1};
    }
};

/// Throws UserError, naming the argument, its value and what would work, unless the product can be computed as stated:
/// - no extent and no batch count is negative
/// - sizes and extreme addresses, in bytes, fit in 64 bits
/// - no two elements of C share an address (elements of A and B may)
/// - A, B and C have the same data type, or a combination that DataType lists; C has the accumulators' type or c_type
/// - only A and B are conjugated, and only if complex
/// - list_alignment is 0 unless the batch is a pointer array
/// - the epilogue's indices are i, j and b; its arrays have the product's precision; it has no 'where'
/// - the same holds for the expressions of reductions, which are real; reductions have distinct names
SWIRL_API void validate(const MatrixProduct& product);

constexpr std::size_t most_reductions = 8;

/// The arrays that the epilogue and the reductions read.
SWIRL_API std::vector<AuxiliaryArray> arrays_of(const MatrixProduct& product);
/// The arrays that the reductions write, in the order of the reductions.
SWIRL_API std::vector<AuxiliaryArray> results_of(const MatrixProduct& product);

namespace detail {

/// Special values of α and β.
enum class ScalarKind : std::uint8_t { zero, one, other };
template <class T> constexpr ScalarKind scalar_kind(const T& value) {
    return value == T(0) ? ScalarKind::zero : value == T(1) ? ScalarKind::one : ScalarKind::other;
}

} // namespace detail

/// Required accuracy of results. float32 products may be computed from bf16 splits of their operands on CPUs that
/// multiply bfloat16 faster; all other products are ordinary. Errors are relative to |α|·|A|·|B| + |β·C|.
enum class Accuracy : std::uint8_t {
    ordinary, ///< no worse than multiply-adds in C's data type
    /// As ordinary if all elements of A and B are 0 or have magnitudes from 2⁻¹⁰³ to 2¹²⁷, and the sums of magnitudes
    /// of their products stay below 2¹²⁶. Smaller elements may lose digits; larger or infinite ones may give infinities
    /// and NaN. For GPUs, whose tensor cores then multiply a bf16x3 split without checking the range. The same range
    /// holds for the levels below where they use a bf16 split on a GPU. On CPUs the same as ordinary.
    ordinary_in_range,
    reduced,     ///< about 2⁻¹⁷ in float32
    eleven_bits, ///< about 2⁻¹⁰: as if A and B were rounded to 11 significant bits (TF32)
    low,         ///< about 2⁻⁸: as if A and B were rounded to bfloat16
};

struct MatrixPlanOptions {
    int threads = 1; ///< maximum number of threads per execution; 0: one per available processor
    Accuracy accuracy = Accuracy::ordinary; ///< required accuracy
    /// Effort::measure and Effort::exhaustive search for the fastest block sizes, tiles and prefetch distances for the
    /// data type, unless wisdom has them, and store them as wisdom. All blocked products of a process use one
    /// configuration: the search result applies if no such product has been planned or computed before, else from the
    /// next process on. Products with a specialised kernel are computed as tables of host properties say.
    Effort effort = Effort::estimate;
    std::optional<double> time_budget_seconds = {};        ///< approximate, for the search; default 10
    std::function<void(const std::string&)> progress = {}; ///< receives a line of text now and then
};

template <MatrixElement T> struct MatrixGroup;
template <MatrixElement T> void execute_groups(std::span<const MatrixGroup<T>> groups, int threads = 1);

/// A prepacked operand: immutable, cheap to copy (copies share state), safe to use from any number of plans and threads
/// at once. The source matrix is no longer needed.
class SWIRL_API PackedMatrix {
public:
    std::size_t bytes() const; ///< memory used

private:
    friend class MatrixPlan;
    explicit PackedMatrix(std::shared_ptr<const planning::PackedMatrix> matrix)
        : matrix_(std::move(matrix)) {}
    std::shared_ptr<const planning::PackedMatrix> matrix_; ///< never empty
};

/// A matrix multiplication ready to run: immutable, cheap to copy (copies share state), safe to use from any number of
/// threads at once.
///
/// A plan gives the same bits for the same data, for any number of threads. Each execute() throws UserError, before
/// writing anything, if an array is null, misaligned or of another data type than the problem's, or if C overlaps A or
/// B.
class SWIRL_API MatrixPlan {
public:
    /// Pointers point to element (0, 0) of the first matrix of a batch.
    template <MatrixElement T>
    void execute(const AccumulatorOf<T>& alpha, const T* a, const T* b, const AccumulatorOf<T>& beta,
                 T* c) const {
        execute<T, T, T>(alpha, a, b, beta, c);
    }
    /// A and B narrower than the accumulators, or C of another type; α and β have the accumulators' type.
    template <MatrixElement A, MatrixElement B, MatrixElement C>
    void execute(const AccumulatorOf<A>& alpha, const A* a, const B* b, const AccumulatorOf<A>& beta,
                 C* c) const {
        run({data_type_of<A>(), data_type_of<B>(), data_type_of<C>()}, {&alpha, a, b, &beta, c},
            detail::scalar_kind(alpha), detail::scalar_kind(beta));
    }

    /// The same product for `count` matrices given by three arrays of pointers; threads share the work. Writes nothing
    /// if any of the executions would throw. No C may overlap matrices of another product: this is not checked.
    template <MatrixElement T>
    void execute_each(const std::type_identity_t<T>& alpha, const T* const* a, const T* const* b,
                      const std::type_identity_t<T>& beta, T* const* c, Integer count) const;

    /// Prepacks A, or B, of all matrices of a batch, for use in many executions. A packed operand fits every plan with
    /// the same rows (A) or columns (B), k and batch that computes products in the same way: such as plans with other
    /// operand strides or another epilogue, and usually another extent of the other operand. An execution throws
    /// UserError if it cannot use one. Results are bitwise the same.
    template <MatrixElement T> PackedMatrix pack_a(const T* a) const {
        return packed(data_type_of<T>(), true, a);
    }
    template <MatrixElement T> PackedMatrix pack_b(const T* b) const {
        return packed(data_type_of<T>(), false, b);
    }
    template <MatrixElement T>
    void execute(const std::type_identity_t<T>& alpha, const PackedMatrix& a, const T* b,
                 const std::type_identity_t<T>& beta, T* c) const {
        run_packed(data_type_of<T>(), {&alpha, nullptr, b, &beta, c}, &a, nullptr);
    }
    template <MatrixElement T>
    void execute(const std::type_identity_t<T>& alpha, const T* a, const PackedMatrix& b,
                 const std::type_identity_t<T>& beta, T* c) const {
        run_packed(data_type_of<T>(), {&alpha, a, nullptr, &beta, c}, nullptr, &b);
    }
    template <MatrixElement T>
    void execute(const std::type_identity_t<T>& alpha, const PackedMatrix& a, const PackedMatrix& b,
                 const std::type_identity_t<T>& beta, T* c) const {
        run_packed(data_type_of<T>(), {&alpha, nullptr, nullptr, &beta, c}, &a, &b);
    }

    /// Returns the same plan with one of the epilogue's arrays bound by name: contiguous, row-major over its indices in
    /// the expression, disjoint from C. All arrays must be bound before an execution. Throws UserError if the epilogue
    /// names no such array, if its data type differs, or if the pointer is null.
    template <MatrixElement T> MatrixPlan with(std::string_view name, const T* array) const {
        return with_array(name, data_type_of<T>(), array, false);
    }
    /// Also binds an array that a reduction writes, disjoint from all others and from A, B and C.
    template <MatrixElement T> MatrixPlan with(std::string_view name, T* array) const {
        return with_array(name, data_type_of<T>(), array, true);
    }

    const MatrixProduct& product() const;
    std::string description() const; ///< the algorithm, in one line
    int threads() const;
    Accuracy accuracy() const; ///< of results: at least the required one
    double flops() const;      ///< real additions and multiplications of one execution

    MatrixPlan(const MatrixPlan&) = default;
    MatrixPlan& operator=(const MatrixPlan&) = default;
    ~MatrixPlan() = default;

private:
    template <MatrixElement T>
    friend void execute_groups(std::span<const MatrixGroup<T>> groups, int threads);
    friend SWIRL_API MatrixPlan plan(const MatrixProduct& product, const MatrixPlanOptions& options);
    explicit MatrixPlan(std::shared_ptr<const planning::MatrixPlan> plan);
    struct Pointers {
        const void* alpha;
        const void* a;
        const void* b;
        const void* beta;
        void* c;
    };
    struct DataTypes {
        DataType a, b, c;
    };
    void run(const DataTypes& types, const Pointers& pointers, detail::ScalarKind alpha,
             detail::ScalarKind beta) const;
    void run_packed(DataType data_type, const Pointers& pointers, const PackedMatrix* a,
                    const PackedMatrix* b) const;
    PackedMatrix packed(DataType data_type, bool is_a, const void* data) const;
    void check_data_types(const DataTypes& types) const;
    int threads_asked_for() const;
    /// Type-erased MatrixGroup.
    struct AnyGroup {
        const MatrixPlan* plan;
        DataType data_type;
        Pointers scalars; ///< α and β
        const void* const* a;
        const void* const* b;
        void* const* c;
        Integer count;
    };
    static void run_groups(std::span<const AnyGroup> groups, int threads);
    MatrixPlan with_array(std::string_view name, DataType data_type, const void* array,
                          bool is_writable) const;

    std::shared_ptr<const planning::MatrixPlan> plan_; ///< never empty
    std::shared_ptr<const std::vector<const void*>>
        arrays_; ///< in the order of arrays_of, then results_of; empty until with() binds an array
};

/// A pointer-array batch of one plan.
template <MatrixElement T> struct MatrixGroup {
    MatrixPlan plan;
    T alpha;
    const T* const* a;
    const T* const* b;
    T beta;
    T* const* c;
    Integer count;
};

/// Executes groups of different shapes in one call, shared by at most `threads` threads (0: one per available
/// processor), each group as execute_each does.
template <MatrixElement T> void execute_groups(std::span<const MatrixGroup<T>> groups, int threads) {
    std::vector<MatrixPlan::AnyGroup> any;
    for (const MatrixGroup<T>& group : groups)
        any.push_back({&group.plan,
                       data_type_of<T>(),
                       {&group.alpha, nullptr, nullptr, &group.beta, nullptr},
                       reinterpret_cast<const void* const*>(group.a),
                       reinterpret_cast<const void* const*>(group.b),
                       reinterpret_cast<void* const*>(group.c),
                       group.count});
    MatrixPlan::run_groups(any, threads);
}
template <MatrixElement T>
void MatrixPlan::execute_each(const std::type_identity_t<T>& alpha, const T* const* a, const T* const* b,
                              const std::type_identity_t<T>& beta, T* const* c, Integer count) const {
    const MatrixGroup<T> group{*this, alpha, a, b, beta, c, count};
    execute_groups<T>({&group, 1}, threads_asked_for());
}

/// Chooses an algorithm for a product and compiles its kernels. Throws UserError if the product cannot be computed.
SWIRL_API MatrixPlan plan(const MatrixProduct& product, const MatrixPlanOptions& options = {});

} // namespace swirl
