#include "peers/fftw_library.hpp"
#include "peers/peer.hpp"
#include "search/cost/cpu/host.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <system_error>

namespace swirl::peers {
namespace {

/// FFTW's enumerator of a kind of real transform.
std::optional<int> r2r_kind(TransformKind kind) {
    enum { r2hc, hc2r, dht, redft00, redft01, redft10, redft11, rodft00, rodft01, rodft10, rodft11 };
    switch (kind) {
    case TransformKind::dct1: return redft00;
    case TransformKind::dct2: return redft10;
    case TransformKind::dct3: return redft01;
    case TransformKind::dct4: return redft11;
    case TransformKind::dst1: return rodft00;
    case TransformKind::dst2: return rodft10;
    case TransformKind::dst3: return rodft01;
    case TransformKind::dst4: return rodft11;
    case TransformKind::dht: return dht;
    case TransformKind::r2hc: return r2hc;
    case TransformKind::hc2r: return hc2r;
    case TransformKind::dft:
    case TransformKind::real_dft:
    case TransformKind::wht:
    case TransformKind::wht_dyadic:
    case TransformKind::wht_sequency:
    case TransformKind::dct5:
    case TransformKind::dct6:
    case TransformKind::dct7:
    case TransformKind::dct8:
    case TransformKind::dst5:
    case TransformKind::dst6:
    case TransformKind::dst7:
    case TransformKind::dst8:
    case TransformKind::mixed:
    case TransformKind::convolution:
    case TransformKind::real_convolution:
    case TransformKind::formula:
    case TransformKind::real_formula: break;
    }
    return std::nullopt;
}

std::vector<FftwLibrary::Dimension> loops_of(const std::vector<Dimension>& dimensions) {
    std::vector<FftwLibrary::Dimension> result;
    for (const Dimension& dimension : dimensions)
        result.push_back({dimension.length, dimension.input_stride, dimension.output_stride});
    return result;
}

/// The plan for a problem on its data; null where FFTW has none.
FftwLibrary::Plan make_plan(const FftwLibrary& fftw, const Transform& problem,
                            const planning::Arguments& arguments, unsigned flags) {
    // Of all kinds only this one writes over its input where it is not told otherwise; it can obey in one dimension.
    const bool half_spectrum_in =
        problem.kind == TransformKind::real_dft && problem.direction == Direction::backward;
    if (half_spectrum_in && problem.placement == Placement::out_of_place && problem.dimensions.size() == 1)
        flags |= FftwLibrary::preserve_input;

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
                             forward ? FftwLibrary::forward : FftwLibrary::backward, flags);
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
    std::vector<int> kinds;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
        const std::optional<int> kind = r2r_kind(kind_along(problem, d));
        if (!kind) return nullptr;
        kinds.push_back(*kind);
    }
    return fftw.plan_r2r(rank, dimensions.data(), loop_rank, loops.data(), in, out, kinds.data(), flags);
}

/// A way of planning, and that which FFTW falls back to when the time is up.
struct Effort {
    unsigned flags;
    const char* name;
};
constexpr Effort efforts[] = {{FftwLibrary::patient, "patient"},
                              {FftwLibrary::measure, "measure"},
                              {FftwLibrary::estimate, "estimate"}};

/// A plan and what it says of itself.
struct Planned {
    std::shared_ptr<void> plan;
    std::string effort;
};

class Planner {
public:
    Planner(FftwLibrary::Build build, const Transform& problem, const planning::Arguments& arguments,
            const PeerOptions& options, unsigned flags)
        : fftw_(FftwLibrary::get(build, problem.precision)),
          problem_(problem),
          arguments_(arguments),
          options_(options),
          flags_(flags) {}

    PeerPlan plan() const {
        if (const std::string reason = fftw_.absent_because(); !reason.empty()) return {{}, reason};
        if (problem_.scale != 1) return {{}, "FFTW does not scale"};
        if (!fftw_.use_threads(options_.threads)) return {{}, "its library for threads was not found"};
        Planned best;
        if (flags_ == FftwLibrary::estimate)
            best = {make(flags_), "estimate"};
        else if (best = remembered(); best.plan == nullptr)
            best = stored(planned_in_time());
        if (best.plan == nullptr) return {{}, "FFTW has no plan for it"};
        return {[plan = best.plan, execute = fftw_.execute] { execute(plan.get()); }, "",
                fmt::format("{}, {}", fftw_.version(), best.effort)};
    }

private:
    std::shared_ptr<void> make(unsigned flags) const {
        FftwLibrary::Plan const plan = make_plan(fftw_, problem_, arguments_, flags);
        return plan == nullptr ? nullptr : std::shared_ptr<void>(plan, fftw_.destroy_plan);
    }

