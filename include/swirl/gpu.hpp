/// Transforms on NVIDIA GPUs. The driver is loaded when a plan or memory is first asked for; CUDA's toolkit is needed
/// neither to build nor to run.
///
///     swirl::gpu::Array<std::complex<float>> x(signal), y(signal.size());
///     swirl::gpu::plan("dft 1024 float32 batch=1000").execute(x.data(), y.data());
///     y.copy_to(spectrum);
///
/// In 16 bits a number takes half of the memory, and of the time that moving it takes; arithmetic is that of float32, and
/// results are rounded once (of several dimensions once for each at most). float16 ends at 65504, beyond which results
/// are infinite: a forward transform of n numbers around 1 grows to n at most, so give it a scale, such as scale=1/n.
///
///     swirl::gpu::Array<swirl::complex_float16> u(2048), v(2048);
///     swirl::gpu::plan("dft 2048 float16 scale=1/2048").execute(u.data(), v.data());
#pragma once

#include <swirl/export.h>
#include <swirl/error.hpp>
#include <swirl/normalised.hpp>
#include <swirl/plan.hpp>
#include <swirl/problem.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace swirl {

namespace planning {
class GpuPlan;
}

namespace gpu {

namespace detail {

/// What arrays of real numbers hold, parts of planar ones too.
template <class T>
concept Scalar = swirl::detail::Real<T> || swirl::detail::Half<T>;

template <class T> constexpr bool is_element = Scalar<T>;
template <class T> constexpr bool is_element<std::complex<T>> = true;
template <class T> constexpr bool is_element<complex_half<T>> = true;
/// Of arrays: also numbers of matrices that transforms do not have, and pointers to matrices.
template <class T>
constexpr bool is_stored =
    is_element<T> || std::is_same_v<T, float8_e4m3> || std::is_same_v<T, unorm8> ||
    std::is_same_v<T, snorm8> || std::is_same_v<T, unorm16> || std::is_same_v<T, snorm16> ||
    std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::int32_t> ||
    std::is_pointer_v<T>;

} // namespace detail

/// There is no room on the GPU for what was asked.
class SWIRL_API OutOfMemory : public UserError {
public:
    using UserError::UserError;
};

struct PlanOptions {
    int device = 0; ///< which GPU, as CUDA counts them
    Effort effort = Effort::estimate;
    /// Seconds that Effort::measure takes, roughly; 5 where nothing is said. And that Effort::exhaustive takes: as many as
    /// it needs where nothing, 0 or infinity is said.
    std::optional<double> time_budget_seconds = {};
    bool use_wisdom = true; ///< take what an earlier measurement on such a GPU found
    /// Run the plan once against a second route before it is handed out, unless it comes from the cache of kernels and was
    /// when it was made.
    bool check = true;
    bool use_cache =
        true; ///< take machine code that an earlier run of this machine has made, and keep it for the next
    std::string recipe = {}; ///< the algorithm, as Plan::recipe() writes it; empty: chosen
    std::function<void(const std::string&)> progress = {}; ///< gets a line now and then while measuring
};

/// A queue of work of the GPU: a cudaStream_t or CUstream; the default stream where nothing is said.
class Stream {
public:
    Stream() = default;
    Stream(std::nullptr_t) {}
    template <class Handle>
    requires(std::is_class_v<Handle> && !detail::is_element<Handle>) Stream(Handle* handle)
        : handle_(handle) {}
    explicit Stream(void* handle) : handle_(handle) {}
    void* handle() const { return handle_; }

private:
    void* handle_ = nullptr;
};

/// A transform on a GPU, ready to run: immutable, cheap to copy (copies share it), used by any number of threads and
/// streams at once. It has to outlive the work that it has put into streams, and graphs that were recorded with it.
///
/// execute() puts the transform into the stream and returns; it waits for nothing, so it can be recorded into a graph.
/// Arrays are memory of the plan's GPU or managed memory, pointers are to the element of index 0, complex numbers aligned
/// to both their parts, reals of which the plan reads or writes two at a time to two. In place, the output is the input.
/// Each execute() throws UserError, before anything is put into the stream, where arguments are not what the problem says:
/// type and number of arrays, null, misaligned or overlapping pointers, memory of the host or of another GPU, a workspace
/// that is too small. Without a workspace, memory is taken
/// and given back in the order of the stream; one from the caller is memory of the GPU, aligned to 256 bytes, and used by
/// one execution at a time.
class SWIRL_API Plan {
public:
    /// complex → complex, interleaved
    template <swirl::detail::Real T>
    void execute(const std::complex<T>* input, std::complex<T>* output, Stream stream = {},
                 Workspace workspace = {}) const {
        run({Pointer(input), Pointer(output)}, stream, workspace);
    }
    /// real → real
    template <detail::Scalar T>
    void execute(const T* input, T* output, Stream stream = {}, Workspace workspace = {}) const {
        run({Pointer(input), Pointer(output)}, stream, workspace);
    }
    /// real → half spectrum: rdft forward
    template <swirl::detail::Real T>
    void execute(const T* input, std::complex<T>* output, Stream stream = {},
                 Workspace workspace = {}) const {
        run({Pointer(input), Pointer(output)}, stream, workspace);
    }
    /// half spectrum → real: rdft backward
    template <swirl::detail::Real T>
    void execute(const std::complex<T>* input, T* output, Stream stream = {},
                 Workspace workspace = {}) const {
        run({Pointer(input), Pointer(output)}, stream, workspace);
    }
    /// The same of complex numbers of 16 bits each part.
    template <class T>
    void execute(const complex_half<T>* input, complex_half<T>* output, Stream stream = {},
                 Workspace workspace = {}) const {
        run({Pointer(input), Pointer(output)}, stream, workspace);
    }
    template <swirl::detail::Half T>
    void execute(const T* input, complex_half<T>* output, Stream stream = {},
                 Workspace workspace = {}) const {
        run({Pointer(input), Pointer(output)}, stream, workspace);
    }
    template <swirl::detail::Half T>
    void execute(const complex_half<T>* input, T* output, Stream stream = {},
                 Workspace workspace = {}) const {
        run({Pointer(input), Pointer(output)}, stream, workspace);
    }
    /// Of different types on the two sides, where an expression says so: load="float16: x".
    template <class T, class U>
    requires(detail::is_element<T>&& detail::is_element<U>) void execute(const T* input, U* output,
                                                                         Stream stream = {},
                                                                         Workspace workspace = {}) const {
        run({Pointer(input), Pointer(output)}, stream, workspace);
    }
    /// complex → complex, planar
    template <detail::Scalar T>
    void execute(const T* input_real, const T* input_imaginary, T* output_real, T* output_imaginary,
                 Stream stream = {}, Workspace workspace = {}) const {
        run({Pointer(input_real), Pointer(input_imaginary), Pointer(output_real), Pointer(output_imaginary)},
            stream, workspace);
    }
    /// real → half spectrum, planar; with three writable arrays also half spectrum → real (input_real,
    /// input_imaginary, output)
    template <detail::Scalar T>
    void execute(const T* input, T* output_real, T* output_imaginary, Stream stream = {},
                 Workspace workspace = {}) const {
        run({Pointer(input), Pointer(output_real), Pointer(output_imaginary)}, stream, workspace);
    }
    /// half spectrum → real, planar
    template <detail::Scalar T>
    void execute(const T* input_real, const T* input_imaginary, T* output, Stream stream = {},
                 Workspace workspace = {}) const {
        run({Pointer(input_real), Pointer(input_imaginary), Pointer(output)}, stream, workspace);
    }

