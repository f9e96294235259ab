/// Planning and executing transforms.
#pragma once

#include <swirl/export.h>
#include <swirl/effort.hpp>
#include <swirl/element.hpp>
#include <swirl/error.hpp>
#include <swirl/half.hpp>
#include <swirl/transform.hpp>

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
    /// Approximate time limit of the search in seconds. Default for Effort::measure: 0.8 up to 65536 elements in all,
    /// 3.5 beyond. Default for Effort::exhaustive: no limit (0 and infinity also mean no limit).
    std::optional<double> time_budget_seconds = {};
    bool use_wisdom = true; ///< use results of earlier measurements
    bool check = true;      ///< verify the plan once against a second algorithm before returning it
    std::string cpu = {}; ///< "avx512", "avx2", "sse2" or "portable"; empty: the best that this CPU supports
    std::string recipe = {}; ///< the algorithm, in the format of Plan::recipe(); empty: choose one
    int threads = 1;         ///< maximum number of threads per execution; 0: one per available processor
    std::function<void(const std::string&)> progress = {}; ///< receives a line of text now and then
};

/// Scratch memory supplied by the caller: 64-byte aligned, at least Plan::workspace_bytes() long, used by one execution
/// at a time.
struct Workspace {
    void* data = nullptr;
    std::size_t bytes = 0;
};

namespace detail {

template <class T>
concept Real = std::same_as<T, float> || std::same_as<T, double>;

template <class T>
concept Half = std::same_as<T, float16> || std::same_as<T, bfloat16>;

/// Data types of the common call with one input and one output, which takes the fast path.
struct Signature {
    bool exists; ///< whether the problem has such a call
    DataType input;
    DataType output;
};

/// A typed pointer passed to execute(). `is_const` marks memory that must not be written.
struct Pointer {
    void* data;
    DataType element;
    bool is_const;
    template <class T>
    explicit Pointer(const T* pointer)
        : data(const_cast<T*>(pointer)), element(data_type_of<T>()), is_const(true) {}
    template <class T>
    explicit Pointer(T* pointer) : data(pointer), element(data_type_of<T>()), is_const(false) {}
};

} // namespace detail

/// A transform ready to run: immutable, cheap to copy (copies share state), safe to use from any number of threads at
/// once.
///
/// Results are bitwise identical for any number of threads. Inside an OpenMP parallel region, execute() stays on the
/// calling thread.
///
/// Each execute() throws UserError, before writing anything, if the arguments do not fit the problem: type and number
/// of arrays, null, misaligned or overlapping pointers, a workspace that is too small or overlaps the data. Pointers
/// point to the element with index 0. In place, the output is the input.
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

    const Transform& problem() const;
    std::string recipe() const;          ///< every choice made, as one line; PlanOptions::recipe accepts it
    std::size_t workspace_bytes() const; ///< allocated once per thread if execute() is given none
    int threads() const;                 ///< threads per execution: 1 where more would not pay
    double flops() const;                ///< real additions and multiplications of one execution
    double bytes() const;                ///< bytes read and written by its kernels

    Plan(const Plan&) = default;
    Plan& operator=(const Plan&) = default;
    ~Plan() = default;

private:
    friend SWIRL_API Plan plan(const Transform& problem, const PlanOptions& options);
    explicit Plan(std::shared_ptr<const planning::Plan> plan);
    void run(std::initializer_list<detail::Pointer> arrays, Workspace workspace) const;

    detail::Signature signature_;
    std::shared_ptr<const planning::Plan> plan_; ///< never empty: there is no move constructor to empty it
};

/// Derives, compiles and verifies a transform. Throws UserError if the problem cannot be computed, the cpu is unknown,
/// or the recipe does not fit.
SWIRL_API Plan plan(const Transform& problem, const PlanOptions& options = {});
inline Plan plan(std::string_view problem, const PlanOptions& options = {}) {
    return plan(parse_transform(problem), options);
}

} // namespace swirl
