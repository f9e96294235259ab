/// Products of matrices on NVIDIA GPUs.
///
///     // C = A·B of float32, column-major, 4096 × 4096 of depth 1024
///     swirl::gpu::Array<float> a(4096 * 1024), b(1024 * 4096), c(4096 * 4096);
///     const auto product = swirl::MatrixProduct::column_major(swirl::Number::float32, 4096, 4096, 1024);
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

template <MatrixNumber T> struct MatrixGroup;
template <MatrixNumber T> void execute_groups(std::span<const MatrixGroup<T>> groups, Stream stream = {});

struct MatrixPlanOptions {
    int device = 0; ///< which GPU, as CUDA counts them
    /// Effort::measure searches for the schedule that is fastest, unless wisdom knows it, and wisdom keeps it; Effort::exhaustive begins
    /// with more of the model's schedules, and ends when no change of one parameter helps any more.
    Effort effort = Effort::estimate;
    Accuracy accuracy = Accuracy::ordinary; ///< that results must have, of a product of float32
    /// Main loops of float32's products may be put into another order in machine code, where they are proved to compute the same bits
    /// (docs/decisions/027-main-loops-in-machine-code.md): on GPUs of compute capability 9.0, where what the proof takes for granted of
    /// instructions was found by experiments, as NVIDIA documents none of it. Wisdom keeps what is found so apart.
    bool machine_loops = false;
    /// Seconds for the search, roughly; where nothing is said 5, or for Effort::exhaustive as many as it needs.
    std::optional<double> time_budget_seconds = {};
    bool use_wisdom = true; ///< take what an earlier search on such a GPU found
    /// Run the plan once on random matrices and compare some elements before it is handed out, unless its kernel comes from the
    /// cache and was compared before.
    bool check = true;
    bool use_cache =
        true; ///< take machine code that an earlier run of this machine has made, and keep it for the next
    std::string schedule = {}; ///< every choice, as MatrixPlan::schedule() writes it; empty: chosen
    std::function<void(const std::string&)> progress = {}; ///< gets a line now and then while searching
};

/// A product on a GPU, ready to run: immutable, cheap to copy (copies share it), used by any number of threads and streams at
/// once. It has to outlive the work that it has put into streams, and graphs that were recorded with it.
///
/// execute() puts the product into the stream and returns; it waits for nothing, so it can be recorded into a graph. Matrices are
/// memory of the plan's GPU or managed memory, pointers are to the elements (0, 0), of the first matrices of a batch; α and β are of
/// the host. Where β is zero C is not read, where α or the depth is zero neither are A and B, which may be null then. Each execute()
/// throws UserError, before anything is put into the stream, where numbers are of other kinds than the product's, for null and
/// misaligned pointers and memory of the host or of another GPU, and where C overlaps A, B or an array. Without a workspace, memory is taken and
/// given back in the order of the stream; one from the caller is memory of the GPU, aligned to 256 bytes, and used by one execution
/// at a time. The first execution with matrices that
/// are less aligned than 16 bytes makes a kernel for such.
class SWIRL_API MatrixPlan {
public:
    template <MatrixNumber T>
    void execute(const SumOf<T>& alpha, const T* a, const T* b, const SumOf<T>& beta, T* c,
                 Stream stream = {}, Workspace workspace = {}) const {
        execute<T, T, T>(alpha, a, b, beta, c, stream, workspace);
    }
    /// Of A and B whose numbers are narrower than sums, or C's others; α and β are sums.
    template <MatrixNumber A, MatrixNumber B, MatrixNumber C>
    void execute(const SumOf<A>& alpha, const A* a, const B* b, const SumOf<A>& beta, C* c,
                 Stream stream = {}, Workspace workspace = {}) const {
        run(numbers_of<SumOf<A>, A, B, C>(), {&alpha, a, b, &beta, c}, Where::strided, stream, workspace);
    }

    /// The same with α, β and sums of another kind than SumOf<A>: of int8 and uint8 with sums of float32.
    ///
    ///     plan.execute_in<float>(scale_of_a * scale_of_b, a, b, 0, c);
    template <MatrixNumber S, MatrixNumber A, MatrixNumber B, MatrixNumber C>
    void execute_in(const std::type_identity_t<S>& alpha, const A* a, const B* b,
                    const std::type_identity_t<S>& beta, C* c, Stream stream = {},
                    Workspace workspace = {}) const {
        run(numbers_of<S, A, B, C>(), {&alpha, a, b, &beta, c}, Where::strided, stream, workspace);
    }