    /// The same plan with the place of an array that the problem has beside input and output (arrays_of(problem)), such
    /// as a convolution's spectrum: elements of its type on the plan's GPU, at that of index 0, alive as long as
    /// executions need it. UserError where the problem has no array of this name or one of other elements, and for null.
    ///
    ///     swirl::gpu::plan("convolution 1024 float32 batch=1000").with("spectrum", h.data()).execute(x.data(), y.data());
    template <class T>
    requires detail::is_element<T> Plan with(std::string_view name, const T* array)
    const { return with_array(name, {Pointer(array)}); }
    /// The same of planar complex numbers.
    template <detail::Scalar T> Plan with(std::string_view name, const T* real, const T* imaginary) const {
        return with_array(name, {Pointer(real), Pointer(imaginary)});
    }

    const Problem& problem() const;
    std::string recipe() const; ///< every choice made, as one line; PlanOptions::recipe takes it back
    int device() const;
    std::size_t workspace_bytes() const;
    double flops() const; ///< real additions and multiplications of one execution
    double bytes() const; ///< read and written by its kernels
    /// A few lines of text about each kernel: blocks, threads, registers, shared memory, buffers.
    std::string description() const;

    Plan(const Plan&) = default;
    Plan& operator=(const Plan&) = default;
    ~Plan() = default;

private:
    using Pointer = swirl::detail::Pointer;
    friend SWIRL_API Plan plan(const Problem& problem, const PlanOptions& options);
    explicit Plan(std::shared_ptr<const planning::GpuPlan> plan);
    void run(std::initializer_list<Pointer> arrays, Stream stream, Workspace workspace) const;
    Plan with_array(std::string_view name, std::initializer_list<Pointer> parts) const;

    struct Beside;
    swirl::detail::Signature signature_;
    std::shared_ptr<const planning::GpuPlan> plan_; ///< never empty: there is no move that would leave it so
    std::shared_ptr<const Beside> beside_;          ///< empty until an array is given
};

/// Derives, compiles and checks a transform. Throws UserError for a problem that cannot be computed or that there are no
/// kernels for yet, where there is no such GPU or no driver, and for a recipe that does not fit; OutOfMemory.
SWIRL_API Plan plan(const Problem& problem, const PlanOptions& options = {});
inline Plan plan(std::string_view problem, const PlanOptions& options = {}) {
    return plan(parse_problem(problem), options);
}

/// Memory of a GPU, freed with the object, for programs that have none from CUDA. Contents are not set.
class SWIRL_API Memory {
public:
    /// OutOfMemory when there is no room.
    explicit Memory(std::size_t bytes, int device = 0);
    ~Memory();
    Memory(Memory&&) noexcept;
    Memory& operator=(Memory&&) noexcept;

    void* data() const;
    std::size_t bytes() const;
    /// From and to memory of the host, as many bytes as this has at most. Both wait for all that runs on the GPU.
    void copy_from(const void* host, std::size_t bytes);
    void copy_to(void* host, std::size_t bytes) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// An array of numbers in a GPU's memory.
template <class T>
requires detail::is_stored<T>
class Array {
public:
    explicit Array(std::size_t count, int device = 0) : memory_(count * sizeof(T), device) {}
    explicit Array(const std::vector<T>& host, int device = 0) : Array(host.size(), device) {
        copy_from(host);
    }

    T* data() const { return static_cast<T*>(memory_.data()); }
    std::size_t size() const { return memory_.bytes() / sizeof(T); }
    void copy_from(std::span<const T> host) { memory_.copy_from(host.data(), host.size_bytes()); }
    void copy_to(std::span<T> host) const { memory_.copy_to(host.data(), host.size_bytes()); }

private:
    Memory memory_;
};

} // namespace gpu
} // namespace swirl
