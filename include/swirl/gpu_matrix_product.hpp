/// Matrix multiplication (GEMM) on NVIDIA GPUs.
///
///     // C = A·B in float32, column-major: m = n = 4096, k = 1024
///     swirl::gpu::Array<float> a(4096 * 1024), b(1024 * 4096), c(4096 * 4096);
///     const auto product = swirl::MatrixProduct::column_major(swirl::DataType::float32, 4096, 4096, 1024);
///     const auto plan = swirl::gpu::plan(product);
///     plan.execute(1, a.data(), b.data(), 0, c.data());
#pragma once

#include <swirl/export.h>
#include <swirl/gpu.hpp>
#include <swirl/matrix_product.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace swirl {

namespace planning {
class GpuMatrixPlan;
}

namespace gpu {

template <MatrixElement T> struct MatrixGroup;
template <MatrixElement T> void execute_groups(std::span<const MatrixGroup<T>> groups, Stream stream = {});

struct MatrixPlanOptions {
    int device = 0; ///< CUDA device ordinal
    /// Effort::measure searches for the fastest schedule, unless wisdom has one, and stores the result as wisdom.
    /// Effort::exhaustive starts from more of the model's schedules and ends when no change of one parameter is faster.
    Effort effort = Effort::estimate;
    Accuracy accuracy = Accuracy::ordinary; ///< required accuracy, for float32
    /// Allow reordered SASS main loops for float32, where they are proved to compute the same bits (decision 027).
    /// Needs compute capability 9.0. The proof assumes instruction behaviour that was found by experiment, because
    /// NVIDIA does not document it. Wisdom stores such results separately.
    bool reorder_sass = false;
    /// Approximate time limit of the search in seconds. Default: 5; for Effort::exhaustive no limit.
    std::optional<double> time_budget_seconds = {};
    bool use_wisdom = true; ///< use results of earlier searches on the same GPU model
    /// Run the plan once on random matrices and compare some elements before returning it. Kernels from the cache that
    /// were verified before are not verified again.
    bool check = true;
    bool use_cache = true; ///< load machine code compiled by an earlier process, and store it for later ones
    std::string schedule = {}; ///< every choice, in the format of MatrixPlan::schedule(); empty: choose one
    std::function<void(const std::string&)> progress = {}; ///< receives a line of text now and then
};

/// A matrix multiplication on a GPU, ready to run: immutable, cheap to copy (copies share state), safe to use from any
/// number of threads and streams at once. The plan must outlive the work it has enqueued and the CUDA graphs that
/// captured it.
///
/// execute() enqueues the multiplication and returns without waiting, so a CUDA graph can capture it. Matrices are
/// device memory of the plan's GPU or managed memory. Pointers point to element (0, 0) of the first matrix of a batch.
/// α and β are in host memory. If β is zero, C is not read; if α or K is zero, A and B are not read and may be null.
/// Each execute() throws UserError, before enqueueing anything, if a data type differs from the problem's, if a pointer
/// is null, misaligned, or points to host memory or memory of another GPU, and if C overlaps A, B or an auxiliary
/// array. Without a workspace, memory is allocated and freed in stream order. A workspace given by the caller is device
/// memory, 256-byte aligned, and used by one execution at a time. The first execution with matrices aligned to less
/// than 16 bytes compiles a kernel for them.
class SWIRL_API MatrixPlan {
public:
    template <MatrixElement T>
    void execute(const AccumulatorOf<T>& alpha, const T* a, const T* b, const AccumulatorOf<T>& beta, T* c,
                 Stream stream = {}, Workspace workspace = {}) const {
        execute<T, T, T>(alpha, a, b, beta, c, stream, workspace);
    }
    /// A and B narrower than the accumulators, or C of another type; α and β have the accumulators' type.
    template <MatrixElement A, MatrixElement B, MatrixElement C>
    void execute(const AccumulatorOf<A>& alpha, const A* a, const B* b, const AccumulatorOf<A>& beta, C* c,
                 Stream stream = {}, Workspace workspace = {}) const {
        run(data_types_of<AccumulatorOf<A>, A, B, C>(), {&alpha, a, b, &beta, c}, Where::strided, stream,
            workspace);
    }

    /// The same with accumulators, α and β of type S instead of AccumulatorOf<A>: int8 and uint8 accumulated in
    /// float32.
    ///
    ///     plan.execute_in<float>(scale_of_a * scale_of_b, a, b, 0, c);
    template <MatrixElement S, MatrixElement A, MatrixElement B, MatrixElement C>
    void execute_in(const std::type_identity_t<S>& alpha, const A* a, const B* b,
                    const std::type_identity_t<S>& beta, C* c, Stream stream = {},
                    Workspace workspace = {}) const {
        run(data_types_of<S, A, B, C>(), {&alpha, a, b, &beta, c}, Where::strided, stream, workspace);
    }

