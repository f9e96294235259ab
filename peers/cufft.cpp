#include "peers/cufft.hpp"

#include "base/error.hpp"
#include "peers/cuda_library_files.hpp"
#include "peers/shared_library.hpp"
#include "problem/data_type.hpp"

#include <array>
#include <filesystem>
#include <vector>

namespace swirl::peers {
namespace {

namespace files = std::filesystem;
using runtime::CurrentGpu;

// The part of cuFFT's interface that is used here, with the numbers of its enumerations, from NVIDIA's manual of cuFFT
// ("cufftXt.h") and CUDA's table of data types. Functions return 0 or an error.
using PlanHandle = int;
using Length = long long;
enum CudaDataType : int {
    real_single = 0,
    real_double = 1,
    real_half = 2,
    complex_single = 4,
    complex_double = 5,
    complex_half = 6
};
enum : int { cufft_forward = -1, cufft_inverse = 1 };

/// Libraries that cuFFT may ask for by name, which no loader's path leads to where they come with Python's packages.
void load_companions() {
    for (const files::path& folder : cuda_library_folders())
        for (const files::path& near : {folder, folder.parent_path().parent_path() / "nvjitlink" / "lib"})
            for (const files::path& file : entries_of(near, "libnvJitLink.so."))
                if (SharedLibrary({file.string()}).is_open()) return;
}

class CufftLibrary {
public:
    static const CufftLibrary& get() {
        static const CufftLibrary library;
        return library;
    }

    std::string absent_because() const {
        if (!library_.is_open()) return library_.absent_because() + "; SWIRL_CUFFT can name its library";
        return complete_ ? "" : "the library lacks functions of cuFFT";
    }
    std::string version() const {
        int version = 0;
        get_version(&version);
        // 12000 is 12.0.0, 11406 is 11.4.6
        return fmt::format("cuFFT {}.{}.{}", version / 1000, version % 1000 / 100, version % 100);
    }

    int (*create)(PlanHandle*) = nullptr;
    int (*destroy)(PlanHandle) = nullptr;
    int (*set_stream)(PlanHandle, runtime::cuda::Stream) = nullptr;
    int (*make_plan)(PlanHandle, int rank, Length* lengths, Length* input_embed, Length input_stride,
                     Length input_distance, int input_type, Length* output_embed, Length output_stride,
                     Length output_distance, int output_type, Length batch, std::size_t* workspace,
                     int arithmetic) = nullptr;
    int (*execute)(PlanHandle, void* input, void* output, int direction) = nullptr;

private:
    CufftLibrary() : library_(files_after_companions()) {
        complete_ = library_.load(create, "cufftCreate") && library_.load(destroy, "cufftDestroy") &&
                    library_.load(set_stream, "cufftSetStream") &&
                    library_.load(make_plan, "cufftXtMakePlanMany") &&
                    library_.load(execute, "cufftXtExec") && library_.load(get_version, "cufftGetVersion");
    }
    static std::vector<std::string> files_after_companions() {
        constexpr std::array versions = {12, 11};
        if (environment_variable("SWIRL_CUFFT").empty()) load_companions();
        return cuda_library_files("SWIRL_CUFFT", "libcufft.so", versions);
    }

