#include "cufft/plan.hpp"

#include "cufft/known_variants.hpp"
#include "plan/transform/gpu/workspace.hpp"
#include "problem/problem.hpp"
#include "runtime/cuda/devices.hpp"
#include "runtime/cuda/driver.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>

namespace swirl::cufft {
namespace {

/// Programs may give memory of any alignment.
std::size_t area_bytes_of(const Variants& variants) {
    const std::size_t needed = variants.workspace_bytes();
    return needed == 0 ? 0 : needed + planning::workspace_alignment;
}

void* aligned(void* area) {
    return reinterpret_cast<void*>(planning::aligned_bytes(reinterpret_cast<std::uintptr_t>(area)));
}

Direction direction_of(int sign) {
    require(sign == forward_sign || sign == inverse_sign, Status::invalid_value);
    return sign == forward_sign ? Direction::forward : Direction::backward;
}

void require_known(PlanProperty property) {
    require(property == PlanProperty::patient_jit || property == PlanProperty::max_host_threads,
            Status::invalid_value);
}

} // namespace

int current_gpu() {
    const runtime::CudaDriver& driver = runtime::CudaDriver::of_host();
    runtime::cuda::DeviceHandle device = 0;
    const runtime::cuda::Result result = driver->cuCtxGetDevice(&device);
    if (result == runtime::cuda::invalid_context) return 0;
    driver.check(result, "cuCtxGetDevice");
    return device;
}

std::size_t work_area_bytes(const Request& request) {
    return area_bytes_of(*KnownVariants::of_process().get(request, current_gpu()));
}

std::size_t Plan::make(const Request& request) {
    std::optional<int> ordinal;
    {
        const std::lock_guard lock(mutex_);
        require(!made_, Status::invalid_plan);
        ordinal = ordinal_;
    }
    if (!ordinal) ordinal = current_gpu();
    const auto variants =
        KnownVariants::of_process().get(request, *ordinal); // without the lock, as it takes long
    const std::size_t bytes = area_bytes_of(*variants);
    const std::lock_guard lock(mutex_);
    require(!made_, Status::invalid_plan);
    if (allocates_ && area_ == nullptr && bytes > 0) {
        own_area_.emplace(runtime::device_numbered(*ordinal), bytes);
        area_ = reinterpret_cast<void*>(own_area_->address());
    }
    made_ = Made{request, *ordinal, variants};
    return bytes;
}

const Plan::Made& Plan::made() const {
    require(made_.has_value(), Status::invalid_plan);
    return *made_;
}

std::size_t Plan::work_area_bytes() const {
    const std::lock_guard lock(mutex_);
    return area_bytes_of(*made().variants);
}

void Plan::set_stream(runtime::cuda::Stream stream) {
    const std::lock_guard lock(mutex_);
    stream_ = stream;
}

void Plan::set_auto_allocation(bool allocates) {
    const std::lock_guard lock(mutex_);
    allocates_ = allocates;
}

void Plan::set_work_area(void* area) {
    const std::lock_guard lock(mutex_);
    own_area_.reset();
    area_ = area;
}

void Plan::set_work_area_policy(WorkAreaPolicy policy, std::size_t* bytes) {
    require(policy == WorkAreaPolicy::minimal || policy == WorkAreaPolicy::user ||
                policy == WorkAreaPolicy::performance,
            Status::invalid_value);
    const std::size_t needed = work_area_bytes();
    if (policy == WorkAreaPolicy::user) require(bytes != nullptr && *bytes >= needed, Status::invalid_size);
    if (bytes != nullptr) *bytes = needed;
}

void Plan::set_gpu(int ordinal) {
    require(ordinal >= 0 && ordinal < gpu_count(), Status::invalid_device);
    const std::lock_guard lock(mutex_);
    require(!made_, Status::invalid_plan);
    ordinal_ = ordinal;
}

void Plan::set_property(PlanProperty property, Long value) {
    require_known(property);
    const std::lock_guard lock(mutex_);
    require(!made_, Status::invalid_plan);
    properties_[property] = value;
}

Long Plan::property(PlanProperty property) const {
    require_known(property);
    const std::lock_guard lock(mutex_);
    const auto known = properties_.find(property);
    return known == properties_.end() ? 0 : known->second;
}

void Plan::reset_property(PlanProperty property) {
    require_known(property);
    const std::lock_guard lock(mutex_);
    properties_.erase(property);
}

void Plan::execute(std::optional<Kind> asked, const void* input, void* output, int sign) const {
    std::shared_ptr<const Variants> variants;
    Kind kind{};
    runtime::cuda::Stream stream = nullptr;
    void* area = nullptr;
    {
        const std::lock_guard lock(mutex_);
        kind = made().request.kind;
        variants = made_->variants;
        stream = stream_;
        area = area_;
    }
    require(!asked || *asked == kind, Status::invalid_type);
    require(input != nullptr && output != nullptr, Status::invalid_value);
    const Direction direction = kind.sides == Kind::Sides::complex           ? direction_of(sign)
                                : kind.sides == Kind::Sides::real_to_complex ? Direction::forward
                                                                             : Direction::backward;
    const planning::GpuPlan* const plan =
        variants->find(direction, input == output ? Placement::in_place : Placement::out_of_place);
    require(plan != nullptr, Status::invalid_value);
    require(area != nullptr || plan->workspace_bytes() == 0, Status::no_workspace);
    plan->execute_anywhere({.input = input, .output = output}, stream, aligned(area));
}

std::size_t Plan::bytes_of(SubFormat format) const {
    const std::lock_guard lock(mutex_);
    const bool in_place = format == SubFormat::in_place || format == SubFormat::in_place_shuffled;
    require(in_place || format == SubFormat::input || format == SubFormat::output, Status::invalid_value);
    const Request& request = made().request;
    const Transform transform = transform_of(request, directions_of(request.kind).front(),
                                             in_place ? Placement::in_place : Placement::out_of_place);
    const auto bytes = [&](Side side) {
        return static_cast<std::size_t>((extent(transform, side).highest + 1) *
                                        element_bytes(transform, side));
    };
    if (in_place) return std::max(bytes(Side::input), bytes(Side::output));
    return bytes(format == SubFormat::input ? Side::input : Side::output);
}

const runtime::GpuDevice& Plan::device() const {
    const std::lock_guard lock(mutex_);
    return runtime::device_numbered(made().ordinal);
}

} // namespace swirl::cufft
