#pragma once

#include <swirl/export.h>

#include "cufft/abi.hpp"
#include "runtime/cuda/abi.hpp"

#include <cstddef>

/// The functions of cufft.h and cufftXt.h, with NVIDIA's names and arguments.
extern "C" {
#define SWIRL_CUFFT(name) SWIRL_API swirl::cufft::Status name

SWIRL_CUFFT(cufftCreate)(swirl::cufft::Handle* plan);
SWIRL_CUFFT(cufftDestroy)(swirl::cufft::Handle plan);

SWIRL_CUFFT(cufftPlan1d)(swirl::cufft::Handle* plan, int nx, swirl::cufft::Type type, int batch);
SWIRL_CUFFT(cufftPlan2d)(swirl::cufft::Handle* plan, int nx, int ny, swirl::cufft::Type type);
SWIRL_CUFFT(cufftPlan3d)(swirl::cufft::Handle* plan, int nx, int ny, int nz, swirl::cufft::Type type);
SWIRL_CUFFT(cufftPlanMany)
(swirl::cufft::Handle* plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
 int ostride, int odist, swirl::cufft::Type type, int batch);

SWIRL_CUFFT(cufftMakePlan1d)
(swirl::cufft::Handle plan, int nx, swirl::cufft::Type type, int batch, std::size_t* bytes);
SWIRL_CUFFT(cufftMakePlan2d)
(swirl::cufft::Handle plan, int nx, int ny, swirl::cufft::Type type, std::size_t* bytes);
SWIRL_CUFFT(cufftMakePlan3d)
(swirl::cufft::Handle plan, int nx, int ny, int nz, swirl::cufft::Type type, std::size_t* bytes);
SWIRL_CUFFT(cufftMakePlanMany)
(swirl::cufft::Handle plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
 int odist, swirl::cufft::Type type, int batch, std::size_t* bytes);
SWIRL_CUFFT(cufftMakePlanMany64)
(swirl::cufft::Handle plan, int rank, long long* n, long long* inembed, long long istride, long long idist,
 long long* onembed, long long ostride, long long odist, swirl::cufft::Type type, long long batch,
 std::size_t* bytes);
SWIRL_CUFFT(cufftXtMakePlanMany)
(swirl::cufft::Handle plan, int rank, long long* n, long long* inembed, long long istride, long long idist,
 swirl::cufft::ElementType input, long long* onembed, long long ostride, long long odist,
 swirl::cufft::ElementType output, long long batch, std::size_t* bytes, swirl::cufft::ElementType arithmetic);

SWIRL_CUFFT(cufftEstimate1d)(int nx, swirl::cufft::Type type, int batch, std::size_t* bytes);
SWIRL_CUFFT(cufftEstimate2d)(int nx, int ny, swirl::cufft::Type type, std::size_t* bytes);
SWIRL_CUFFT(cufftEstimate3d)(int nx, int ny, int nz, swirl::cufft::Type type, std::size_t* bytes);
SWIRL_CUFFT(cufftEstimateMany)
(int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride, int odist,
 swirl::cufft::Type type, int batch, std::size_t* bytes);

SWIRL_CUFFT(cufftGetSize1d)
(swirl::cufft::Handle plan, int nx, swirl::cufft::Type type, int batch, std::size_t* bytes);
SWIRL_CUFFT(cufftGetSize2d)
(swirl::cufft::Handle plan, int nx, int ny, swirl::cufft::Type type, std::size_t* bytes);
SWIRL_CUFFT(cufftGetSize3d)
(swirl::cufft::Handle plan, int nx, int ny, int nz, swirl::cufft::Type type, std::size_t* bytes);
SWIRL_CUFFT(cufftGetSizeMany)
(swirl::cufft::Handle plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
 int odist, swirl::cufft::Type type, int batch, std::size_t* bytes);
SWIRL_CUFFT(cufftGetSizeMany64)
(swirl::cufft::Handle plan, int rank, long long* n, long long* inembed, long long istride, long long idist,
 long long* onembed, long long ostride, long long odist, swirl::cufft::Type type, long long batch,
 std::size_t* bytes);
SWIRL_CUFFT(cufftXtGetSizeMany)
(swirl::cufft::Handle plan, int rank, long long* n, long long* inembed, long long istride, long long idist,
 swirl::cufft::ElementType input, long long* onembed, long long ostride, long long odist,
 swirl::cufft::ElementType output, long long batch, std::size_t* bytes, swirl::cufft::ElementType arithmetic);
SWIRL_CUFFT(cufftGetSize)(swirl::cufft::Handle plan, std::size_t* bytes);

SWIRL_CUFFT(cufftSetStream)(swirl::cufft::Handle plan, swirl::runtime::cuda::Stream stream);
SWIRL_CUFFT(cufftSetAutoAllocation)(swirl::cufft::Handle plan, int allocates);
SWIRL_CUFFT(cufftSetWorkArea)(swirl::cufft::Handle plan, void* area);
SWIRL_CUFFT(cufftXtSetWorkArea)(swirl::cufft::Handle plan, void** areas);
SWIRL_CUFFT(cufftXtSetWorkAreaPolicy)
(swirl::cufft::Handle plan, swirl::cufft::WorkAreaPolicy policy, std::size_t* bytes);

SWIRL_CUFFT(cufftExecC2C)(swirl::cufft::Handle plan, void* input, void* output, int sign);
SWIRL_CUFFT(cufftExecR2C)(swirl::cufft::Handle plan, void* input, void* output);
SWIRL_CUFFT(cufftExecC2R)(swirl::cufft::Handle plan, void* input, void* output);
SWIRL_CUFFT(cufftExecZ2Z)(swirl::cufft::Handle plan, void* input, void* output, int sign);
SWIRL_CUFFT(cufftExecD2Z)(swirl::cufft::Handle plan, void* input, void* output);
SWIRL_CUFFT(cufftExecZ2D)(swirl::cufft::Handle plan, void* input, void* output);
SWIRL_CUFFT(cufftXtExec)(swirl::cufft::Handle plan, void* input, void* output, int sign);

SWIRL_CUFFT(cufftGetVersion)(int* version);
SWIRL_CUFFT(cufftGetProperty)(swirl::cufft::LibraryProperty property, int* value);
SWIRL_CUFFT(cufftSetPlanPropertyInt64)
(swirl::cufft::Handle plan, swirl::cufft::PlanProperty property, long long value);
SWIRL_CUFFT(cufftGetPlanPropertyInt64)
(swirl::cufft::Handle plan, swirl::cufft::PlanProperty property, long long* value);
SWIRL_CUFFT(cufftResetPlanProperty)(swirl::cufft::Handle plan, swirl::cufft::PlanProperty property);

SWIRL_CUFFT(cufftXtSetGPUs)(swirl::cufft::Handle plan, int count, int* ordinals);
SWIRL_CUFFT(cufftXtMalloc)
(swirl::cufft::Handle plan, swirl::cufft::Descriptor** descriptor, swirl::cufft::SubFormat format);
SWIRL_CUFFT(cufftXtFree)(swirl::cufft::Descriptor* descriptor);
SWIRL_CUFFT(cufftXtMemcpy)(swirl::cufft::Handle plan, void* to, void* from, swirl::cufft::CopyType type);
SWIRL_CUFFT(cufftXtExecDescriptor)
(swirl::cufft::Handle plan, swirl::cufft::Descriptor* input, swirl::cufft::Descriptor* output, int sign);
SWIRL_CUFFT(cufftXtExecDescriptorC2C)
(swirl::cufft::Handle plan, swirl::cufft::Descriptor* input, swirl::cufft::Descriptor* output, int sign);
SWIRL_CUFFT(cufftXtExecDescriptorR2C)
(swirl::cufft::Handle plan, swirl::cufft::Descriptor* input, swirl::cufft::Descriptor* output);
SWIRL_CUFFT(cufftXtExecDescriptorC2R)
(swirl::cufft::Handle plan, swirl::cufft::Descriptor* input, swirl::cufft::Descriptor* output);
SWIRL_CUFFT(cufftXtExecDescriptorZ2Z)
(swirl::cufft::Handle plan, swirl::cufft::Descriptor* input, swirl::cufft::Descriptor* output, int sign);
SWIRL_CUFFT(cufftXtExecDescriptorD2Z)
(swirl::cufft::Handle plan, swirl::cufft::Descriptor* input, swirl::cufft::Descriptor* output);
SWIRL_CUFFT(cufftXtExecDescriptorZ2D)
(swirl::cufft::Handle plan, swirl::cufft::Descriptor* input, swirl::cufft::Descriptor* output);
SWIRL_CUFFT(cufftXtQueryPlan)(swirl::cufft::Handle plan, void* answer, int query);

SWIRL_CUFFT(cufftXtSetCallback)(swirl::cufft::Handle plan, void** routines, int type, void** infos);
SWIRL_CUFFT(cufftXtClearCallback)(swirl::cufft::Handle plan, int type);
SWIRL_CUFFT(cufftXtSetCallbackSharedSize)(swirl::cufft::Handle plan, int type, std::size_t bytes);
SWIRL_CUFFT(cufftXtSetJITCallback)
(swirl::cufft::Handle plan, const char* symbol, const void* code, std::size_t bytes, int type, void** infos);
/// What version 11's header makes of cufftXtSetJITCallback.
SWIRL_CUFFT(__cufftXtSetJITCallback_12_7)
(swirl::cufft::Handle plan, const char* symbol, const void* code, std::size_t bytes, int type, void** infos);

#undef SWIRL_CUFFT
}