    /// The products of a plan that has lists (MatrixProduct::listed): `a`, `b` and `c` are arrays in memory of the GPU of as many
    /// pointers as the batch has matrices, each to the element (0, 0) of a matrix in such memory, a multiple of list_alignment bytes. These
    /// arrays are read when the product is computed, not before, so nothing that depends on what is in them is looked at: no C may overlap
    /// another, nor A, B or an array; A's and B's may be equal. Where α or the depth is zero, `a` and `b` may be null.
    template <MatrixNumber T>
    void execute_each(const SumOf<T>& alpha, const T* const* a, const T* const* b, const SumOf<T>& beta,
                      T* const* c, Stream stream = {}, Workspace workspace = {}) const {
        execute_each<T, T, T>(alpha, a, b, beta, c, stream, workspace);
    }
    template <MatrixNumber A, MatrixNumber B, MatrixNumber C>
    void execute_each(const SumOf<A>& alpha, const A* const* a, const B* const* b, const SumOf<A>& beta,
                      C* const* c, Stream stream = {}, Workspace workspace = {}) const {
        run(numbers_of<SumOf<A>, A, B, C>(), {&alpha, a, b, &beta, const_cast<C**>(c)}, Where::listed, stream,
            workspace);
    }

    /// The same plan with the place of one of the arrays that the epilogue names, on the plan's GPU: of contiguous numbers,
    /// row-major over the indices that it is written with, apart from C, and alive as long as executions need it. All of them have
    /// to be given before an execution. UserError where the epilogue names no such array, or one of other numbers, and for null.
    ///
    ///     product.epilogue = swirl::Expression("max(0, x + bias[i])");
    ///     swirl::gpu::plan(product).with("bias", bias.data()).execute(1, a.data(), b.data(), 0, c.data());
    template <MatrixNumber T> MatrixPlan with(std::string_view name, const T* array) const {
        return with_array(name, number_of<T>(), array, false);
    }
    /// Also of an array that a reduction writes, on the plan's GPU, apart from all others.
    template <MatrixNumber T> MatrixPlan with(std::string_view name, T* array) const {
        return with_array(name, number_of<T>(), array, true);
    }

    const MatrixProduct& product() const;
    std::string schedule()
        const; ///< every choice made, as one line; MatrixPlanOptions::schedule takes it back
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
    template <MatrixNumber T>
    friend void execute_groups(std::span<const MatrixGroup<T>> groups, Stream stream);
    struct Numbers {
        Number sums, a, b, c;
    };
    template <class S, class A, class B, class C> static constexpr Numbers numbers_of() {
        return {number_of<S>(), number_of<A>(), number_of<B>(), number_of<C>()};
    }
    struct Pointers {
        const void* alpha;
        const void* a; ///< a matrix, or a list of pointers to such
        const void* b;
        const void* beta;
        void* c;
    };
    enum class Where : bool { strided, listed };
    void check(const Numbers& numbers, Where where) const;
    void run(const Numbers& numbers, const Pointers& pointers, Where where, Stream stream,
             Workspace workspace) const;
    /// One of some groups, without types.
    struct AnyGroup {
        const MatrixPlan* plan;
        Numbers numbers;
        Pointers pointers;
    };
    static void run_groups(std::span<const AnyGroup> groups, Stream stream);
    MatrixPlan with_array(std::string_view name, Number number, const void* array, bool is_writable) const;

    std::shared_ptr<const planning::GpuMatrixPlan> plan_; ///< never empty
    std::shared_ptr<const std::vector<const void*>>
        arrays_; ///< in the order of arrays_of, then of results_of; empty until one is given
};

/// Products of a plan that has lists, as by execute_each.
template <MatrixNumber T> struct MatrixGroup {
    MatrixPlan plan;
    SumOf<T> alpha;
    const T* const* a;
    const T* const* b;
    SumOf<T> beta;
    T* const* c;
};

/// Groups of products of several shapes, one group after the other in the stream. UserError, before any is put there, where one of
/// them does not fit its plan; all plans are of one GPU.
template <MatrixNumber T> void execute_groups(std::span<const MatrixGroup<T>> groups, Stream stream) {
    std::vector<MatrixPlan::AnyGroup> any;
    for (const MatrixGroup<T>& group : groups)
        any.push_back({&group.plan,
                       MatrixPlan::numbers_of<SumOf<T>, T, T, T>(),
                       {&group.alpha, group.a, group.b, &group.beta, const_cast<T**>(group.c)}});
    MatrixPlan::run_groups(any, stream);
}

/// Derives, compiles and checks a product: of float32 or float64, or of what is narrower in memory with sums of float32. Throws
/// UserError for one that cannot be computed or that there are no kernels for yet, where there is no such GPU or no driver, and for a
/// schedule that does not suit it; OutOfMemory.
SWIRL_API MatrixPlan plan(const MatrixProduct& product, const MatrixPlanOptions& options = {});

/// The schedules that swirl's model thinks fastest on a GPU, the fastest first, `most` at most: to be timed.
SWIRL_API std::vector<std::string> schedules(const MatrixProduct& product, int most, int device = 0,
                                             Accuracy accuracy = Accuracy::ordinary);

} // namespace gpu
} // namespace swirl
