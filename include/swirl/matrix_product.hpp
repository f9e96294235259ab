/// Products of matrices: which one to compute, on data laid out how, and computing it.
///
///     // C = A·B, column-major, 100 × 80 of depth 60
///     const auto plan = swirl::plan(swirl::MatrixProduct::column_major(swirl::Number::float64, 100, 80, 60));
///     plan.execute(1.0, a, b, 0.0, c);
#pragma once

#include <swirl/export.h>
#include <swirl/effort.hpp>
#include <swirl/error.hpp>
#include <swirl/expression.hpp>
#include <swirl/kinds.hpp>
#include <swirl/number.hpp>
#include <swirl/problem.hpp>
#include <swirl/reduction.hpp>

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

/// Where a matrix lies: element (i, j) is i·row_stride + j·column_stride elements behind element (0, 0). Strides may be
/// negative; a transposed matrix is the same memory with its strides exchanged.
struct MatrixLayout {
    Integer row_stride = 1;
    Integer column_stride = 1;
    bool conjugated = false;  ///< the matrix holds the conjugates of what lies in memory; of A and B
    Integer batch_stride = 0; ///< elements from one matrix of a batch to the next
    bool operator==(const MatrixLayout&) const = default;
};

/// C = α·A·B + β·C, for A of rows × depth, B of depth × columns. α and β, numbers of the same kind as sums, are given
/// at each execution. Where β is zero C is not read; where α or the depth is zero, neither are A and B.
struct SWIRL_API MatrixProduct {
    Number number = Number::float64; ///< of sums; of A, B and C, too, where nothing else is said
    Integer rows = 0;                ///< m of the BLAS
    Integer columns = 0;             ///< n
    Integer depth = 0;               ///< k
    MatrixLayout a = {};
    MatrixLayout b = {};
    MatrixLayout c = {};
    Integer batch = 1; ///< so many products
    /// What becomes of each element x = α·A·B + β·C of the result: an expression of x, of i, its row, j, its column, b, the
    /// number of its matrix in the batch, and of arrays that are given to the plan, such as
    ///     x + bias[i] < 0 ? 0 : x + bias[i]
    /// C is read where β is not zero, as it was before.
    Expression epilogue = {};
    std::vector<Reduction> reductions =
        {}; ///< of what C's elements have become, at most most_reductions; they have different names
    std::optional<Number> a_number = {};
    std::optional<Number> b_number = {};
    /// What C's elements are in memory, where these are not the sums: bfloat16, float16, int8, uint8 or normalised ones of float32 sums;
    /// halves, bytes or float32 of int32 sums, which then are float32 numbers before anything else is done to them: exact up to 2^24, else
    /// rounded. Rounded to the nearest, ties to even; bytes and normalised ones keep to their range, NaN becomes 0. β has to be 0: C is not read.
    std::optional<Number> c_number = {};
    /// The matrices of a batch lie where lists of pointers say, in the memory of a GPU: batch strides have no meaning, and plans are
    /// executed by gpu::MatrixPlan::execute_each. Plans for CPUs take lists of any product.
    bool listed = false;
    int list_alignment = 0; ///< bytes that these pointers are multiples of, a power of two; 0: of an element

    bool operator==(const MatrixProduct&) const = default;

    Number number_of_a() const { return a_number.value_or(number); }
    Number number_of_b() const { return b_number.value_or(number); }
    Number number_of_c() const { return c_number.value_or(number); }
    /// Whether C's elements are of another kind than sums.
    bool converts() const { return number_of_c() != number; }
    /// Whether sums are of another kind than what is multiplied.
    bool widens() const { return number_of_a() != number || number_of_b() != number; }

    /// Contiguous matrices, columns one behind the other.
    static MatrixProduct column_major(Number number, Integer rows, Integer columns, Integer depth) {
        return {number, rows, columns, depth, {1, rows}, {1, depth}, {1, rows}, 1};
    }
    /// Contiguous matrices, rows one behind the other.
    static MatrixProduct row_major(Number number, Integer rows, Integer columns, Integer depth) {
        return {number, rows, columns, depth, {depth, 1}, {columns, 1}, {columns, 1}, 1};
    }
};

/// Throws UserError, naming the argument, its value and what would work, unless the product can be computed as stated:
/// - no extent and no batch count is negative
/// - sizes and the extreme addresses, in bytes, fit in 64 bits
/// - no two elements of C share a place (elements of A and B may)
/// - the numbers of A, B and C are of one kind, or a combination that Number lists; C's are sums or what c_number says
/// - conjugated are A and B only, and only of complex numbers
/// - list_alignment is 0 but for lists
/// - the epilogue's indices are i, j and b, its arrays of the product's precision; it has no 'where'
/// - the same holds of what is reduced, which is real; reductions have names of their own
SWIRL_API void validate(const MatrixProduct& product);

constexpr std::size_t most_reductions = 8;

/// The arrays that the epilogue and reductions read.
SWIRL_API std::vector<ProblemArray> arrays_of(const MatrixProduct& product);
/// Those that reductions write, in their order.
SWIRL_API std::vector<ProblemArray> results_of(const MatrixProduct& product);

