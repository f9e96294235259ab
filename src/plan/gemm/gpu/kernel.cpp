#include "plan/gemm/gpu/kernel.hpp"

#include "base/error.hpp"
#include "base/hash.hpp"
#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/schedule_text.hpp"
#include "ir/verify.hpp"
#include "plan/transform/cpu/pointwise.hpp"
#include "plan/transform/cpu/tables.hpp"
#include "plan/transform/gpu/kernel.hpp"
#include "plan/transform/gpu/workspace.hpp"
#include "runtime/cuda/memory.hpp"

#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace swirl::planning {

namespace {

constexpr std::size_t max_parameters = 16 + max_arrays + most_reductions;
constexpr std::size_t most_tensors = 6;

gemm::GpuEpilogue epilogue_of(const MatrixProduct& product) {
    const std::vector<AuxiliaryArray> arrays = arrays_of(product);
    gemm::GpuEpilogue result;
    if (const ExpressionTree* const tree = product.epilogue.tree())
        result.code = pointwise_of(*tree, scope_of(product), arrays);
    for (const AuxiliaryArray& array : arrays)
        result.arrays.push_back({array.name, array.is_complex, array.elements});
    for (const Reduction& reduction : product.reductions) {
        gemm::GpuReduction& one = result.reductions.emplace_back();
        one.name = reduction.name;
        one.index = static_cast<int>(result.reductions.size()) - 1;
        one.operation = reduction.operation;
        one.over = reduction.over;
        if (const ExpressionTree* const tree = reduction.of.tree())
            one.code = pointwise_of(*tree, scope_of(product, reduction), arrays);
    }
    return result;
}

/// Empty if the machine code cannot be parsed.
std::optional<sass::KernelScore> score_of(sass::Bytes code, const std::string& kernel) {
    try {
        const sass::Cubin cubin(std::move(code));
        return sass::score(cubin, cubin.kernel(kernel));
    } catch (const UserError&) {
        return std::nullopt;
    }
}

std::vector<GpuMatrixDerivation> derived(std::vector<ir::Program> programs, const MatrixProduct& product,
                                         const target::Gpu& gpu) {
    std::vector<GpuMatrixDerivation> result;
    const std::array<Integer, 2> parameters = {product.k > 0 ? 1 : 0, 0};
    for (ir::Program& program : programs) {
        GpuMatrixDerivation& derivation = result.emplace_back();
        derivation.program = std::move(program);
        ir::verify(derivation.program, ir::VerificationLevel::vectorized);
        derivation.ptx = emit::ptx(derivation.program, ptx_options(gpu, derivation.program));
        derivation.info = describe_by_cluster(derivation.program, gpu, {.parameters = parameters});
    }
    return result;
}

/// Role of the integer argument at this position.
ir::ArgumentRole role_of_parameter(const ir::Program& program, std::size_t position) {
    for (const ir::VariableInfo& variable : program.variables)
        if (variable.kind == ir::VariableInfo::Kind::parameter &&
            static_cast<std::size_t>(variable.axis) == position)
            return variable.role;
    throw InternalError("kernel {} has no integer argument {}", program.name, position);
}

runtime::TensorLayout layout_of(const ir::TensorInfo& tensor, DataType element) {
    const Integer size = bytes_of(element);
    runtime::TensorLayout result{.element = element,
                                 .extents = {},
                                 .byte_strides = {},
                                 .box = {},
                                 .swizzle = static_cast<int>(tensor.swizzle),
                                 .rounds = tensor.rounds};
    for (const Integer extent : tensor.extents) result.extents.push_back(static_cast<std::uint64_t>(extent));
    for (std::size_t k = 1; k < tensor.strides.size(); ++k)
        result.byte_strides.push_back(static_cast<std::uint64_t>(tensor.strides[k] * size));
    for (const Integer extent : tensor.box) result.box.push_back(static_cast<std::uint32_t>(extent));
    return result;
}

} // namespace

std::vector<GpuMatrixDerivation> derive_gemm_for_gpu(const MatrixProduct& product,
                                                     const gemm::GpuGemmSchedule& schedule,
                                                     const target::Gpu& gpu) {
    return derived(gemm::gpu_gemm_kernels(product, schedule, gpu, epilogue_of(product)), product, gpu);
}

std::vector<GpuMatrixDerivation> derive_reductions_for_gpu(const MatrixProduct& product,
                                                           const gemm::GpuGemmSchedule& schedule,
                                                           const target::Gpu& gpu) {
    return derived(gemm::gpu_reductions(product, schedule, gpu, epilogue_of(product)), product, gpu);
}

std::size_t workspace_bytes(std::span<const GpuMatrixDerivation* const> kernels) {
    std::map<std::string_view, std::size_t> regions;
    for (const GpuMatrixDerivation* kernel : kernels)
        for (const ir::BufferInfo& buffer : kernel->program.buffers)
            if (buffer.role.argument == ir::ArgumentRole::workspace)
                regions.emplace(buffer.name, aligned_bytes(bytes_of(buffer)));
    std::size_t bytes = 0;
    for (const auto& [name, of_region] : regions) bytes += of_region;
    return bytes;
}

