/// Planning a transform and running it.
#pragma once

#include <swirl/export.h>
#include <swirl/effort.hpp>
#include <swirl/error.hpp>
#include <swirl/half.hpp>
#include <swirl/problem.hpp>

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace swirl {

namespace planning {
class Plan;
}

struct PlanOptions {
    Effort effort = Effort::estimate;
    /// Seconds that Effort::measure takes, roughly; where nothing is said 0.8 up to 65536 entries in all, 3.5 beyond. And
    /// that Effort::exhaustive takes: as many as it needs where nothing, 0 or infinity is said.
    std::optional<double> time_budget_seconds = {};
    bool use_wisdom = true;  ///< take what an earlier measurement found
    bool check = true;       ///< run the plan once against a second route before it is handed out
    std::string cpu = {};    ///< "avx512", "avx2", "sse2" or "portable"; empty: the best this machine has
    std::string recipe = {}; ///< the algorithm, as Plan::recipe() writes it; empty: chosen
    int threads = 1; ///< at most so many work on one execution; 0: as many as there are processors to run on
    std::function<void(const std::string&)> progress = {}; ///< gets a line now and then while measuring
};

/// Memory for intermediate results that the caller brings: 64-byte aligned, at least Plan::workspace_bytes() long,
/// used by one execution at a time.
struct Workspace {
    void* data = nullptr;
    std::size_t bytes = 0;
};

namespace detail {

template <class T>
concept Real = std::same_as<T, float> || std::same_as<T, double>;

template <class T>
concept Half = std::same_as<T, float16> || std::same_as<T, bfloat16>;

enum class Element : std::uint8_t {
    float32,
    float64,
    complex32,
    complex64,
    float16,
    bfloat16,
    complex_float16,
    complex_bfloat16,
};

template <class T> constexpr Element element_of() {
    if constexpr (std::same_as<T, float>) return Element::float32;
    if constexpr (std::same_as<T, double>) return Element::float64;
    if constexpr (std::same_as<T, std::complex<float>>) return Element::complex32;
    if constexpr (std::same_as<T, std::complex<double>>) return Element::complex64;
    if constexpr (std::same_as<T, swirl::float16>) return Element::float16;
    if constexpr (std::same_as<T, swirl::bfloat16>) return Element::bfloat16;
    if constexpr (std::same_as<T, swirl::complex_float16>) return Element::complex_float16;
    if constexpr (std::same_as<T, swirl::complex_bfloat16>) return Element::complex_bfloat16;
}

/// The calls that need no closer look: an input and an output of these elements.
struct Signature {
    bool exists; ///< whether there are such calls
    Element input;
    Element output;
};

/// What an execute() call was given. `is_const` marks places that the caller does not want written.
struct Pointer {
    void* data;
    Element element;
    bool is_const;
    template <class T>
    explicit Pointer(const T* pointer)
        : data(const_cast<T*>(pointer)), element(element_of<T>()), is_const(true) {}
    template <class T>
    explicit Pointer(T* pointer) : data(pointer), element(element_of<T>()), is_const(false) {}
};

} // namespace detail

/// A transform ready to run: immutable, cheap to copy (copies share it), used by any number of threads at once.
///
/// Results are the same, bit by bit, whatever the number of threads. Called in a parallel region of OpenMP's, execute()
/// stays on the calling thread.
///
/// Each execute() throws UserError before anything is written if its arguments are not what the problem says: type and
/// number of arrays, null, misaligned or overlapping pointers, a workspace that is too small or overlaps the data. Pointers are to the
/// element of index 0. In place, the output is the input.
class SWIRL_API Plan {
public:
    /// complex → complex, interleaved
    template <detail::Real T>
    void execute(const std::complex<T>* input, std::complex<T>* output, Workspace workspace = {}) const {
        run({detail::Pointer(input), detail::Pointer(output)}, workspace);
    }
    /// real → real: wht, dct2 … dst4, and rdft in place (spectrum as pairs)
    template <detail::Real T> void execute(const T* input, T* output, Workspace workspace = {}) const {
        run({detail::Pointer(input), detail::Pointer(output)}, workspace);
    }
    /// real → half spectrum: rdft forward
    template <detail::Real T>
    void execute(const T* input, std::complex<T>* output, Workspace workspace = {}) const {
        run({detail::Pointer(input), detail::Pointer(output)}, workspace);
    }
    /// half spectrum → real: rdft backward
    template <detail::Real T>
    void execute(const std::complex<T>* input, T* output, Workspace workspace = {}) const {
        run({detail::Pointer(input), detail::Pointer(output)}, workspace);
    }
    /// complex → complex, planar
    template <detail::Real T>
    void execute(const T* input_real, const T* input_imaginary, T* output_real, T* output_imaginary,
                 Workspace workspace = {}) const {
        run({detail::Pointer(input_real), detail::Pointer(input_imaginary), detail::Pointer(output_real),
             detail::Pointer(output_imaginary)},
            workspace);
    }
    /// real → half spectrum, planar; with three writable arrays also half spectrum → real (input_real,
    /// input_imaginary, output)
    template <detail::Real T>
    void execute(const T* input, T* output_real, T* output_imaginary, Workspace workspace = {}) const {
        run({detail::Pointer(input), detail::Pointer(output_real), detail::Pointer(output_imaginary)},
            workspace);
    }
    /// half spectrum → real, planar
    template <detail::Real T>
    void execute(const T* input_real, const T* input_imaginary, T* output, Workspace workspace = {}) const {
        run({detail::Pointer(input_real), detail::Pointer(input_imaginary), detail::Pointer(output)},
            workspace);
    }

    const Problem& problem() const;
    std::string recipe() const; ///< every choice made, as one line; PlanOptions::recipe takes it back
    std::size_t workspace_bytes() const; ///< allocated once for each thread where execute() is given none
    int threads() const;                 ///< that work on one execution: 1 where sharing would not pay
    double flops() const;                ///< real additions and multiplications of one execution
    double bytes() const;                ///< read and written by its kernels

    Plan(const Plan&) = default;
    Plan& operator=(const Plan&) = default;
    ~Plan() = default;

private:
    friend SWIRL_API Plan plan(const Problem& problem, const PlanOptions& options);
    explicit Plan(std::shared_ptr<const planning::Plan> plan);
    void run(std::initializer_list<detail::Pointer> arrays, Workspace workspace) const;

    detail::Signature signature_;
    std::shared_ptr<const planning::Plan> plan_; ///< never empty: there is no move that would leave it so
};

/// Derives, compiles and checks a transform. Throws UserError for a problem that cannot be computed, an unknown cpu, or
/// a recipe that does not fit.
SWIRL_API Plan plan(const Problem& problem, const PlanOptions& options = {});
inline Plan plan(std::string_view problem, const PlanOptions& options = {}) {
    return plan(parse_problem(problem), options);
}

} // namespace swirl
