#include "peers/vkfft.hpp"

#include "base/error.hpp"
#include "peers/shared_library.hpp"
#include "peers/vkfft/plugin.hpp"
#include "problem/syntax.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace swirl::peers {
namespace {

constexpr const char* usual_name = "libswirl_vkfft.so";

std::vector<std::string> candidates() {
    if (const char* const own = std::getenv("SWIRL_VKFFT"); own != nullptr && *own != '\0') return {own};
    std::error_code ignored;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
    return {(program.parent_path() / usual_name).string(), usual_name};
}

/// The library's functions, if it is there.
struct Vkfft {
    VkfftPlanFunction* plan = nullptr;
    VkfftExecuteFunction* execute = nullptr;
    VkfftDestroyFunction* destroy = nullptr;
    VkfftVersionFunction* version = nullptr;
    std::string absent_because;

    static const Vkfft& get() {
        static const Vkfft vkfft;
        return vkfft;
    }

private:
    Vkfft() {
        const SharedLibrary library(candidates());
        if (!library.is_open())
            absent_because = "VkFFT: " + library.absent_because() +
                             "; it is built where CMake finds vkFFT.h (SWIRL_VKFFT_INCLUDE_DIR)";
        else if (!library.load(plan, vkfft_plan_name) || !library.load(execute, vkfft_execute_name) ||
                 !library.load(destroy, vkfft_destroy_name) || !library.load(version, vkfft_version_name))
            absent_because = "VkFFT: its library lacks functions";
    }
};

/// Whether the data is as a problem has it that says nothing of strides.
bool states_no_strides(const Transform& problem) {
    if (problem.layout != ComplexLayout::interleaved || problem.batches.size() > 1) return false;
    Integer stride = 1;
    std::vector<Dimension> axes = problem.batches;
    axes.insert(axes.end(), problem.dimensions.begin(), problem.dimensions.end());
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        if (axis->input_stride != stride || axis->output_stride != stride) return false;
        stride *= axis->length;
    }
    return true;
}

VkfftRequest request_for(const Transform& problem, const runtime::GpuDevice& device,
                         runtime::cuda::Stream stream) {
    const bool in_place = problem.placement == Placement::in_place;
    const bool inverse = problem.direction == Direction::backward;
    const bool suits = problem.kind == TransformKind::dft && bytes_of(problem.precision) >= 4 &&
                       problem.scale == 1 && problem.dimensions.size() <= 3 && states_no_strides(problem) &&
                       (in_place || !inverse);
    if (!suits)
        throw UserError(
            "VkFFT is compared on forward complex transforms of contiguous data, backward ones in "
            "place\n  problem: {}",
            to_text(problem));
    VkfftRequest request{.lengths = {1, 1, 1},
                         .dimensions = problem.dimensions.size(),
                         .batch = 1,
                         .is_double = problem.precision == DataType::float64,
                         .is_inverse = inverse,
                         .is_in_place = in_place,
                         .device = device.properties().index,
                         .stream = stream};
    for (std::size_t k = 0; k < problem.dimensions.size(); ++k)
        request.lengths[problem.dimensions.size() - 1 - k] =
            static_cast<std::uint64_t>(problem.dimensions[k].length);
    if (!problem.batches.empty()) request.batch = static_cast<std::uint64_t>(problem.batches[0].length);
    return request;
}

} // namespace

std::string vkfft_absent_because() { return Vkfft::get().absent_because; }

std::string vkfft_version() {
    const int version = Vkfft::get().version();
    return fmt::format("VkFFT {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

VkfftPlan::VkfftPlan(const Transform& problem, const runtime::GpuDevice& device, runtime::cuda::Stream stream)
    : device_(device) {
    const Vkfft& vkfft = Vkfft::get();
    if (!vkfft.absent_because.empty()) throw UserError("{}", vkfft.absent_because);
    const VkfftRequest request = request_for(problem, device, stream);
    const runtime::CurrentGpu current(device_);
    std::array<char, 256> error{};
    void* const plan = vkfft.plan(&request, error.data(), error.size());
    if (plan == nullptr) throw UserError("VkFFT: {}\n  problem: {}", error.data(), to_text(problem));
    plan_ = std::shared_ptr<void>(plan, [device = device_](void* each) {
        runtime::release_on(device, [&] { Vkfft::get().destroy(each); });
    });
}

void VkfftPlan::execute(const void* input, void* output) const {
    const runtime::CurrentGpu current(device_);
    const int result = Vkfft::get().execute(plan_.get(), const_cast<void*>(input), output);
    if (result != 0) throw InternalError("VkFFT answers {}", result);
}

} // namespace swirl::peers