    /// The plan that wisdom holds, with the effort that found it.
    Planned known() const {
        for (const Effort& effort : efforts)
            if (auto plan = make(effort.flags | FftwLibrary::wisdom_only))
                return {std::move(plan), effort.name};
        return {};
    }

    Planned remembered() const {
        const std::filesystem::path file = memory();
        fftw_.forget_wisdom();
        if (file.empty() || !std::filesystem::exists(file)) return {};
        if (fftw_.import_wisdom_from_filename(file.c_str()) == 0) return {};
        Planned found = known();
        if (found.plan != nullptr) found.effort += ", remembered";
        return found;
    }

    /// The effort asked for or, when the time is up, the next lower one. FFTW falls back by itself, too, but leaves no
    /// wisdom then.
    Planned planned_in_time() const {
        for (const Effort& effort : efforts) {
            if (effort.flags == FftwLibrary::patient && flags_ != FftwLibrary::patient) continue;
            fftw_.forget_wisdom(); // so that each planning finds its own way
            fftw_.set_timelimit(effort.flags == FftwLibrary::estimate ? FftwLibrary::no_time_limit
                                                                      : options_.seconds);
            auto plan = make(effort.flags);
            if (plan == nullptr) return {};
            if (known().plan != nullptr) return {std::move(plan), effort.name};
        }
        return {};
    }

    /// For later runs; what cannot be stored is planned again.
    Planned stored(Planned planned) const {
        const std::filesystem::path file = memory();
        std::error_code ignored;
        if (planned.plan == nullptr || file.empty()) return planned;
        std::filesystem::create_directories(file.parent_path(), ignored);
        fftw_.export_wisdom_to_filename(file.c_str());
        return planned;
    }

    /// One file for each problem, effort, library and machine.
    std::filesystem::path memory() const {
        if (options_.found_plans.empty()) return {};
        std::uint64_t hash = 14695981039346656037U; // FNV-1a
        for (const char c : search::host_key(search::this_host()) + fftw_.version()) {
            hash ^= static_cast<unsigned char>(c);
            hash *= 1099511628211U;
        }
        std::string name =
            fmt::format("{} {} threads={}", to_text(problem_),
                        flags_ == FftwLibrary::patient ? "patient" : "measure", options_.threads);
        for (char& c : name)
            if (c == ' ' || c == '/') c = '_';
        return options_.found_plans / fmt::format("{:016x}", hash) / name;
    }

    const FftwLibrary& fftw_;
    const Transform& problem_;
    const planning::Arguments& arguments_;
    const PeerOptions& options_;
    unsigned flags_;
};

/// The size up to which users who care for speed let FFTW plan patiently.
constexpr Integer patient_up_to = 65536;

template <FftwLibrary::Build build, unsigned flags>
PeerPlan plan_with(const Transform& problem, const planning::Arguments& arguments,
                   const PeerOptions& options) {
    return Planner(build, problem, arguments, options, flags).plan();
}

template <FftwLibrary::Build build>
PeerPlan plan_by_size(const Transform& problem, const planning::Arguments& arguments,
                      const PeerOptions& options) {
    const bool patiently = transform_size(problem) <= patient_up_to;
    const unsigned flags = patiently ? FftwLibrary::patient : FftwLibrary::measure;
    return Planner(build, problem, arguments, options, flags).plan();
}

using Build = FftwLibrary::Build;

} // namespace

const Peer fftw_estimate{"fftw-estimate", "FFTW estimate", plan_with<Build::system, FftwLibrary::estimate>};
const Peer fftw_measure{"fftw-measure", "FFTW measure", plan_with<Build::system, FftwLibrary::measure>};
const Peer fftw_patient{"fftw-patient", "FFTW patient", plan_with<Build::system, FftwLibrary::patient>};
const Peer fftw{"fftw", "FFTW", plan_by_size<Build::system>};
const Peer fftw_avx512{"fftw-avx512", "FFTW AVX-512", plan_by_size<Build::avx512>};
const Peer aocl_fftw{"aocl-fftw", "AOCL-FFTW", plan_by_size<Build::aocl>};

} // namespace swirl::peers
