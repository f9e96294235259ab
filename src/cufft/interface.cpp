#include "cufft/interface.hpp"

#include "cufft/plans.hpp"
#include "cufft/request.hpp"
#include "cufft/status_of.hpp"
#include "cufft/version.hpp"

#include <array>
#include <memory>

namespace {

using namespace swirl;
using namespace swirl::cufft;

/// What a call plans: made after the handle and the pointers have been looked at.
template <class MakeRequest> Status make(Handle handle, std::size_t* bytes, MakeRequest&& request) {
    return status_of([&] {
        const std::shared_ptr<Plan> plan = plan_of(handle);
        require(bytes != nullptr, Status::invalid_value);
        *bytes = plan->make(request());
    });
}
template <class MakeRequest> Status create_and_make(Handle* handle, MakeRequest&& request) {
    return status_of([&] {
        require(handle != nullptr, Status::invalid_value);
        const Request checked = request();
        const Handle created = Plans::of_process().create();
        try {
            plan_of(created)->make(checked);
        } catch (...) {
            Plans::of_process().destroy(created);
            throw;
        }
        *handle = created;
    });
}
template <class MakeRequest> Status estimate(std::size_t* bytes, MakeRequest&& request) {
    return status_of([&] {
        require(bytes != nullptr, Status::invalid_value);
        *bytes = work_area_bytes(request());
    });
}
template <class MakeRequest> Status estimate_for(Handle handle, std::size_t* bytes, MakeRequest&& request) {
    return status_of([&] {
        plan_of(handle);
        require(bytes != nullptr, Status::invalid_value);
        *bytes = work_area_bytes(request());
    });
}

template <class Int> constexpr SideArguments<Int> default_side = {nullptr, 1, 0};

template <std::size_t rank>
Request contiguous(const std::array<int, rank>& lengths, Type type, int batch = 1) {
    return request(kind_of(type), static_cast<int>(rank), lengths.data(), default_side<int>,
                   default_side<int>, batch);
}

Status execute(Handle handle, Type type, const void* input, void* output, int sign) {
    return status_of([&] { plan_of(handle)->execute(kind_of(type), input, output, sign); });
}

} // namespace