    /// Pointer-array batch, for plans with MatrixProduct::listed: `a`, `b` and `c` are arrays in device memory with one
    /// pointer per matrix of the batch. Each points to element (0, 0) of a matrix in device memory and is a multiple of
    /// list_alignment bytes. The kernel reads these arrays when it runs, so their contents are not checked: no C may
    /// overlap another C, an A, a B or an auxiliary array. A's may coincide, and so may B's. If α or K is zero, `a` and
    /// `b` may be null.
    template <MatrixElement T>
    void execute_each(const AccumulatorOf<T>& alpha, const T* const* a, const T* const* b,
                      const AccumulatorOf<T>& beta, T* const* c, Stream stream = {},
                      Workspace workspace = {}) const {
        execute_each<T, T, T>(alpha, a, b, beta, c, stream, workspace);
    }
    template <MatrixElement A, MatrixElement B, MatrixElement C>
    void execute_each(const AccumulatorOf<A>& alpha, const A* const* a, const B* const* b,
                      const AccumulatorOf<A>& beta, C* const* c, Stream stream = {},
                      Workspace workspace = {}) const {
        run(data_types_of<AccumulatorOf<A>, A, B, C>(), {&alpha, a, b, &beta, const_cast<C**>(c)},
            Where::listed, stream, workspace);
    }

    /// Returns the same plan with one of the epilogue's arrays bound by name. The array is on the plan's GPU,
    /// contiguous, row-major over its indices in the expression, disjoint from C, and valid as long as executions use
    /// it. All arrays must be bound before an execution. Throws UserError if the epilogue names no such array, if its
    /// data type differs, or if the pointer is null.
    ///
    ///     product.epilogue = swirl::Expression("max(0, x + bias[i])");
    ///     swirl::gpu::plan(product).with("bias", bias.data()).execute(1, a.data(), b.data(), 0, c.data());
    template <MatrixElement T> MatrixPlan with(std::string_view name, const T* array) const {
        return with_array(name, data_type_of<T>(), array, false);
    }
    /// Also binds an array that a reduction writes, on the plan's GPU, disjoint from all others.
    template <MatrixElement T> MatrixPlan with(std::string_view name, T* array) const {
        return with_array(name, data_type_of<T>(), array, true);
    }

    const MatrixProduct& product() const;
    std::string schedule() const; ///< every choice made, as one line; MatrixPlanOptions::schedule accepts it
    std::string description() const; ///< a few lines of text about its kernel
    int device() const;
    std::size_t workspace_bytes() const;
    double flops() const; ///< real additions and multiplications of one execution

    MatrixPlan(const MatrixPlan&) = default;
    MatrixPlan& operator=(const MatrixPlan&) = default;
    ~MatrixPlan() = default;

private:
    friend SWIRL_API MatrixPlan plan(const MatrixProduct& product, const MatrixPlanOptions& options);
    explicit MatrixPlan(std::shared_ptr<const planning::GpuMatrixPlan> plan);
    template <MatrixElement T>
    friend void execute_groups(std::span<const MatrixGroup<T>> groups, Stream stream);
    struct DataTypes {
        DataType accumulator, a, b, c;
    };
    template <class S, class A, class B, class C> static constexpr DataTypes data_types_of() {
        return {data_type_of<S>(), data_type_of<A>(), data_type_of<B>(), data_type_of<C>()};
    }
    struct Pointers {
        const void* alpha;
        const void* a; ///< a matrix, or a device array of pointers to matrices
        const void* b;
        const void* beta;
        void* c;
    };
    enum class Where : bool { strided, listed };
    void check(const DataTypes& types, Where where) const;
    void run(const DataTypes& types, const Pointers& pointers, Where where, Stream stream,
             Workspace workspace) const;
    /// Type-erased MatrixGroup.
    struct AnyGroup {
        const MatrixPlan* plan;
        DataTypes types;
        Pointers pointers;
    };
    static void run_groups(std::span<const AnyGroup> groups, Stream stream);
    MatrixPlan with_array(std::string_view name, DataType data_type, const void* array,
                          bool is_writable) const;

    std::shared_ptr<const planning::GpuMatrixPlan> plan_; ///< never empty
    std::shared_ptr<const std::vector<const void*>>
        arrays_; ///< in the order of arrays_of, then results_of; empty until with() binds an array
};

/// A pointer-array batch of one plan, as for execute_each.
template <MatrixElement T> struct MatrixGroup {
    MatrixPlan plan;
    AccumulatorOf<T> alpha;
    const T* const* a;
    const T* const* b;
    AccumulatorOf<T> beta;
    T* const* c;
};

/// Enqueues groups of different shapes, one group after the other. Throws UserError, before enqueueing any of them, if
/// a group does not fit its plan. All plans must be for the same GPU.
template <MatrixElement T> void execute_groups(std::span<const MatrixGroup<T>> groups, Stream stream) {
    std::vector<MatrixPlan::AnyGroup> any;
    for (const MatrixGroup<T>& group : groups)
        any.push_back({&group.plan,
                       MatrixPlan::data_types_of<AccumulatorOf<T>, T, T, T>(),
                       {&group.alpha, group.a, group.b, &group.beta, const_cast<T**>(group.c)}});
    MatrixPlan::run_groups(any, stream);
}

/// Derives, compiles and verifies a matrix multiplication: in float32 or float64, or with narrower types in memory and
/// float32 accumulators. Throws UserError if it cannot be computed or has no kernels yet, if there is no such GPU or no
/// driver, and if the schedule does not fit; throws OutOfMemory.
SWIRL_API MatrixPlan plan(const MatrixProduct& product, const MatrixPlanOptions& options = {});

/// At most `most` candidate schedules for benchmarks: those that the performance model ranks fastest, fastest first.
SWIRL_API std::vector<std::string> schedules(const MatrixProduct& product, int most, int device = 0,
                                             Accuracy accuracy = Accuracy::ordinary);

} // namespace gpu
} // namespace swirl
