/// Transforms as XLA calls them: on CPUs from its threads, on GPUs with its stream. No interpreter's lock is held.
#include "xla.hpp"

#ifdef SWIRL_HAS_XLA

#include "recipe.hpp"
#include "tensor.hpp"

#include <swirl/error.hpp>
#include <swirl/plan.hpp>

#include <xla/ffi/api/ffi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

struct CUstream_st;

namespace swirl::python {
namespace {

namespace ffi = xla::ffi;

constexpr std::size_t workspace_alignment = 256; // on a GPU, see Workspace

std::optional<DataType> data_type_of(ffi::DataType type) {
    switch (type) {
    case ffi::DataType::F16: return DataType::float16;
    case ffi::DataType::BF16: return DataType::bfloat16;
    case ffi::DataType::F32: return DataType::float32;
    case ffi::DataType::F64: return DataType::float64;
    case ffi::DataType::C64: return DataType::complex64;
    case ffi::DataType::C128: return DataType::complex128;
    default: return std::nullopt;
    }
}

/// The plan of a call, made once for each combination of extents and types. Plans live as long as the process: XLA may run an
/// executable, or a graph that captured it, at any time.
Plan plan_of(const Call& call) {
    static auto* const mutex = new std::mutex;
    static auto* const plans = new std::map<std::vector<Integer>, Plan>;
    std::vector<Integer> key = {
        static_cast<Integer>(call.function),          static_cast<Integer>(call.norm),
        static_cast<Integer>(call.is_weighted),       static_cast<Integer>(call.input_type),
        static_cast<Integer>(*call.output_component), call.device.is_gpu() ? call.device.ordinal() : -1,
        static_cast<Integer>(call.shape.size())};
    key.insert(key.end(), call.shape.begin(), call.shape.end());
    key.insert(key.end(), call.lengths.begin(), call.lengths.end());
    key.insert(key.end(), call.axes.begin(), call.axes.end());
    {
        const std::lock_guard lock(*mutex);
        if (const auto found = plans->find(key); found != plans->end()) return found->second;
    }
    Options options;
    options.device = call.device;
    options.threads = call.workers;
    const Plan made = plan(problem_of(call), options);
    const std::lock_guard lock(*mutex);
    return plans->emplace(std::move(key), made).first->second;
}

ffi::Error transform(ffi::AnyBuffer x, ffi::Result<ffi::AnyBuffer> y, std::int64_t function,
                     std::int64_t norm, std::int64_t is_weighted, ffi::Span<const std::int64_t> lengths,
                     ffi::Span<const std::int64_t> axes, Device device, gpu::Stream stream,
                     ffi::ScratchAllocator* scratch) {
    const std::optional<DataType> from = data_type_of(x.element_type()), to = data_type_of(y->element_type());
    if (!from || !to) return ffi::Error::InvalidArgument("swirl transforms no such data type");
    if (y->element_count() == 0) return ffi::Error::Success();
    Call call;
    call.function = static_cast<Function>(function);
    call.norm = static_cast<Norm>(norm);
    call.is_weighted = is_weighted != 0;
    call.workers = 0;
    call.input_type = *from;
    call.output_component = component_of(*to);
    call.shape.assign(x.dimensions().begin(), x.dimensions().end());
    call.strides = row_major(call.shape);
    call.lengths.assign(lengths.begin(), lengths.end());
    for (const std::int64_t axis : axes) call.axes.push_back(static_cast<int>(axis));
    call.device = device;
    try {
        const Plan plan = plan_of(call);
        Workspace workspace;
        if (const std::size_t bytes = plan.workspace_bytes(); scratch != nullptr && bytes > 0)
            if (const auto memory = scratch->Allocate(bytes, workspace_alignment))
                workspace = {*memory, bytes};
        plan.execute(static_cast<const void*>(x.untyped_data()), y->untyped_data(), stream, workspace);
        return ffi::Error::Success();
    } catch (const UserError& error) {
        return ffi::Error::InvalidArgument(error.what());
    } catch (const std::exception& error) {
        return ffi::Error::Internal(error.what());
    }
}

XLA_FFI_DEFINE_HANDLER(
    on_cpu,
    [](ffi::AnyBuffer x, ffi::Result<ffi::AnyBuffer> y, std::int64_t function, std::int64_t norm,
       std::int64_t is_weighted, ffi::Span<const std::int64_t> lengths, ffi::Span<const std::int64_t> axes) {
        return transform(x, y, function, norm, is_weighted, lengths, axes, {}, {}, nullptr);
    },
    ffi::Ffi::Bind()
        .Arg<ffi::AnyBuffer>()
        .Ret<ffi::AnyBuffer>()
        .Attr<std::int64_t>("function")
        .Attr<std::int64_t>("norm")
        .Attr<std::int64_t>("is_weighted")
        .Attr<ffi::Span<const std::int64_t>>("lengths")
        .Attr<ffi::Span<const std::int64_t>>("axes"));

XLA_FFI_DEFINE_HANDLER(
    on_gpu,
    [](CUstream_st* stream, std::int32_t ordinal, ffi::ScratchAllocator scratch, ffi::AnyBuffer x,
       ffi::Result<ffi::AnyBuffer> y, std::int64_t function, std::int64_t norm, std::int64_t is_weighted,
       ffi::Span<const std::int64_t> lengths, ffi::Span<const std::int64_t> axes) {
        return transform(x, y, function, norm, is_weighted, lengths, axes, Device::gpu(ordinal),
                         gpu::Stream(static_cast<void*>(stream)), &scratch);
    },
    ffi::Ffi::Bind()
        .Ctx<ffi::PlatformStream<CUstream_st*>>()
        .Ctx<ffi::DeviceOrdinal>()
        .Ctx<ffi::ScratchAllocator>()
        .Arg<ffi::AnyBuffer>()
        .Ret<ffi::AnyBuffer>()
        .Attr<std::int64_t>("function")
        .Attr<std::int64_t>("norm")
        .Attr<std::int64_t>("is_weighted")
        .Attr<ffi::Span<const std::int64_t>>("lengths")
        .Attr<ffi::Span<const std::int64_t>>("axes"));

} // namespace

void define_xla_handlers(nb::module_& module) {
    nb::dict handlers;
    handlers["cpu"] = nb::capsule(reinterpret_cast<void*>(+on_cpu));
    handlers["CUDA"] = nb::capsule(reinterpret_cast<void*>(+on_gpu));
    module.attr("xla_handlers") = handlers;
}

} // namespace swirl::python

#else

namespace swirl::python {

void define_xla_handlers(nb::module_& module) { module.attr("xla_handlers") = nb::dict(); }

} // namespace swirl::python

#endif