extern "C" {

Status cufftCreate(Handle* plan) {
    return status_of([&] {
        require(plan != nullptr, Status::invalid_value);
        *plan = Plans::of_process().create();
    });
}

Status cufftDestroy(Handle plan) {
    return status_of([&] {
        if (plan != null_plan) Plans::of_process().destroy(plan);
    });
}

Status cufftPlan1d(Handle* plan, int nx, Type type, int batch) {
    return create_and_make(plan, [&] { return contiguous<1>({nx}, type, batch); });
}
Status cufftPlan2d(Handle* plan, int nx, int ny, Type type) {
    return create_and_make(plan, [&] { return contiguous<2>({nx, ny}, type); });
}
Status cufftPlan3d(Handle* plan, int nx, int ny, int nz, Type type) {
    return create_and_make(plan, [&] { return contiguous<3>({nx, ny, nz}, type); });
}
Status cufftPlanMany(Handle* plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                     int ostride, int odist, Type type, int batch) {
    return create_and_make(plan, [&] {
        return request<int>(kind_of(type), rank, n, {inembed, istride, idist}, {onembed, ostride, odist},
                            batch);
    });
}

Status cufftMakePlan1d(Handle plan, int nx, Type type, int batch, std::size_t* bytes) {
    return make(plan, bytes, [&] { return contiguous<1>({nx}, type, batch); });
}
Status cufftMakePlan2d(Handle plan, int nx, int ny, Type type, std::size_t* bytes) {
    return make(plan, bytes, [&] { return contiguous<2>({nx, ny}, type); });
}
Status cufftMakePlan3d(Handle plan, int nx, int ny, int nz, Type type, std::size_t* bytes) {
    return make(plan, bytes, [&] { return contiguous<3>({nx, ny, nz}, type); });
}
Status cufftMakePlanMany(Handle plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                         int ostride, int odist, Type type, int batch, std::size_t* bytes) {
    return make(plan, bytes, [&] {
        return request<int>(kind_of(type), rank, n, {inembed, istride, idist}, {onembed, ostride, odist},
                            batch);
    });
}
Status cufftMakePlanMany64(Handle plan, int rank, Long* n, Long* inembed, Long istride, Long idist,
                           Long* onembed, Long ostride, Long odist, Type type, Long batch,
                           std::size_t* bytes) {
    return make(plan, bytes, [&] {
        return request<Long>(kind_of(type), rank, n, {inembed, istride, idist}, {onembed, ostride, odist},
                             batch);
    });
}
Status cufftXtMakePlanMany(Handle plan, int rank, Long* n, Long* inembed, Long istride, Long idist,
                           ElementType input, Long* onembed, Long ostride, Long odist, ElementType output,
                           Long batch, std::size_t* bytes, ElementType arithmetic) {
    return make(plan, bytes, [&] {
        return request<Long>(kind_of(input, output, arithmetic), rank, n, {inembed, istride, idist},
                             {onembed, ostride, odist}, batch);
    });
}

Status cufftEstimate1d(int nx, Type type, int batch, std::size_t* bytes) {
    return estimate(bytes, [&] { return contiguous<1>({nx}, type, batch); });
}
Status cufftEstimate2d(int nx, int ny, Type type, std::size_t* bytes) {
    return estimate(bytes, [&] { return contiguous<2>({nx, ny}, type); });
}
Status cufftEstimate3d(int nx, int ny, int nz, Type type, std::size_t* bytes) {
    return estimate(bytes, [&] { return contiguous<3>({nx, ny, nz}, type); });
}
Status cufftEstimateMany(int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
                         int odist, Type type, int batch, std::size_t* bytes) {
    return estimate(bytes, [&] {
        return request<int>(kind_of(type), rank, n, {inembed, istride, idist}, {onembed, ostride, odist},
                            batch);
    });
}

Status cufftGetSize1d(Handle plan, int nx, Type type, int batch, std::size_t* bytes) {
    return estimate_for(plan, bytes, [&] { return contiguous<1>({nx}, type, batch); });
}
Status cufftGetSize2d(Handle plan, int nx, int ny, Type type, std::size_t* bytes) {
    return estimate_for(plan, bytes, [&] { return contiguous<2>({nx, ny}, type); });
}
Status cufftGetSize3d(Handle plan, int nx, int ny, int nz, Type type, std::size_t* bytes) {
    return estimate_for(plan, bytes, [&] { return contiguous<3>({nx, ny, nz}, type); });
}
Status cufftGetSizeMany(Handle plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                        int ostride, int odist, Type type, int batch, std::size_t* bytes) {
    return estimate_for(plan, bytes, [&] {
        return request<int>(kind_of(type), rank, n, {inembed, istride, idist}, {onembed, ostride, odist},
                            batch);
    });
}
Status cufftGetSizeMany64(Handle plan, int rank, Long* n, Long* inembed, Long istride, Long idist,
                          Long* onembed, Long ostride, Long odist, Type type, Long batch,
                          std::size_t* bytes) {
    return estimate_for(plan, bytes, [&] {
        return request<Long>(kind_of(type), rank, n, {inembed, istride, idist}, {onembed, ostride, odist},
                             batch);
    });
}
Status cufftXtGetSizeMany(Handle plan, int rank, Long* n, Long* inembed, Long istride, Long idist,
                          ElementType input, Long* onembed, Long ostride, Long odist, ElementType output,
                          Long batch, std::size_t* bytes, ElementType arithmetic) {
    return estimate_for(plan, bytes, [&] {
        return request<Long>(kind_of(input, output, arithmetic), rank, n, {inembed, istride, idist},
                             {onembed, ostride, odist}, batch);
    });
}
Status cufftGetSize(Handle plan, std::size_t* bytes) {
    return status_of([&] {
        const std::shared_ptr<Plan> found = plan_of(plan);
        require(bytes != nullptr, Status::invalid_value);
        *bytes = found->work_area_bytes();
    });
}

Status cufftSetStream(Handle plan, runtime::cuda::Stream stream) {
    return status_of([&] { plan_of(plan)->set_stream(stream); });
}
Status cufftSetAutoAllocation(Handle plan, int allocates) {
    return status_of([&] { plan_of(plan)->set_auto_allocation(allocates != 0); });
}
Status cufftSetWorkArea(Handle plan, void* area) {
    return status_of([&] { plan_of(plan)->set_work_area(area); });
}

Status cufftExecC2C(Handle plan, void* input, void* output, int sign) {
    return execute(plan, Type::c2c, input, output, sign);
}
Status cufftExecR2C(Handle plan, void* input, void* output) {
    return execute(plan, Type::r2c, input, output, forward_sign);
}
Status cufftExecC2R(Handle plan, void* input, void* output) {
    return execute(plan, Type::c2r, input, output, inverse_sign);
}
Status cufftExecZ2Z(Handle plan, void* input, void* output, int sign) {
    return execute(plan, Type::z2z, input, output, sign);
}
Status cufftExecD2Z(Handle plan, void* input, void* output) {
    return execute(plan, Type::d2z, input, output, forward_sign);
}
Status cufftExecZ2D(Handle plan, void* input, void* output) {
    return execute(plan, Type::z2d, input, output, inverse_sign);
}
Status cufftXtExec(Handle plan, void* input, void* output, int sign) {
    return status_of([&] { plan_of(plan)->execute({}, input, output, sign); });
}

Status cufftGetVersion(int* version) {
    return status_of([&] {
        require(version != nullptr, Status::invalid_value);
        *version = swirl_cufft_version;
    });
}
Status cufftGetProperty(LibraryProperty property, int* value) {
    return status_of([&] {
        require(value != nullptr, Status::invalid_value);
        switch (property) {
        case LibraryProperty::major: *value = swirl_cufft_version / 1000; return;
        case LibraryProperty::minor: *value = swirl_cufft_version / 100 % 10; return;
        case LibraryProperty::patch: *value = swirl_cufft_version % 100; return;
        }
        throw Refusal(Status::invalid_type);
    });
}

Status cufftSetPlanPropertyInt64(Handle plan, PlanProperty property, Long value) {
    return status_of([&] { plan_of(plan)->set_property(property, value); });
}
Status cufftGetPlanPropertyInt64(Handle plan, PlanProperty property, Long* value) {
    return status_of([&] {
        const std::shared_ptr<Plan> found = plan_of(plan);
        require(value != nullptr, Status::invalid_value);
        *value = found->property(property);
    });
}
Status cufftResetPlanProperty(Handle plan, PlanProperty property) {
    return status_of([&] { plan_of(plan)->reset_property(property); });
}

} // extern "C"
