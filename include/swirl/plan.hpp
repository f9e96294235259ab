/// Planning and executing: transforms and matrix multiplications, on the CPU and on GPUs.
///
///     std::vector<std::complex<double>> x(1024), y(1024);
///     const swirl::Plan fft = swirl::plan("dft 1024");
///     fft.execute(x, y);
///
///     const swirl::Plan gemm = swirl::plan("gemm 100x80x60 float32", {.threads = 4});
///     gemm.execute(1, a, b, 0, c); // C = A·B
#pragma once

#include <swirl/export.h>
#include <swirl/arrays.hpp>
#include <swirl/error.hpp>
#include <swirl/options.hpp>
#include <swirl/problem.hpp>
#include <swirl/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

namespace swirl {

namespace api {
class Executable;
struct BoundArrays;
struct PlanAccess;
} // namespace api

/// A problem ready to run: immutable unless Options::swap_schedule asks for more, cheap to copy (copies share state), safe to
/// use from any number of threads and streams at once. A default-constructed or moved-from plan is empty: it can only be assigned, compared with `bool`,
/// and destroyed.
///
/// Each execute() throws UserError, before anything is written or enqueued, if the arguments do not fit the problem:
/// another kind of problem, the type and number of arrays, null, misaligned or overlapping arrays, vectors and spans
/// that are too small, a workspace that does not fit. Input and output may interleave as long as they share no element.
/// In place, the output is the input. Pointers point to the element with index 0.
///
/// On the CPU, execute() returns when the result is there. The same data give the same bits for any number of threads.
/// Inside an OpenMP parallel region, it stays on the calling thread.
///
/// On a GPU, execute() enqueues the work and returns without waiting, so a CUDA graph can capture it. Arrays are device
/// memory of the plan's GPU or managed memory. Complex elements are aligned to their size; real elements that the plan
/// loads or stores in pairs are aligned to the size of a pair. α and β are in host memory. Without a workspace, memory
/// is allocated and freed in stream order. The plan must outlive the work it has enqueued and the CUDA graphs that
/// captured it.
class SWIRL_API Plan {
public:
    Plan() = default;
    explicit operator bool() const noexcept { return executable_ != nullptr; }

    /// A transform of real or interleaved complex data. An in-place rdft takes reals or pairs.
    void execute(const Input& input, const Output& output, gpu::Stream stream = {},
                 Workspace workspace = {}) const {
        const bool is_done = workspace.data == nullptr && workspace.bytes == 0 &&
                             run(input.array().data, input.array().elements, output.array().data,
                                 output.array().elements, {input.array().type, output.array().type});
        if (!is_done) transform({input.array(), output.array()}, stream, workspace);
    }
    void execute(const Input& input, const Output& output, Workspace workspace) const {
        execute(input, output, {}, workspace);
    }
    /// Planar complex data on both sides.
    void execute(const Input& input_real, const Input& input_imaginary, const Output& output_real,
                 const Output& output_imaginary, gpu::Stream stream = {}, Workspace workspace = {}) const {
        transform(
            {input_real.array(), input_imaginary.array(), output_real.array(), output_imaginary.array()},
            stream, workspace);
    }
    void execute(const Input& input_real, const Input& input_imaginary, const Output& output_real,
                 const Output& output_imaginary, Workspace workspace) const {
        execute(input_real, input_imaginary, output_real, output_imaginary, {}, workspace);
    }
    /// Planar data on one side: (input, output_real, output_imaginary) or (input_real, input_imaginary, output).
    void execute(const Input& first, const Input& second, const Output& third, gpu::Stream stream = {},
                 Workspace workspace = {}) const {
        transform({first.array(), second.array(), third.array()}, stream, workspace);
    }
    void execute(const Input& first, const Input& second, const Output& third, Workspace workspace) const {
        execute(first, second, third, {}, workspace);
    }

    /// C = α·A·B + β·C. If β is zero, C is not read; if α or k is zero, A and B are not read and may be null. Arrays
    /// start at element (0, 0) of the first matrix of a batch. On the CPU, A and B may be prepacked.
    void execute(Scalar alpha, const Operand& a, const Operand& b, Scalar beta, const Output& c,
                 gpu::Stream stream = {}, Workspace workspace = {}) const {
        constexpr std::size_t unknown = detail::ArrayArgument::unknown;
        const detail::ArrayArgument &in_a = a.array(), &in_b = b.array(), &in_c = c.array();
        const bool is_plain = alpha == 1 && beta == 0 && workspace.data == nullptr && workspace.bytes == 0 &&
                              a.packed() == nullptr && b.packed() == nullptr && in_a.elements == unknown &&
                              in_b.elements == unknown && in_c.elements == unknown;
        const bool is_done =
            is_plain && run(in_a.data, in_b.data, in_c.data, {in_a.type, in_b.type}, in_c.type.code());
        if (!is_done) multiply(alpha, a, b, beta, c, stream, workspace);
    }
    void execute(Scalar alpha, const Operand& a, const Operand& b, Scalar beta, const Output& c,
                 Workspace workspace) const {
        execute(alpha, a, b, beta, c, {}, workspace);
    }
    /// The same product for `count` matrices given by three arrays of pointers, each to element (0, 0) of a matrix. No
    /// C may overlap a matrix of another product: this is not checked.
    /// On the CPU, threads share the work, and nothing is written if any of the executions would throw.
    /// On a GPU, the problem is a pointer-array batch (MatrixProduct::listed) of `count` matrices. The arrays are in
    /// device memory, each pointer a multiple of list_alignment bytes; the kernel reads them when it runs.
    void execute_each(Scalar alpha, InputPointers a, InputPointers b, Scalar beta, OutputPointers c,
                      Integer count, gpu::Stream stream = {}, Workspace workspace = {}) const;