    SharedLibrary library_;
    bool complete_ = false;
    int (*get_version)(int*) = nullptr;
};

std::string error_text(int error) {
    static constexpr std::array names = {"success",        "invalid plan",          "out of memory",
                                         "invalid type",   "invalid value",         "internal error",
                                         "cannot launch",  "setup failed",          "invalid size",
                                         "unaligned data", "incomplete parameters", "invalid device"};
    const auto number = static_cast<std::size_t>(error);
    return fmt::format("error {}{}", error,
                       error > 0 && number < names.size() ? fmt::format(" ({})", names[number]) : "");
}

void check(int error, const char* call) {
    if (error != 0) throw UserError("{} gives {}", call, error_text(error));
}

int type_of(const Transform& problem, bool complex) {
    switch (problem.precision) {
    case DataType::float16: return complex ? complex_half : real_half;
    case DataType::float32: return complex ? complex_single : real_single;
    case DataType::float64: return complex ? complex_double : real_double;
    default: throw UserError("cuFFT is not compared in {}", name_of(problem.precision));
    }
}

/// Whether all lies one after the other, which cuFFT is told by giving it no layout.
bool is_contiguous(const Transform& problem) {
    std::vector<Integer> lengths;
    for (const Dimension& dimension : problem.dimensions) lengths.push_back(dimension.length);
    TransformOptions options{
        .direction = problem.direction, .precision = problem.precision, .placement = problem.placement};
    if (!problem.batches.empty()) options.batches = {{.count = problem.batches[0].length}};
    return Transform::make(problem.kind, lengths, options) == problem;
}

void require_comparable(const Transform& problem) {
    if (problem.kind != TransformKind::dft && problem.kind != TransformKind::real_dft)
        throw UserError("cuFFT has dft and rdft only");
    if (problem.layout == ComplexLayout::planar) throw UserError("cuFFT has no planar data");
    if (problem.scale != 1) throw UserError("cuFFT has no scaling");
    if (problem.placement == Placement::in_place && problem.kind != TransformKind::dft)
        throw UserError("cuFFT is compared in place on dft only");
    if (problem.batches.size() > 1) throw UserError("cuFFT has one loop of batches");
    if (problem.dimensions.size() > 1 && !is_contiguous(problem))
        throw UserError("cuFFT is compared with strides in one dimension only");
}

} // namespace

std::string cufft_absent_because() { return CufftLibrary::get().absent_because(); }

std::string cufft_version() {
    const std::string file = loaded_library({"libcufft"});
    return CufftLibrary::get().version() + (file.empty() ? "" : ", " + file);
}

struct CufftPlan::Handle {
    explicit Handle(const runtime::GpuDevice& of) : device(of) {
        check(CufftLibrary::get().create(&number), "cufftCreate");
    }
    ~Handle() {
        runtime::release_on(device, [&] { CufftLibrary::get().destroy(number); });
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    runtime::GpuDevice device;
    PlanHandle number = 0;
};

CufftPlan::CufftPlan(const Transform& problem, const runtime::GpuDevice& device, runtime::cuda::Stream stream)
    : device_(device), direction_(problem.direction) {
    if (const std::string reason = cufft_absent_because(); !reason.empty()) throw UserError("{}", reason);
    require_comparable(problem);
    const CufftLibrary& library = CufftLibrary::get();
    const CurrentGpu current(device);
    handle_ = std::make_shared<const Handle>(device);
    std::vector<Length> lengths;
    for (const Dimension& dimension : problem.dimensions) lengths.push_back(dimension.length);
    std::vector<Length> embed = lengths; // of which cuFFT reads those after the first
    Length* const layout = is_contiguous(problem) ? nullptr : embed.data();
    const Dimension batch = problem.batches.empty() ? Dimension{} : problem.batches[0];
    const Dimension& inner = problem.dimensions.back();
    check(library.make_plan(handle_->number, static_cast<int>(lengths.size()), lengths.data(), layout,
                            inner.input_stride, batch.input_stride,
                            type_of(problem, is_complex(problem, Side::input)), layout, inner.output_stride,
                            batch.output_stride, type_of(problem, is_complex(problem, Side::output)),
                            batch.length, &workspace_bytes_, type_of(problem, true)),
          "cufftXtMakePlanMany");
    check(library.set_stream(handle_->number, stream), "cufftSetStream");
}

void CufftPlan::run(const void* input, void* output, Direction direction) const {
    const CurrentGpu current(device_);
    check(CufftLibrary::get().execute(handle_->number, const_cast<void*>(input), output,
                                      direction == Direction::forward ? cufft_forward : cufft_inverse),
          "cufftXtExec");
}

} // namespace swirl::peers