GpuMatrixKernels::Parameter GpuMatrixKernels::parameter_with(const ir::Role& role) const {
    using enum ir::ArgumentRole;
    const auto index = static_cast<std::size_t>(role.index);
    switch (role.argument) {
    case a:
    case a_pointers: return {Source::a};
    case b:
    case b_pointers: return {Source::b};
    case c:
    case c_pointers: return {Source::c};
    case alpha_beta: return {Source::alpha_beta};
    case multiplies: return {Source::multiplies};
    case reads_c: return {Source::reads_c};
    case auxiliary: return {Source::array, index};
    case reduction: return {Source::array, auxiliary_arrays_ + index};
    default: throw InternalError("a product's kernel has an argument in the role '{}'", ir::to_string(role));
    }
}

GpuMatrixKernels::Parameter GpuMatrixKernels::workspace_region(const ir::BufferInfo& buffer) {
    const std::size_t bytes = bytes_of(buffer);
    const Parameter region{Source::workspace, workspace_bytes_, buffer.zeroed ? bytes : 0};
    workspace_bytes_ += aligned_bytes(bytes);
    return region;
}

/// Parameters of the same buffer share one region of the workspace.
GpuMatrixKernels::Parameter GpuMatrixKernels::memory_of(const ir::BufferInfo& buffer) {
    if (buffer.role.argument != ir::ArgumentRole::workspace) return parameter_with(buffer.role);
    const auto known = workspace_regions_.find(buffer.name);
    if (known != workspace_regions_.end()) return known->second;
    return workspace_regions_.emplace(buffer.name, workspace_region(buffer)).first->second;
}

void GpuMatrixKernels::add_parameter(Launch& launch, const GpuMatrixDerivation& derivation,
                                     const emit::PtxParameter& parameter) {
    using Kind = emit::PtxParameter::Kind;
    const ir::Program& program = derivation.program;
    const auto position = static_cast<std::size_t>(parameter.position);
    if (parameter.kind == Kind::integer)
        return launch.parameters.push_back(parameter_with({role_of_parameter(program, position)}));
    if (parameter.kind != Kind::tensor)
        return launch.parameters.push_back(memory_of(program.buffers.at(position)));
    const ir::TensorInfo& tensor = program.tensors.at(position);
    const ir::BufferInfo& buffer = program.buffers.at(static_cast<std::size_t>(tensor.buffer));
    launch.parameters.push_back({Source::tensor, launch.tensors.size()});
    launch.tensors.push_back({.memory = memory_of(buffer),
                              .origin = tensor.origin * bytes_of(buffer.element),
                              .layout = layout_of(tensor, buffer.element)});
    ensure(launch.tensors.size() <= most_tensors, "a product's kernel has {} tensors", launch.tensors.size());
}

GpuMatrixKernels::GpuMatrixKernels(const MatrixProduct& product, const gemm::GpuGemmSchedule& schedule,
                                   const runtime::GpuDevice& device, runtime::KernelCache* cache,
                                   bool reads_sass, const BeforeCompilation& before_compilation)
    : device_(device),
      auxiliary_arrays_(arrays_of(product).size()),
      scalar_bytes_(static_cast<std::size_t>(bytes_of(product.data_type))) {
    const target::Gpu& gpu = device.target();
    std::vector<GpuMatrixDerivation> derivations;
    const bool has_product = product.rows > 0 && product.columns > 0 && product.batch > 0;
    if (has_product) {
        derivations = derive_gemm_for_gpu(product, schedule, gpu);
        multiplying_ = main_kernel(schedule, derivations.size());
        finishing_ = derivations.size() - 1;
    }
    for (GpuMatrixDerivation& derivation : derive_reductions_for_gpu(product, schedule, gpu))
        derivations.push_back(std::move(derivation));
    const auto multiplies = [&](std::size_t kernel) { return has_product && kernel == multiplying_; };
    std::vector<runtime::KernelText> texts;
    for (std::size_t k = 0; k < derivations.size(); ++k)
        texts.push_back({.ptx = std::move(derivations[k].ptx),
                         .name = "gemm " + to_string(schedule),
                         .reorders_main_loop = multiplies(k) && gemm::reorders_sass(schedule)});
    if (before_compilation) before_compilation(runtime::count_missing(device, texts, cache));
    for (std::size_t k = 0; k < derivations.size(); ++k) {
        runtime::CompiledText compiled = add_kernel(std::move(derivations[k]), texts[k], cache);
        if (!multiplies(k)) continue;
        not_reordered_because_ = std::move(compiled.not_reordered_because);
        if (reads_sass && sass::is_read(gpu.capability_major))
            score_ = score_of(std::move(compiled.code), launches_[k].kernel.entry());
    }
}

