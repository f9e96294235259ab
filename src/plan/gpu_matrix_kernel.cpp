#include "plan/gpu_matrix_kernel.hpp"

#include "base/error.hpp"
#include "gemm/gpu_product.hpp"
#include "ir/tile.hpp"
#include "ir/verify.hpp"
#include "plan/gpu_kernel.hpp"
#include "plan/tables.hpp"
#include "runtime/cuda_memory.hpp"

#include <array>
#include <cstring>
#include <optional>
#include <utility>

namespace swirl::planning {

namespace {

constexpr std::size_t most_parameters = 16;
/// Bytes of which parts of a workspace begin at multiples.
constexpr std::size_t part_alignment = 256;

constexpr std::size_t most_tensors = 6;

runtime::TensorLayout layout_of(const ir::TensorInfo& tensor, ir::Scalar element) {
    const Integer size = ir::size_in_bytes(element);
    runtime::TensorLayout result{.element = element,
                                 .extents = {},
                                 .byte_strides = {},
                                 .box = {},
                                 .swizzled = tensor.box.front() * size == ir::tile_row_bytes};
    for (const Integer extent : tensor.extents) result.extents.push_back(static_cast<std::uint64_t>(extent));
    for (std::size_t k = 1; k < tensor.strides.size(); ++k)
        result.byte_strides.push_back(static_cast<std::uint64_t>(tensor.strides[k] * size));
    for (const Integer extent : tensor.box) result.box.push_back(static_cast<std::uint32_t>(extent));
    return result;
}

} // namespace

GpuMatrixDerivation derive_product_for_gpu(const MatrixProduct& product, const gemm::GpuSchedule& schedule,
                                           const target::Gpu& gpu) {
    std::vector<ir::Program> programs = gemm::gpu_product(product, schedule, gpu);
    ensure(programs.size() == 1, "a product of {} kernels", programs.size());
    GpuMatrixDerivation result;
    result.program = std::move(programs.front());
    ir::verify(result.program, ir::Stage::vectorized);
    result.ptx = emit::ptx(result.program, ptx_options(gpu, result.program));
    ir::Program block = result.program; // conditions that depend on the block would be looked at in each
    block.launch.blocks = {block.launch.cluster, 1, 1};
    constexpr std::array<Integer, 2> parameters = {1, 0};
    result.info = ir::describe(block, {}, 1, product.depth > 0 ? parameters : std::array<Integer, 2>{0, 0});
    result.info.launch = result.program.launch;
    for (Integer* const count : {&result.info.flops, &result.info.bytes_loaded, &result.info.bytes_stored})
        *count *= result.program.launch.blocks[0] / result.program.launch.cluster;
    result.info.dynamic_shared_bytes =
        emit::ptx_interface(result.program, ptx_options(gpu, result.program)).dynamic_shared_bytes;
    return result;
}

GpuMatrixKernel::Source GpuMatrixKernel::source_of(const std::string& name) {
    constexpr std::array<std::pair<const char*, Source>, 6> names = {{{"a", Source::a},
                                                                      {"b", Source::b},
                                                                      {"c", Source::c},
                                                                      {"factors", Source::factors},
                                                                      {"steps", Source::multiplies},
                                                                      {"reads_c", Source::reads_c}}};
    for (const auto& [known, source] : names)
        if (name == known) return source;
    throw InternalError("a product's kernel has a parameter '{}'", name);
}

GpuMatrixKernel::Parameter GpuMatrixKernel::workspace_part(const ir::BufferInfo& buffer) {
    const std::size_t bytes = bytes_of(buffer);
    const Parameter part{Source::workspace, workspace_bytes_, buffer.zeroed ? bytes : 0};
    workspace_bytes_ += (bytes + part_alignment - 1) / part_alignment * part_alignment;
    return part;
}

/// A workspace's part is one, however many parameters are of it.
GpuMatrixKernel::Parameter GpuMatrixKernel::memory_of(const ir::BufferInfo& buffer) {
    if (buffer.space != ir::Space::scratch) return {source_of(buffer.name)};
    const auto known = workspace_parts_.find(buffer.name);
    if (known != workspace_parts_.end()) return known->second;
    return workspace_parts_.emplace(buffer.name, workspace_part(buffer)).first->second;
}

void GpuMatrixKernel::add_parameter(const GpuMatrixDerivation& derivation,
                                    const emit::PtxParameter& parameter) {
    using Kind = emit::PtxParameter::Kind;
    const ir::Program& program = derivation.program;
    const auto position = static_cast<std::size_t>(parameter.position);
    if (parameter.kind == Kind::number)
        return parameters_.push_back({source_of(derivation.info.parameters.at(position))});
    if (parameter.kind != Kind::tensor) return parameters_.push_back(memory_of(program.buffers.at(position)));
    const ir::TensorInfo& tensor = program.tensors.at(position);
    const ir::BufferInfo& buffer = program.buffers.at(static_cast<std::size_t>(tensor.buffer));
    parameters_.push_back({Source::tensor, tensors_.size()});
    tensors_.push_back({.memory = memory_of(buffer),
                        .origin = tensor.origin * ir::size_in_bytes(buffer.element),
                        .layout = layout_of(tensor, buffer.element)});
    ensure(tensors_.size() <= most_tensors, "a product's kernel has {} tensors", tensors_.size());
}

GpuMatrixKernel::GpuMatrixKernel(const MatrixProduct& product, const gemm::GpuSchedule& schedule,
                                 const runtime::GpuDevice& device, runtime::KernelCache* cache)
    : device_(device), factor_bytes_(static_cast<std::size_t>(bytes_of(product.number))) {
    const target::Gpu& gpu = device.target();
    GpuMatrixDerivation derivation = derive_product_for_gpu(product, schedule, gpu);
    const emit::PtxInterface interface =
        emit::ptx_interface(derivation.program, ptx_options(gpu, derivation.program));
    for (const emit::PtxParameter& parameter : interface.parameters) add_parameter(derivation, parameter);
    ensure(parameters_.size() <= most_parameters, "a product's kernel has {} parameters", parameters_.size());
    const runtime::KernelText text{std::move(derivation.ptx), "gemm " + to_string(schedule), {}};
    code_key_ = runtime::code_key(device, text);
    kernel_ = LoadedKernel(interface.entry, std::move(derivation.info));
    kernel_.load(runtime::compiled(device, text, cache), device);
}

/// Of factors that are not read there need be no memory, but tensors want an address all the same.
void GpuMatrixKernel::make_tensors(std::span<runtime::TensorMap> maps,
                                   const std::array<const void*, 3>& matrices, bool multiplies,
                                   runtime::cuda::Address workspace) const {
    for (std::size_t k = 0; k < tensors_.size(); ++k) {
        const auto& [memory, origin, layout] = tensors_[k];
        runtime::cuda::Address start = workspace + memory.offset;
        if (memory.source != Source::workspace)
            start = reinterpret_cast<runtime::cuda::Address>(
                matrices.at(static_cast<std::size_t>(memory.source)));
        start += static_cast<runtime::cuda::Address>(origin);
        const bool is_factor = memory.source == Source::a || memory.source == Source::b;
        if (is_factor && !multiplies) start = part_alignment;
        maps[k] = runtime::tensor_map(device_.driver(), layout, start);
    }
}

void GpuMatrixKernel::launch(const GpuMatrixArguments& arguments, bool multiplies, bool reads_c,
                             runtime::cuda::Address workspace, const runtime::GpuStream& stream) const {
    alignas(std::max_align_t) std::array<std::byte, 32> factors{};
    std::memcpy(factors.data(), arguments.alpha, factor_bytes_);
    std::memcpy(factors.data() + factor_bytes_, arguments.beta, factor_bytes_);
    const std::array<std::int64_t, 2> numbers = {multiplies ? 1 : 0, reads_c ? 1 : 0};
    const std::array<const void*, 6> pointers = {&arguments.a,   &arguments.b, &arguments.c,
                                                 factors.data(), &numbers[0],  &numbers[1]};
    std::optional<runtime::GpuStreamBuffer> own;
    if (workspace == 0 && workspace_bytes_ > 0) own.emplace(stream, workspace_bytes_);
    if (own) workspace = own->address();
    std::array<runtime::cuda::Address, most_parameters> parts{};
    std::array<runtime::TensorMap, most_tensors> maps;
    make_tensors(maps, {arguments.a, arguments.b, arguments.c}, multiplies, workspace);
    std::array<void*, most_parameters> values{};
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
        const Parameter& parameter = parameters_[k];
        if (parameter.source == Source::tensor) {
            values[k] = &maps[parameter.offset];
            continue;
        }
        if (parameter.source != Source::workspace) {
            values[k] = const_cast<void*>(pointers[static_cast<std::size_t>(parameter.source)]);
            continue;
        }
        parts[k] = workspace + parameter.offset;
        values[k] = &parts[k];
    }
    for (const auto& [name, part] : workspace_parts_)
        if (part.zeroed > 0) runtime::fill_on_gpu(stream, workspace + part.offset, 0, part.zeroed);
    kernel_.launch(std::span(values).first(parameters_.size()), stream);
}

} // namespace swirl::planning
