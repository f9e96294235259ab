#include "plan/gpu_matrix_kernel.hpp"

#include "base/error.hpp"
#include "gemm/gpu_product.hpp"
#include "ir/verify.hpp"
#include "plan/gpu_kernel.hpp"
#include "plan/gpu_workspace.hpp"
#include "plan/pointwise.hpp"
#include "plan/tables.hpp"
#include "runtime/cuda_memory.hpp"

#include <array>
#include <cstring>
#include <optional>
#include <utility>

namespace swirl::planning {

namespace {

constexpr std::size_t most_parameters = 8 + most_arrays;

gemm::GpuEpilogue epilogue_of(const MatrixProduct& product) {
    const ExpressionTree* const tree = product.epilogue.tree();
    if (tree == nullptr) return {};
    const std::vector<ProblemArray> arrays = arrays_of(product);
    gemm::GpuEpilogue result{pointwise_of(*tree, scope_of(product), arrays), {}};
    for (const ProblemArray& array : arrays)
        result.arrays.push_back({array.name, array.is_complex, array.elements});
    return result;
}

} // namespace

GpuMatrixDerivation derive_product_for_gpu(const MatrixProduct& product, const gemm::GpuSchedule& schedule,
                                           const target::Gpu& gpu) {
    std::vector<ir::Program> programs = gemm::gpu_product(product, schedule, gpu, epilogue_of(product));
    ensure(programs.size() == 1, "a product of {} kernels", programs.size());
    GpuMatrixDerivation result;
    result.program = std::move(programs.front());
    ir::verify(result.program, ir::Stage::vectorized);
    result.ptx = emit::ptx(result.program, ptx_options(gpu));
    const std::array<Integer, 2> parameters = {product.depth > 0 ? 1 : 0, 0};
    result.info = describe_by_cluster(result.program, gpu, {.parameters = parameters});
    return result;
}

GpuMatrixKernel::Parameter GpuMatrixKernel::parameter_named(const std::string& name,
                                                            const std::vector<ProblemArray>& arrays) {
    constexpr std::array<std::pair<const char*, Source>, 6> names = {{{"a", Source::a},
                                                                      {"b", Source::b},
                                                                      {"c", Source::c},
                                                                      {"factors", Source::factors},
                                                                      {"steps", Source::multiplies},
                                                                      {"reads_c", Source::reads_c}}};
    for (const auto& [known, source] : names)
        if (name == known) return {source};
    for (std::size_t k = 0; k < arrays.size(); ++k)
        if (name == "with_" + arrays[k].name) return {Source::array, k};
    throw InternalError("a product's kernel has a parameter '{}'", name);
}

GpuMatrixKernel::Parameter GpuMatrixKernel::workspace_part(const ir::BufferInfo& buffer) {
    const std::size_t bytes = bytes_of(buffer);
    const Parameter part{Source::workspace, workspace_bytes_, buffer.zeroed ? bytes : 0};
    workspace_bytes_ += bytes_of_part(bytes);
    return part;
}

GpuMatrixKernel::GpuMatrixKernel(const MatrixProduct& product, const gemm::GpuSchedule& schedule,
                                 const runtime::GpuDevice& device, runtime::KernelCache* cache)
    : factor_bytes_(static_cast<std::size_t>(bytes_of(product.number))) {
    const target::Gpu& gpu = device.target();
    GpuMatrixDerivation derivation = derive_product_for_gpu(product, schedule, gpu);
    const std::vector<ProblemArray> arrays = arrays_of(product);
    const emit::PtxInterface interface = emit::ptx_interface(derivation.program, ptx_options(gpu));
    for (const emit::PtxParameter& parameter : interface.parameters) {
        const auto position = static_cast<std::size_t>(parameter.position);
        if (parameter.kind == emit::PtxParameter::Kind::number) {
            parameters_.push_back(parameter_named(derivation.info.parameters.at(position), arrays));
            continue;
        }
        const ir::BufferInfo& buffer = derivation.program.buffers.at(position);
        parameters_.push_back(buffer.space == ir::Space::scratch ? workspace_part(buffer)
                                                                 : parameter_named(buffer.name, arrays));
    }
    ensure(parameters_.size() <= most_parameters, "a product's kernel has {} parameters", parameters_.size());
    const runtime::KernelText text{std::move(derivation.ptx), "gemm " + to_string(schedule), {}};
    code_key_ = runtime::code_key(device, text);
    kernel_ = LoadedKernel(interface.entry, std::move(derivation.info));
    kernel_.load(runtime::compiled(device, text, cache), device);
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
    std::array<void*, most_parameters> values{};
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
        const Parameter& parameter = parameters_[k];
        if (parameter.source == Source::array) {
            values[k] = const_cast<void**>(&arguments.arrays[parameter.offset]);
            continue;
        }
        if (parameter.source != Source::workspace) {
            values[k] = const_cast<void*>(pointers[static_cast<std::size_t>(parameter.source)]);
            continue;
        }
        parts[k] = workspace + parameter.offset;
        values[k] = &parts[k];
        if (parameter.zeroed > 0) runtime::fill_on_gpu(stream, parts[k], 0, parameter.zeroed);
    }
    kernel_.launch(std::span(values).first(parameters_.size()), stream);
}

} // namespace swirl::planning