    /// Prepacks A, or B, of all matrices of a batch, for use in many executions on the CPU. A packed operand fits every
    /// plan with the same rows (A) or columns (B), k and batch that computes products in the same way: such as plans
    /// with other operand strides or another epilogue, and usually another extent of the other operand. An execution
    /// throws UserError if it cannot use one. Results are bitwise the same.
    PackedMatrix pack_a(const Input& a) const;
    PackedMatrix pack_b(const Input& b) const;

    /// Returns the same plan with one auxiliary array bound by name: one that callbacks, a convolution or an epilogue
    /// read, or a reduction writes (arrays_of(problem)). It is contiguous, row-major over its indices, disjoint from
    /// what is written, and valid as long as executions use it. All arrays must be bound before an execution. Throws
    /// UserError if the problem has no array of this name, if its element type differs, if it is too small or null, and
    /// if it is const but written.
    ///
    ///     swirl::plan("gemm 64x48x32 epilogue=max(0, x + bias[i])").with("bias", bias).execute(1, a, b, 0, c);
    Plan with(std::string_view name, const Input& array) const;
    Plan with(std::string_view name, const Input& real,
              const Input& imaginary) const; ///< planar complex data

    const Problem& problem() const;
    std::string schedule()
        const; ///< every choice, as one line; Options::schedule accepts it for this problem
    std::string description() const; ///< lines of text about its kernels, and whether it was checked
    Device device() const;
    int threads() const;                 ///< threads per execution: 1 where more would not pay, and on GPUs
    Accuracy accuracy() const;           ///< of results: at least the required one
    std::size_t workspace_bytes() const; ///< taken by the library if execute() is given no workspace
    double flops() const;                ///< real additions and multiplications of one execution
    double bytes() const; ///< bytes that its kernels read and write; for products the bytes of A, B and C

private:
    friend struct api::PlanAccess;
    /// The types of two arrays, as one argument.
    struct Types {
        constexpr Types(detail::ElementType in, detail::ElementType out)
            : input(in.code()), output(out.code()) {}
        std::uint32_t input, output;
    };
    /// Executes a transform if a glance at its two arrays, all in registers, shows that they fit; else returns false.
    bool run(const void* input, std::size_t input_elements, void* output, std::size_t output_elements,
             Types types) const;
    void transform(std::initializer_list<detail::ArrayArgument> arrays, gpu::Stream stream,
                   Workspace workspace) const;
    /// Executes a product with α = 1 and β = 0 if a glance at the pointers and types shows that they fit and one kernel computes
    /// it; else returns false.
    bool run(const void* a, const void* b, void* c, Types of_operands, std::uint32_t of_c) const;
    void multiply(Scalar alpha, const Operand& a, const Operand& b, Scalar beta, const Output& c,
                  gpu::Stream stream, Workspace workspace) const;

    std::shared_ptr<const api::Executable> executable_;
    std::shared_ptr<const api::BoundArrays> bound_; ///< null until with() binds an array
};

/// Chooses an algorithm, compiles and verifies it. Throws UserError for a problem that cannot be computed, an option
/// that cannot be, and a schedule that does not fit; Unavailable if this machine lacks the device; Unsupported if it
/// can be computed but swirl has no kernels for it; OutOfMemory; OutOfTime; Cancelled.
SWIRL_API Plan plan(const Problem& problem, const Options& options = {});
inline Plan plan(std::string_view problem, const Options& options = {}) {
    return plan(parse_problem(problem), options);
}

/// `count` products of one plan, as for execute_each.
struct MatrixGroup {
    Plan plan;
    Scalar alpha;
    InputPointers a;
    InputPointers b;
    Scalar beta;
    OutputPointers c;
    Integer count;
};

/// Executes groups of products of several shapes in one call. Writes or enqueues nothing if any of them is invalid. All
/// plans are for one device. On the CPU, as many threads share the work as any of the plans may use.
SWIRL_API void execute_groups(const MatrixGroup* groups, std::size_t count, gpu::Stream stream = {});
/// Of a vector, span or the like.
template <class Groups> void execute_groups(const Groups& groups, gpu::Stream stream = {}) {
    execute_groups(std::data(groups), std::size(groups), stream);
}

} // namespace swirl
