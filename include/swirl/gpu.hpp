/// Transforms on NVIDIA GPUs. The first plan or allocation loads the driver; neither building nor running needs the
/// CUDA toolkit.
///
///     swirl::gpu::Array<std::complex<float>> x(signal), y(signal.size());
///     swirl::gpu::plan("dft 1024 float32 batch=1000").execute(x.data(), y.data());
///     y.copy_to(spectrum);
///
/// 16-bit formats halve memory and traffic. Arithmetic is float32; results are rounded once (in several dimensions, at
/// most once per dimension). float16 overflows to infinity beyond 65504. A forward transform of n elements of magnitude
/// around 1 grows to at most n, so give it a scale, such as scale=1/n.
///
///     swirl::gpu::Array<swirl::complex_float16> u(2048), v(2048);
///     swirl::gpu::plan("dft 2048 float16 scale=1/2048").execute(u.data(), v.data());
#pragma once

#include <swirl/export.h>
#include <swirl/error.hpp>
#include <swirl/normalised.hpp>
#include <swirl/plan.hpp>
#include <swirl/transform.hpp>

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

/// Real element types; also the types of the components of planar complex data.
template <class T>
concept Scalar = swirl::detail::Real<T> || swirl::detail::Half<T>;

template <class T> constexpr bool is_element = Scalar<T>;
template <class T> constexpr bool is_element<std::complex<T>> = true;
template <class T> constexpr bool is_element<complex_half<T>> = true;
/// Element types of Array: also matrix data types that transforms do not support, and pointers to matrices.
template <class T>
constexpr bool is_stored =
    is_element<T> || std::is_same_v<T, float8_e4m3> || std::is_same_v<T, unorm8> ||
    std::is_same_v<T, snorm8> || std::is_same_v<T, unorm16> || std::is_same_v<T, snorm16> ||
    std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::int32_t> ||
    std::is_pointer_v<T>;

} // namespace detail

/// The GPU does not have enough free memory.
class SWIRL_API OutOfMemory : public UserError {
public:
    using UserError::UserError;
};

struct PlanOptions {
    int device = 0; ///< CUDA device ordinal
    Effort effort = Effort::estimate;
    /// Approximate time limit of the search in seconds. Default: 5 for Effort::measure; no limit for Effort::exhaustive
    /// (0 and infinity also mean no limit).
    std::optional<double> time_budget_seconds = {};
    bool use_wisdom = true; ///< use results of earlier measurements on the same GPU model
    /// Verify the plan once against a second algorithm before returning it. Plans whose kernels come from the cache
    /// were verified when they were compiled and are not verified again.
    bool check = true;
    bool use_cache = true; ///< load machine code compiled by an earlier process, and store it for later ones
    std::string recipe = {}; ///< the algorithm, in the format of Plan::recipe(); empty: choose one
    std::function<void(const std::string&)> progress = {}; ///< receives a line of text now and then
};

/// A CUDA stream: a cudaStream_t or CUstream. Default-constructed: the default stream.
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

/// A transform on a GPU, ready to run: immutable, cheap to copy (copies share state), safe to use from any number of
/// threads and streams at once. The plan must outlive the work it has enqueued and the CUDA graphs that captured it.
///
/// execute() enqueues the transform and returns without waiting, so a CUDA graph can capture it. Arrays are device
/// memory of the plan's GPU or managed memory. Pointers point to the element with index 0. Complex elements are aligned
/// to their size; real elements that the plan loads or stores in pairs are aligned to the size of a pair. In place, the
/// output is the input.
/// Each execute() throws UserError, before enqueueing anything, if the arguments do not fit the problem: type and
/// number of arrays, null, misaligned or overlapping pointers, host memory or memory of another GPU, a workspace that
/// is too small. Without a workspace, memory is allocated and freed in stream order. A workspace given by the caller is
/// device memory, 256-byte aligned, and used by one execution at a time.
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
    /// The same for complex elements with 16-bit components
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
    /// Different types of input and output, where an expression declares one: load="float16: x"
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

    /// Returns the same plan with one auxiliary array bound by name: an array other than input and output
    /// (arrays_of(problem)), such as a convolution's spectrum. `array` points to the element with index 0, on the
    /// plan's GPU, and must stay valid as long as executions use it. Throws UserError if the problem has no array of
    /// this name, if its element type differs, or if the pointer is null.
    ///
    ///     swirl::gpu::plan("convolution 1024 float32 batch=1000").with("spectrum", h.data()).execute(x.data(), y.data());
    template <class T>
    requires detail::is_element<T> Plan with(std::string_view name, const T* array)
    const { return with_array(name, {Pointer(array)}); }
    /// The same for planar complex arrays.
    template <detail::Scalar T> Plan with(std::string_view name, const T* real, const T* imaginary) const {
        return with_array(name, {Pointer(real), Pointer(imaginary)});
    }

    const Transform& problem() const;
    std::string recipe() const; ///< every choice made, as one line; PlanOptions::recipe accepts it
    int device() const;
    std::size_t workspace_bytes() const;
    double flops() const; ///< real additions and multiplications of one execution
    double bytes() const; ///< bytes read and written by its kernels
    /// A few lines of text per kernel: blocks, threads, registers, shared memory, buffers.
    std::string description() const;

    Plan(const Plan&) = default;
    Plan& operator=(const Plan&) = default;
    ~Plan() = default;

private:
    using Pointer = swirl::detail::Pointer;
    friend SWIRL_API Plan plan(const Transform& problem, const PlanOptions& options);
    explicit Plan(std::shared_ptr<const planning::GpuPlan> plan);
    void run(std::initializer_list<Pointer> arrays, Stream stream, Workspace workspace) const;
    Plan with_array(std::string_view name, std::initializer_list<Pointer> parts) const;

    struct AuxiliaryArrays;
    swirl::detail::Signature signature_;
    std::shared_ptr<const planning::GpuPlan> plan_; ///< never empty: there is no move constructor to empty it
    std::shared_ptr<const AuxiliaryArrays> auxiliary_; ///< empty until with() binds an array
};

/// Derives, compiles and verifies a transform. Throws UserError if the problem cannot be computed or has no kernels
/// yet, if there is no such GPU or no driver, and if the recipe does not fit; throws OutOfMemory.
SWIRL_API Plan plan(const Transform& problem, const PlanOptions& options = {});
inline Plan plan(std::string_view problem, const PlanOptions& options = {}) {
    return plan(parse_transform(problem), options);
}

/// Device memory, freed with the object, for programs that do not allocate through CUDA. Contents are uninitialised.
class SWIRL_API Memory {
public:
    /// Throws OutOfMemory.
    explicit Memory(std::size_t bytes, int device = 0);
    ~Memory();
    Memory(Memory&&) noexcept;
    Memory& operator=(Memory&&) noexcept;

    void* data() const;
    std::size_t bytes() const;
    /// Copy from and to host memory, at most bytes() bytes. Both wait for all work on the GPU.
    void copy_from(const void* host, std::size_t bytes);
    void copy_to(void* host, std::size_t bytes) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// An array of elements of type T in device memory.
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
