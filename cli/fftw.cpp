#include "cli/peer.hpp"

#include <fmt/format.h>

#include <dlfcn.h>

#include <cstddef>
#include <memory>
#include <optional>

namespace swirl::cli {
namespace {

// The part of FFTW's binary interface that is used here, from its manual, sections 4.4 "Basic Interface" to
// 4.7 "Wisdom": fftw_ functions for double, fftwf_ for float, with the same signatures but for the element type.
struct FftwDimension {
    std::ptrdiff_t length, input_stride, output_stride;
};
using FftwPlan = void*;

constexpr unsigned fftw_flag_measure = 0;
constexpr unsigned fftw_flag_preserve_input = 1U << 4;
constexpr unsigned fftw_flag_patient = 1U << 5;
constexpr unsigned fftw_flag_estimate = 1U << 6;
constexpr int fftw_sign_forward = -1, fftw_sign_backward = 1;
constexpr int fftw_no_time_limit = -1;

/// Seconds after which FFTW makes do with the plans it has tried.
constexpr double patience = 5;

/// One of the two libraries; the functions are null where it is not installed.
class Library {
public:
    Library(const char* file, std::string prefix) : file_(file), prefix_(std::move(prefix)) {
        handle_ = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (handle_ == nullptr) return;
        complete_ = load(plan_dft, "plan_guru64_dft") && load(plan_split_dft, "plan_guru64_split_dft") &&
                    load(plan_r2c, "plan_guru64_dft_r2c") && load(plan_c2r, "plan_guru64_dft_c2r") &&
                    load(plan_split_r2c, "plan_guru64_split_dft_r2c") &&
                    load(plan_split_c2r, "plan_guru64_split_dft_c2r") && load(plan_r2r, "plan_guru64_r2r") &&
                    load(execute, "execute") && load(destroy_plan, "destroy_plan") &&
                    load(set_timelimit, "set_timelimit") && load(forget_wisdom, "forget_wisdom");
    }

    /// Why it cannot be used; empty when it can.
    std::string absent_because() const {
        if (handle_ == nullptr) return fmt::format("{} was not found", file_);
        return complete_ ? "" : fmt::format("{} lacks functions of FFTW 3.3", file_);
    }

    using Dimensions = const FftwDimension*;
    FftwPlan (*plan_dft)(int, Dimensions, int, Dimensions, void*, void*, int, unsigned) = nullptr;
    FftwPlan (*plan_split_dft)(int, Dimensions, int, Dimensions, void*, void*, void*, void*,
                               unsigned) = nullptr;
    FftwPlan (*plan_r2c)(int, Dimensions, int, Dimensions, void*, void*, unsigned) = nullptr;
    FftwPlan (*plan_c2r)(int, Dimensions, int, Dimensions, void*, void*, unsigned) = nullptr;
    FftwPlan (*plan_split_r2c)(int, Dimensions, int, Dimensions, void*, void*, void*, unsigned) = nullptr;
    FftwPlan (*plan_split_c2r)(int, Dimensions, int, Dimensions, void*, void*, void*, unsigned) = nullptr;
    FftwPlan (*plan_r2r)(int, Dimensions, int, Dimensions, void*, void*, const int*, unsigned) = nullptr;
    void (*execute)(FftwPlan) = nullptr;
    void (*destroy_plan)(FftwPlan) = nullptr;
    void (*set_timelimit)(double) = nullptr;
    void (*forget_wisdom)() = nullptr;

private:
    template <class Function> bool load(Function*& function, const char* name) {
        function = reinterpret_cast<Function*>(dlsym(handle_, (prefix_ + name).c_str()));
        return function != nullptr;
    }