namespace detail {

/// What is special about a factor.
enum class Factor : std::uint8_t { zero, one, other };
template <class T> constexpr Factor factor_kind(const T& value) {
    return value == T(0) ? Factor::zero : value == T(1) ? Factor::one : Factor::other;
}

} // namespace detail

/// How far results may be from the exact ones. Products of float32 may be computed from bfloat16 slices of their numbers, where
/// the CPU multiplies these faster; all others are ordinary. Errors are relative to |α|·|A|·|B| + |β·C|.
enum class Accuracy : std::uint8_t {
    ordinary, ///< no worse than sums of multiply-adds in C's numbers
    /// The same where all numbers of A and B are 0 or of magnitudes from 2⁻¹⁰³ to 2¹²⁷, and sums of their products' magnitudes less than
    /// 2¹²⁶: of smaller ones digits may be lost, and of larger or infinite ones infinities and NaN may come. For GPUs, whose tensor
    /// cores then multiply three bfloat16 terms of each number without looking whether that is so; of the following, too, what
    /// is computed from terms there is right in this range. Products on CPUs are ordinary.
    ordinary_in_range,
    reduced,     ///< about 2⁻¹⁷ of float32
    eleven_bits, ///< about 2⁻¹⁰: as if A and B were rounded to 11 significant bits, which is known as tf32
    low,         ///< about 2⁻⁸: as if A and B were rounded to bfloat16
};

struct MatrixPlanOptions {
    int threads = 1; ///< at most so many work on one execution; 0: as many as there are processors to run on
    Accuracy accuracy = Accuracy::ordinary; ///< that results must have
    /// Effort::measure searches for the blocks, tiles and prefetches with which this machine multiplies such numbers fastest,
    /// unless wisdom knows them, and wisdom keeps them; so does Effort::exhaustive. All products by blocks of a process are
    /// computed in one way: with what is found where none has been planned or computed before, else from the next process
    /// on. Products that have one kernel of their own are computed as tables about the machine say.
    Effort effort = Effort::estimate;
    std::optional<double> time_budget_seconds = {}; ///< for the search, roughly; 10 where nothing is said
    std::function<void(const std::string&)> progress = {}; ///< gets a line now and then while searching
};

template <MatrixNumber T> struct MatrixGroup;
template <MatrixNumber T> void execute_groups(std::span<const MatrixGroup<T>> groups, int threads = 1);

/// An operand in the order in which executions read it: immutable, cheap to copy (copies share it), used by any number of plans
/// and threads at once. The matrix that it was made from is needed no more.
class SWIRL_API PackedMatrix {
public:
    std::size_t bytes() const; ///< of memory

private:
    friend class MatrixPlan;
    explicit PackedMatrix(std::shared_ptr<const planning::PackedMatrix> matrix)
        : matrix_(std::move(matrix)) {}
    std::shared_ptr<const planning::PackedMatrix> matrix_; ///< never empty
};

/// A product ready to run: immutable, cheap to copy (copies share it), used by any number of threads at once.
///
/// The same plan gives the same bits for the same data, whatever the number of threads. Each execute() throws UserError before
/// anything is written if an array is null or misaligned, is of other numbers than the problem's, or if C overlaps A or B.
class SWIRL_API MatrixPlan {
public:
    /// Pointers are to the elements (0, 0), of the first matrices of a batch.
    template <MatrixNumber T>
    void execute(const SumOf<T>& alpha, const T* a, const T* b, const SumOf<T>& beta, T* c) const {
        execute<T, T, T>(alpha, a, b, beta, c);
    }
    /// Of A and B whose numbers are narrower than sums, or C's others; α and β are sums.
    template <MatrixNumber A, MatrixNumber B, MatrixNumber C>
    void execute(const SumOf<A>& alpha, const A* a, const B* b, const SumOf<A>& beta, C* c) const {
        run({number_of<A>(), number_of<B>(), number_of<C>()}, {&alpha, a, b, &beta, c},
            detail::factor_kind(alpha), detail::factor_kind(beta));
    }

    /// The same product of matrices of three lists of so many pointers; threads share them. Nothing is written where one of the
    /// executions would throw. No C overlaps matrices of another product: this is not looked at.
    template <MatrixNumber T>
    void execute_each(const std::type_identity_t<T>& alpha, const T* const* a, const T* const* b,
                      const std::type_identity_t<T>& beta, T* const* c, Integer count) const;

