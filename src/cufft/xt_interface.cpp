#include "cufft/descriptors.hpp"
#include "cufft/interface.hpp"
#include "cufft/plans.hpp"
#include "cufft/status_of.hpp"

#include <memory>
#include <optional>

// What cufftXt.h adds for several GPUs, of which there is one here, and for callbacks, of which there are none.

namespace {

using namespace swirl;
using namespace swirl::cufft;

Status execute_descriptors(Handle handle, std::optional<Type> type, const Descriptor* input,
                           const Descriptor* output, int sign) {
    return status_of([&] {
        const std::shared_ptr<Plan> plan = plan_of(handle);
        const std::optional<Kind> asked = type ? std::optional(kind_of(*type)) : std::nullopt;
        plan->execute(asked, data_of(input), data_of(output), sign);
    });
}

Status refuse(Handle plan, Status status) {
    return status_of([&] {
        plan_of(plan);
        throw Refusal(status);
    });
}

} // namespace

extern "C" {

Status cufftXtSetGPUs(Handle plan, int count, int* ordinals) {
    return status_of([&] {
        const std::shared_ptr<Plan> found = plan_of(plan);
        require(count >= 1 && ordinals != nullptr, Status::invalid_value);
        require(count == 1, Status::not_supported);
        found->set_gpu(ordinals[0]);
    });
}
Status cufftXtSetWorkArea(Handle plan, void** areas) {
    return status_of([&] {
        const std::shared_ptr<Plan> found = plan_of(plan);
        require(areas != nullptr, Status::invalid_value);
        found->set_work_area(areas[0]);
    });
}
Status cufftXtSetWorkAreaPolicy(Handle plan, WorkAreaPolicy policy, std::size_t* bytes) {
    return status_of([&] { plan_of(plan)->set_work_area_policy(policy, bytes); });
}

Status cufftXtMalloc(Handle plan, Descriptor** descriptor, SubFormat format) {
    return status_of([&] {
        const std::shared_ptr<Plan> found = plan_of(plan);
        require(descriptor != nullptr, Status::invalid_value);
        *descriptor = make_descriptor(*found, format);
    });
}
Status cufftXtFree(Descriptor* descriptor) {
    return status_of([&] { free_descriptor(descriptor); });
}
Status cufftXtMemcpy(Handle plan, void* to, void* from, CopyType type) {
    return status_of([&] {
        const std::shared_ptr<Plan> found = plan_of(plan);
        switch (type) {
        case CopyType::host_to_device: return copy_to_descriptor(*found, static_cast<Descriptor*>(to), from);
        case CopyType::device_to_host:
            return copy_from_descriptor(*found, to, static_cast<Descriptor*>(from));
        case CopyType::device_to_device:
            return copy_between_descriptors(*found, static_cast<Descriptor*>(to),
                                            static_cast<Descriptor*>(from));
        }
        throw Refusal(Status::invalid_value);
    });
}

Status cufftXtExecDescriptor(Handle plan, Descriptor* input, Descriptor* output, int sign) {
    return execute_descriptors(plan, {}, input, output, sign);
}
Status cufftXtExecDescriptorC2C(Handle plan, Descriptor* input, Descriptor* output, int sign) {
    return execute_descriptors(plan, Type::c2c, input, output, sign);
}
Status cufftXtExecDescriptorR2C(Handle plan, Descriptor* input, Descriptor* output) {
    return execute_descriptors(plan, Type::r2c, input, output, forward_sign);
}
Status cufftXtExecDescriptorC2R(Handle plan, Descriptor* input, Descriptor* output) {
    return execute_descriptors(plan, Type::c2r, input, output, inverse_sign);
}
Status cufftXtExecDescriptorZ2Z(Handle plan, Descriptor* input, Descriptor* output, int sign) {
    return execute_descriptors(plan, Type::z2z, input, output, sign);
}
Status cufftXtExecDescriptorD2Z(Handle plan, Descriptor* input, Descriptor* output) {
    return execute_descriptors(plan, Type::d2z, input, output, forward_sign);
}
Status cufftXtExecDescriptorZ2D(Handle plan, Descriptor* input, Descriptor* output) {
    return execute_descriptors(plan, Type::z2d, input, output, inverse_sign);
}
Status cufftXtQueryPlan(Handle plan, void*, int) { return refuse(plan, Status::not_supported); }

Status cufftXtSetCallback(Handle plan, void**, int, void**) { return refuse(plan, Status::not_implemented); }
Status cufftXtClearCallback(Handle plan, int) { return refuse(plan, Status::not_implemented); }
Status cufftXtSetCallbackSharedSize(Handle plan, int, std::size_t) {
    return refuse(plan, Status::not_implemented);
}
Status cufftXtSetJITCallback(Handle plan, const char*, const void*, std::size_t, int, void**) {
    return refuse(plan, Status::not_supported);
}
Status __cufftXtSetJITCallback_12_7(Handle plan, const char*, const void*, std::size_t, int, void**) {
    return refuse(plan, Status::not_supported);
}

} // extern "C"