runtime::CompiledText GpuMatrixKernels::add_kernel(GpuMatrixDerivation derivation,
                                                   const runtime::KernelText& text,
                                                   runtime::KernelCache* cache) {
    Launch& launch = launches_.emplace_back();
    const emit::PtxInterface interface =
        emit::ptx_interface(derivation.program, ptx_options(device_.target(), derivation.program));
    for (const emit::PtxParameter& parameter : interface.parameters)
        add_parameter(launch, derivation, parameter);
    ensure(launch.parameters.size() <= max_parameters, "a product's kernel has {} parameters",
           launch.parameters.size());
    const runtime::CacheKey key = runtime::code_key(device_, text);
    code_key_ = {mix_hash(code_key_.high, key.high), mix_hash(code_key_.low, key.low)};
    launch.kernel = LoadedKernel(interface.entry, std::move(derivation.info));
    runtime::CompiledText compiled = runtime::compiled_with_code(device_, text, cache);
    launch.kernel.load(compiled.module, device_);
    return compiled;
}

/// The memories of a launch's parameters.
struct GpuMatrixKernels::Memories {
    const GpuMatrixArguments& arguments;
    bool multiplies;
    alignas(std::max_align_t) std::array<std::byte, 32> alpha_beta;
    std::array<std::int64_t, 2> integers;
    runtime::cuda::Address workspace;
};

/// Unread operands need no memory, but tensor maps still need an address.
void GpuMatrixKernels::make_tensors(std::span<runtime::TensorMap> maps, const Launch& launch,
                                    const Memories& memories) const {
    if (launch.tensors.empty()) return;
    const runtime::CurrentGpu current(device_);
    const std::array matrices = {memories.arguments.a, memories.arguments.b,
                                 static_cast<const void*>(memories.arguments.c)};
    for (std::size_t k = 0; k < launch.tensors.size(); ++k) {
        const auto& [memory, origin, layout] = launch.tensors[k];
        runtime::cuda::Address start = memories.workspace + memory.offset;
        if (memory.source != Source::workspace)
            start = reinterpret_cast<runtime::cuda::Address>(
                matrices.at(static_cast<std::size_t>(memory.source)));
        start += static_cast<runtime::cuda::Address>(origin);
        const bool is_scalar = memory.source == Source::a || memory.source == Source::b;
        if (is_scalar && !memories.multiplies) start = workspace_alignment;
        maps[k] = runtime::tensor_map(device_.driver(), layout, start);
    }
}

void GpuMatrixKernels::launch(const Launch& launch, const Memories& memories,
                              const runtime::GpuStream& stream) const {
    const GpuMatrixArguments& arguments = memories.arguments;
    const std::array<const void*, 6> pointers = {&arguments.a,          &arguments.b,
                                                 &arguments.c,          memories.alpha_beta.data(),
                                                 &memories.integers[0], &memories.integers[1]};
    std::array<runtime::cuda::Address, max_parameters> addresses{};
    std::array<runtime::TensorMap, most_tensors> maps;
    make_tensors(maps, launch, memories);
    std::array<void*, max_parameters> values{};
    for (std::size_t k = 0; k < launch.parameters.size(); ++k) {
        const Parameter& parameter = launch.parameters[k];
        if (parameter.source == Source::tensor) {
            values[k] = &maps[parameter.offset];
            continue;
        }
        if (parameter.source == Source::array) {
            values[k] = const_cast<void**>(&arguments.arrays[parameter.offset]);
            continue;
        }
        if (parameter.source != Source::workspace) {
            values[k] = const_cast<void*>(pointers[static_cast<std::size_t>(parameter.source)]);
            continue;
        }
        addresses[k] = memories.workspace + parameter.offset;
        values[k] = &addresses[k];
    }
    launch.kernel.launch(std::span(values).first(launch.parameters.size()), stream);
}

/// If nothing is multiplied, the product's last kernel does all the work.
void GpuMatrixKernels::launch(const GpuMatrixArguments& arguments, bool multiplies, bool reads_c,
                              runtime::cuda::Address workspace, const runtime::GpuStream& stream) const {
    Memories memories{arguments, multiplies, {}, {multiplies ? 1 : 0, reads_c ? 1 : 0}, workspace};
    std::memcpy(memories.alpha_beta.data(), arguments.alpha, scalar_bytes_);
    std::memcpy(memories.alpha_beta.data() + scalar_bytes_, arguments.beta, scalar_bytes_);
    std::optional<runtime::GpuStreamBuffer> own;
    if (workspace == 0 && workspace_bytes_ > 0) own.emplace(stream, workspace_bytes_);
    if (own) memories.workspace = own->address();
    for (const auto& [name, region] : workspace_regions_)
        if (region.zeroed > 0)
            runtime::fill_on_gpu(stream, memories.workspace + region.offset, 0, region.zeroed);
    for (std::size_t k = multiplies ? 0 : finishing_; k < launches_.size(); ++k)
        launch(launches_[k], memories, stream);
}

} // namespace swirl::planning