    /// Operands that many executions have in common, packed once: A, or B, of all matrices of a batch. They serve all plans of
    /// as many rows (A) or columns (B), steps and matrices whose products are computed in the same way, such as those with other
    /// strides of the operands or another epilogue, and mostly those of another extent of the other operand; an execution
    /// that cannot use one throws UserError. The bits of results are the same.
    template <MatrixNumber T> PackedMatrix pack_a(const T* a) const {
        return packed(number_of<T>(), true, a);
    }
    template <MatrixNumber T> PackedMatrix pack_b(const T* b) const {
        return packed(number_of<T>(), false, b);
    }
    template <MatrixNumber T>
    void execute(const std::type_identity_t<T>& alpha, const PackedMatrix& a, const T* b,
                 const std::type_identity_t<T>& beta, T* c) const {
        run_packed(number_of<T>(), {&alpha, nullptr, b, &beta, c}, &a, nullptr);
    }
    template <MatrixNumber T>
    void execute(const std::type_identity_t<T>& alpha, const T* a, const PackedMatrix& b,
                 const std::type_identity_t<T>& beta, T* c) const {
        run_packed(number_of<T>(), {&alpha, a, nullptr, &beta, c}, nullptr, &b);
    }
    template <MatrixNumber T>
    void execute(const std::type_identity_t<T>& alpha, const PackedMatrix& a, const PackedMatrix& b,
                 const std::type_identity_t<T>& beta, T* c) const {
        run_packed(number_of<T>(), {&alpha, nullptr, nullptr, &beta, c}, &a, &b);
    }

    /// The same plan with the place of one of the arrays that the epilogue names, of contiguous numbers, row-major over the
    /// indices that it is written with, apart from C. All of them have to be given before an execution. UserError where the
    /// epilogue names no such array, or one of other numbers, and for null.
    template <MatrixNumber T> MatrixPlan with(std::string_view name, const T* array) const {
        return with_array(name, number_of<T>(), array, false);
    }
    /// Also of an array that a reduction writes, which lies apart from all others and from A, B and C.
    template <MatrixNumber T> MatrixPlan with(std::string_view name, T* array) const {
        return with_array(name, number_of<T>(), array, true);
    }

    const MatrixProduct& product() const;
    std::string description() const; ///< how it is computed, in a line
    int threads() const;
    Accuracy accuracy() const; ///< that results have: at least what was asked for
    double flops() const;      ///< real additions and multiplications of one execution

    MatrixPlan(const MatrixPlan&) = default;
    MatrixPlan& operator=(const MatrixPlan&) = default;
    ~MatrixPlan() = default;

private:
    template <MatrixNumber T> friend void execute_groups(std::span<const MatrixGroup<T>> groups, int threads);
    friend SWIRL_API MatrixPlan plan(const MatrixProduct& product, const MatrixPlanOptions& options);
    explicit MatrixPlan(std::shared_ptr<const planning::MatrixPlan> plan);
    struct Pointers {
        const void* alpha;
        const void* a;
        const void* b;
        const void* beta;
        void* c;
    };
    struct Numbers {
        Number a, b, c;
    };
    void run(const Numbers& numbers, const Pointers& pointers, detail::Factor alpha,
             detail::Factor beta) const;
    void run_packed(Number number, const Pointers& pointers, const PackedMatrix* a,
                    const PackedMatrix* b) const;
    PackedMatrix packed(Number number, bool is_a, const void* data) const;
    void check_numbers(const Numbers& numbers) const;
    int threads_asked_for() const;
    /// One of some groups, its lists of pointers without types.
    struct AnyGroup {
        const MatrixPlan* plan;
        Number number;
        Pointers factors; ///< α and β
        const void* const* a;
        const void* const* b;
        void* const* c;
        Integer count;
    };
    static void run_groups(std::span<const AnyGroup> groups, int threads);
    MatrixPlan with_array(std::string_view name, Number number, const void* array, bool is_writable) const;

    std::shared_ptr<const planning::MatrixPlan> plan_; ///< never empty
    std::shared_ptr<const std::vector<const void*>>
        arrays_; ///< in the order of arrays_of, then of results_of; empty until one is given
};

/// Executions of a plan on matrices of lists.
template <MatrixNumber T> struct MatrixGroup {
    MatrixPlan plan;
    T alpha;
    const T* const* a;
    const T* const* b;
    T beta;
    T* const* c;
    Integer count;
};

/// Products of several shapes in one call, shared by at most so many threads (0: as many as there are processors), each group as
/// by execute_each.
template <MatrixNumber T> void execute_groups(std::span<const MatrixGroup<T>> groups, int threads) {
    std::vector<MatrixPlan::AnyGroup> any;
    for (const MatrixGroup<T>& group : groups)
        any.push_back({&group.plan,
                       number_of<T>(),
                       {&group.alpha, nullptr, nullptr, &group.beta, nullptr},
                       reinterpret_cast<const void* const*>(group.a),
                       reinterpret_cast<const void* const*>(group.b),
                       reinterpret_cast<void* const*>(group.c),
                       group.count});
    MatrixPlan::run_groups(any, threads);
}
template <MatrixNumber T>
void MatrixPlan::execute_each(const std::type_identity_t<T>& alpha, const T* const* a, const T* const* b,
                              const std::type_identity_t<T>& beta, T* const* c, Integer count) const {
    const MatrixGroup<T> group{*this, alpha, a, b, beta, c, count};
    execute_groups<T>({&group, 1}, threads_asked_for());
}

/// Chooses how to compute a product and makes its kernels. Throws UserError for one that cannot be computed.
SWIRL_API MatrixPlan plan(const MatrixProduct& product, const MatrixPlanOptions& options = {});

} // namespace swirl