    const char* file_;
    std::string prefix_;
    void* handle_ = nullptr; ///< kept: plans live as long as the program may
    bool complete_ = false;
};

const Library& library_for(Precision precision) {
    static const Library doubles("libfftw3.so.3", "fftw_");
    static const Library floats("libfftw3f.so.3", "fftwf_");
    return precision == Precision::float32 ? floats : doubles;
}

/// FFTW's name for a kind of real transform: REDFT01 … RODFT11 are 4, 5, 6, 7 and so on in an enumeration.
std::optional<int> r2r_kind(TransformKind kind) {
    enum { redft00 = 3, redft01, redft10, redft11, rodft00, rodft01, rodft10, rodft11 };
    switch (kind) {
    case TransformKind::dct2: return redft10;
    case TransformKind::dct3: return redft01;
    case TransformKind::dct4: return redft11;
    case TransformKind::dst2: return rodft10;
    case TransformKind::dst3: return rodft01;
    case TransformKind::dst4: return rodft11;
    case TransformKind::dft:
    case TransformKind::real_dft:
    case TransformKind::wht: break;
    }
    return std::nullopt;
}

std::vector<FftwDimension> loops_of(const std::vector<Dimension>& dimensions) {
    std::vector<FftwDimension> result;
    for (const Dimension& dimension : dimensions)
        result.push_back({dimension.length, dimension.input_stride, dimension.output_stride});
    return result;
}

/// The plan for a problem on its data; null where FFTW has none.
FftwPlan make_plan(const Library& fftw, const Problem& problem, const planning::Arguments& arguments,
                   unsigned flags) {
    // Of all kinds only this one writes over its input where it is not told otherwise; it can obey in one dimension.
    const bool half_spectrum_in =
        problem.kind == TransformKind::real_dft && problem.direction == Direction::backward;
    if (half_spectrum_in && problem.placement == Placement::out_of_place && problem.dimensions.size() == 1)
        flags |= fftw_flag_preserve_input;

    const auto dimensions = loops_of(problem.dimensions);
    const auto loops = loops_of(problem.batches);
    const int rank = static_cast<int>(dimensions.size()), loop_rank = static_cast<int>(loops.size());
    void* const in = const_cast<void*>(arguments.input);
    void* const out = arguments.output;
    void* const in_imaginary = const_cast<void*>(arguments.input_imaginary);
    void* const out_imaginary = arguments.output_imaginary;
    const bool forward = problem.direction == Direction::forward;
    const bool planar = problem.layout == ComplexLayout::planar;

    if (problem.kind == TransformKind::dft && planar) {
        // Exchanging real and imaginary parts on both sides turns the direction round.
        if (forward)
            return fftw.plan_split_dft(rank, dimensions.data(), loop_rank, loops.data(), in, in_imaginary,
                                       out, out_imaginary, flags);
        return fftw.plan_split_dft(rank, dimensions.data(), loop_rank, loops.data(), in_imaginary, in,
                                   out_imaginary, out, flags);
    }
    if (problem.kind == TransformKind::dft)
        return fftw.plan_dft(rank, dimensions.data(), loop_rank, loops.data(), in, out,
                             forward ? fftw_sign_forward : fftw_sign_backward, flags);
    if (problem.kind == TransformKind::real_dft && planar) {
        if (forward)
            return fftw.plan_split_r2c(rank, dimensions.data(), loop_rank, loops.data(), in, out,
                                       out_imaginary, flags);
        return fftw.plan_split_c2r(rank, dimensions.data(), loop_rank, loops.data(), in, in_imaginary, out,
                                   flags);
    }
    if (problem.kind == TransformKind::real_dft) {
        const auto plan = forward ? fftw.plan_r2c : fftw.plan_c2r;
        return plan(rank, dimensions.data(), loop_rank, loops.data(), in, out, flags);
    }
    const std::optional<int> kind = r2r_kind(problem.kind);
    if (!kind) return nullptr;
    const std::vector<int> kinds(dimensions.size(), *kind);
    return fftw.plan_r2r(rank, dimensions.data(), loop_rank, loops.data(), in, out, kinds.data(), flags);
}

PeerPlan plan_with(const Problem& problem, const planning::Arguments& arguments, unsigned flags) {
    const Library& fftw = library_for(problem.precision);
    if (const std::string reason = fftw.absent_because(); !reason.empty()) return {{}, reason};
    if (problem.scale != 1) return {{}, "FFTW does not scale"};
    fftw.forget_wisdom(); // so that one way of planning does not profit from the other
    fftw.set_timelimit(flags == fftw_flag_estimate ? fftw_no_time_limit : patience);
    FftwPlan const plan = make_plan(fftw, problem, arguments, flags);
    if (plan == nullptr) return {{}, "FFTW has no plan for it"};
    const std::shared_ptr<void> owner(plan, fftw.destroy_plan);
    return {[owner, execute = fftw.execute] { execute(owner.get()); }, ""};
}

} // namespace

const Peer fftw_estimate{"FFTW estimate", [](const Problem& problem, const planning::Arguments& arguments) {
                             return plan_with(problem, arguments, fftw_flag_estimate);
                         }};
const Peer fftw_measure{"FFTW measure", [](const Problem& problem, const planning::Arguments& arguments) {
                            return plan_with(problem, arguments, fftw_flag_measure);
                        }};
const Peer fftw_patient{"FFTW patient", [](const Problem& problem, const planning::Arguments& arguments) {
                            return plan_with(problem, arguments, fftw_flag_patient);
                        }};

} // namespace swirl::cli
