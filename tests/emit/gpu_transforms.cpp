#include "emit/gpu_transforms.hpp"

#include "passes/pipeline.hpp"
#include "rules/rule.hpp"

#include <fmt/format.h>

namespace swirl::emit {
namespace {

using namespace formula;

Formula batched(Integer batch, Integer n, const char* tree) {
    const Formula transform = rules::expand(DFT(n), rules::parse_tree(tree));
    return batch == 1 ? transform : kron({I(batch), transform});
}

lower::KernelRequest request(const Formula& formula, DataType scalar = DataType::float32,
                             bool in_place = false) {
    return {.name = "kernel",
            .loops = {.formula = formula,
                      .scalar = scalar,
                      .input = loops::Layout::contiguous(formula.columns()),
                      .output = loops::Layout::contiguous(formula.rows()),
                      .in_place = in_place}};
}

std::vector<ir::Program> kernels(const lower::KernelRequest& request,
                                 const loops::LaunchConfiguration& configuration) {
    std::vector<ir::Program> programs = lower::lower_to_gpu(request, {configuration});
    for (ir::Program& program : programs) program = passes::run_for_gpu(std::move(program));
    return programs;
}

/// All that is neither the transform's input nor its output.
void move_between(ir::Program& program, ir::Space space) {
    for (ir::BufferInfo& buffer : program.buffers)
        if ((buffer.space == ir::Space::argument || buffer.space == ir::Space::scratch) &&
            buffer.name != "input" && buffer.name != "output")
            buffer.space = space;
}

} // namespace

std::string DerivedCase::name() const {
    return fmt::format("dft_{}_{}{}{}", n, batch, scalar == DataType::float64 ? "_float64" : "",
                       in_place ? "_in_place" : "");
}

Formula DerivedCase::formula() const { return batched(batch, n, tree); }

std::vector<ir::Program> DerivedCase::programs() const {
    return kernels(request(formula(), scalar, in_place), configuration);
}

std::vector<ir::Program> programs_of_clusters() {
    const formula::Formula complex = batched(3, 4096, "two-sweep(64,1,1)[stockham(4,16)]");
    std::vector<ir::Program> result;
    for (const Integer blocks : {2, 8, 16})
        for (ir::Program& program :
             kernels(request(complex, DataType::float32, false), {.threads = 64,
                                                                 .transforms = 1,
                                                                 .smem_pad_interval = 32,
                                                                 .smem_vector_pad = 1,
                                                                 .single_buffer = true,
                                                                 .cluster = blocks}))
            result.push_back(std::move(program));
    return result;
}

std::vector<ir::Program> programs_of_groups() {
    std::vector<ir::Program> result;
    for (const bool ahead : {false, true})
        for (ir::Program& program :
             kernels(request(batched(9, 4096, "two-sweep(64,1,1)[stockham(16,4)]"), DataType::float32, false),
                     {.threads = 64,
                     .transforms = 8,
                     .smem_pad_interval = 32,
                     .group_blocks = 4,
                     .cooperative_groups = 2,
                     .pipelined = ahead}))
            result.push_back(std::move(program));
    return result;
}

std::vector<DerivedCase> derived_cases() {
    const DataType f64 = DataType::float64;
    return {
        {19, 8, "codelet", {32, 32}},
        {19, 8, "codelet", {8, 8}, f64, true},
        {5, 64, "stockham(8,8)", {16, 2, 32}},
        {5, 64, "stockham(4,4,4)", {64, 4}, f64},
        {7, 100, "stockham(10,10)", {30, 3}},
        {3, 100, "stockham(10,10)", {20, 2}, f64, true},
        {3, 256, "stockham(16,16)", {64, 4, 32}, DataType::float32, true},
        {1, 256, "stockham(4,4,4,4)", {64, 1}, f64},
        {2, 1000, "stockham(10,10,10)", {100, 1}},
        {1, 1000, "stockham(10,10,10)", {50, 1}, f64},
        {3, 1024, "stockham(16,8,8)", {128, 2, 32}},
        {2, 1024, "stockham(4,16,16)", {64, 1}, f64, true},
        {2, 2187, "stockham(9,9,27)", {81, 1, 0, 0, true}},
        {1, 2187, "stockham(3,9,9,9)", {243, 1}, f64},
        {2, 4096, "stockham(16,16,16)", {256, 1, 32}},
        {1, 4096, "stockham(16,16,16)", {256, 1}, f64}, // 64 KiB of shared memory
    };
}

std::vector<ir::Program> fused_programs() {
    using loops::Pointwise;
    using Op = Pointwise::Op;
    const Formula circulant = rules::expand(formula::circulant(64),
                                            rules::parse_tree("circulant-dft[stockham(8,8), stockham(8,8)]"));
    lower::KernelRequest convolution = request(kron({I(3), circulant}));
    convolution.arrays = {{"h", true, 64}};
    convolution.loops.auxiliary = {0, {{3, 64}, {0, 1}}};
    std::vector<ir::Program> programs = kernels(convolution, {16, 2, 32});

    const std::vector<loops::LayoutForm> forms = {{{0, 1}, 0}, {{64, 1}, 0}, {{1, -2}, 90}};
    const std::vector<Pointwise::Node> nodes = {
        {.op = Op::x},
        {.op = Op::array, .form = 0, .array = 0},
        {.op = Op::array, .form = 1, .array = 1},
        {.op = Op::multiply, .operands = {0, 1}},
        {.op = Op::conj, .operands = {3}},
        {.op = Op::subtract, .operands = {4, 2}},
        {.op = Op::form, .form = 2},
        {.op = Op::add, .operands = {5, 6}},
        {.op = Op::re, .operands = {0}},
        {.op = Op::im, .operands = {0}},
        {.op = Op::less, .operands = {8, 9}},
        {.op = Op::form_negative, .form = 2},
        {.op = Op::form_zero, .form = 2},
        {.op = Op::either, .operands = {11, 12}},
        {.op = Op::opposite, .operands = {13}},
        {.op = Op::both, .operands = {10, 14}},
        {.op = Op::complex, .operands = {9, 8}},
        {.op = Op::choose, .operands = {15, 7, 16}},
        {.op = Op::negate, .operands = {17}},
    };
    const Formula dft = rules::expand(DFT(64), rules::parse_tree("stockham(8,8)"));
    for (const DataType scalar : {DataType::float32, DataType::float64}) {
        lower::KernelRequest with_expressions = request(kron({I(3), dft}), scalar);
        with_expressions.loops.input = with_expressions.loops.output = {{3, 64}, {64, 1}, forms};
        with_expressions.arrays = {{"w", false, 64}, {"h", true, 192}};
        with_expressions.loops.load =
            Pointwise{.nodes = nodes, .needed = {{Op::form_nonnegative, 2}}, .where = {}, .forms = forms};
        with_expressions.loops.store =
            Pointwise{.nodes = nodes, .needed = {}, .where = {{Op::form_nonnegative, 2}}, .forms = forms};
        for (ir::Program& program : kernels(with_expressions, {16, 2, 32}))
            programs.push_back(std::move(program));
    }
    return programs;
}

OwnedTransform alone(ir::Program program, const std::string& name) {
    std::vector<ir::Program> programs;
    programs.push_back(std::move(program));
    OwnedTransform result = all_of(std::move(programs), name);
    std::size_t m = 0;
    for (const ir::BufferInfo& buffer : result.programs.front()->buffers)
        if (buffer.space == ir::Space::argument) result.transform.memories[m++].name = buffer.name;
    return result;
}

namespace {

/// Flags: whether values passed by value are nonzero.
std::vector<GpuTransform::Flag> flags_of(const ir::Program& program,
                                         const std::vector<std::size_t>& memories) {
    std::vector<GpuTransform::Flag> result;
    std::size_t argument = 0;
    for (const ir::BufferInfo& buffer : program.buffers) {
        if (buffer.space != ir::Space::argument) continue;
        const std::size_t memory = memories[argument++];
        if (!buffer.by_value) continue;
        for (const ir::VariableInfo& variable : program.variables)
            if (variable.kind == ir::VariableInfo::Kind::parameter) result.push_back({memory, variable.axis});
    }
    return result;
}

} // namespace

OwnedTransform all_of(std::vector<ir::Program> programs, const std::string& name) {
    OwnedTransform result;
    result.transform.name = name;
    for (ir::Program& program : programs) {
        GpuTransform::KernelLaunch launch;
        for (const ir::BufferInfo& buffer : program.buffers) {
            if (buffer.space != ir::Space::argument) continue;
            launch.memories.push_back(result.transform.memories.size());
            result.transform.memories.push_back(
                {.name = fmt::format("{}_{}", buffer.name, result.programs.size()),
                 .element = buffer.element,
                 .written = buffer.written,
                 .by_value = buffer.by_value,
                 .workspace = false,
                 .elements = 0});
        }
        result.programs.push_back(std::make_unique<ir::Program>(std::move(program)));
        launch.program = result.programs.back().get();
        launch.flags = flags_of(*launch.program, launch.memories);
        result.transform.launches.push_back(std::move(launch));
    }
    return result;
}

Formula two_dimensional_formula(Integer rows, Integer columns) { return kron({DFT(rows), DFT(columns)}); }

OwnedTransform two_dimensional(Integer rows, Integer columns) {
    const auto derived = [](Integer batch, Integer n, const loops::Layout& layout) {
        lower::KernelRequest with_layout = request(batched(batch, n, "codelet"));
        with_layout.loops.input = with_layout.loops.output = layout;
        return std::make_unique<ir::Program>(kernels(with_layout, {8, 8}).front());
    };
    OwnedTransform result;
    result.programs.push_back(derived(rows, columns, loops::Layout::contiguous(rows * columns)));
    result.programs.push_back(derived(columns, rows, {{columns, rows}, {1, columns}}));
    const Integer scalars = 2 * rows * columns;
    result.transform = {.name = "two_dimensional",
                        .memories = {{.name = "in"},
                                     {.name = "out", .written = true},
                                     {.name = "spare", .workspace = true, .elements = 10},
                                     {.name = "between", .workspace = true, .elements = scalars}},
                        .launches = {{result.programs[0].get(), {0, 3}}, {result.programs[1].get(), {3, 1}}}};
    return result;
}

Formula two_sweeps_formula() { return batched(3, 1024, "two-sweep(32,1,1)[stockham(8,4)]"); }

OwnedTransform two_sweeps() {
    OwnedTransform result;
    result.transform = {
        .name = "two_sweeps", .memories = {{.name = "in"}, {.name = "out", .written = true}}, .launches = {}};
    std::vector<ir::Program> programs = lower::lower_to_gpu(request(two_sweeps_formula()), {{64, 16}});
    for (ir::Program& program : programs) {
        move_between(program, ir::Space::argument); // which has contents when the second kernel starts
        program = passes::run_for_gpu(std::move(program));
        move_between(program, ir::Space::scratch);
        result.programs.push_back(std::make_unique<ir::Program>(std::move(program)));
        GpuTransform::KernelLaunch launch{result.programs.back().get(), {}};
        for (const ir::BufferInfo& buffer : launch.program->buffers)
            if (buffer.space == ir::Space::argument)
                launch.memories.push_back(buffer.name == "input" ? 0 : 1);
        result.transform.launches.push_back(std::move(launch));
    }
    return result;
}

} // namespace swirl::emit
