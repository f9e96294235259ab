#include "search/cost/probe/kernels.hpp"

#include "ir/builder.hpp"
#include "jit/compile.hpp"

#include <cstring>

namespace swirl::search {
namespace {

using ir::Value;

/// Independent chains: two FMA units of latency 4 or 5 need 8 to 10; more do no harm while they fit in registers.
int max_chains(const target::Cpu& cpu) { return cpu.vector_registers > 16 ? 20 : 12; }
/// Steps of each chain between load and store, to amortise these.
constexpr int fmas = 48;
/// Vectors per iteration of a memory loop.
constexpr int vectors_each = 16;

void compile_into(ProbeKernels& kernels, runtime::KernelFunction& function, const ir::Program& program,
                  const target::Cpu& cpu) {
    kernels.code.emplace_back(jit::compile(program, cpu));
    function = kernels.code.back().function();
}

/// for repetition: for i by the granule: body(i)
template <class Body> void memory_loops(ir::Builder& builder, Integer granule, Body&& body) {
    const Affine elements = builder.parameter("elements");
    const Affine repetitions = builder.parameter("repetitions");
    builder.for_loop("repetition", repetitions, [&](const Affine&) {
        builder.for_loop("i", 0, elements, granule, ir::For::Kind::serial, body);
    });
}

/// Buffer sizes for the interpreter and the verifier: as large as the probe may make them.
constexpr Integer most_elements = Integer{1} << 40;

} // namespace

ir::Program arithmetic_program(const target::Cpu& cpu, DataType scalar, int chains) {
    const int lanes = target::lanes(cpu, scalar);
    ir::Builder builder(scalar == DataType::float32 ? "probe_float32" : "probe_float64");
    const ir::Buffer data =
        builder.output("accumulators", scalar, Integer{chains} * lanes, {ir::ArgumentRole::data});
    const ir::Buffer in_registers = builder.local("chains", scalar, Integer{chains} * lanes);
    const Affine iterations = builder.parameter("iterations");
    const auto move = [&](ir::Buffer from, ir::Buffer to) {
        for (int c = 0; c < chains; ++c)
            builder.store(to, Integer{c} * lanes, builder.load(from, Integer{c} * lanes, {.lanes = lanes}));
    };
    move(data, in_registers);
    builder.for_loop("i", iterations, [&](const Affine&) {
        const Value half = builder.constant({scalar, lanes}, 0.5L);
        std::vector<Value> x;
        for (int c = 0; c < chains; ++c)
            x.push_back(builder.load(in_registers, Integer{c} * lanes, {.lanes = lanes}));
        for (int k = 0; k < fmas; ++k)
            for (Value& each : x)
                each = cpu.has_fma ? builder.fma(each, half, half)
                                   : builder.add(builder.multiply(each, half), half);
        for (int c = 0; c < chains; ++c)
            builder.store(in_registers, Integer{c} * lanes, x[static_cast<std::size_t>(c)]);
    });
    move(in_registers, data);
    return builder.finish();
}

ir::Program arithmetic_program(const target::Cpu& cpu, DataType scalar) {
    return arithmetic_program(cpu, scalar, max_chains(cpu));
}

double arithmetic_flops(const target::Cpu& cpu, DataType scalar) {
    return 2.0 * fmas * max_chains(cpu) * target::lanes(cpu, scalar);
}

Integer memory_granule(const target::Cpu& cpu) {
    return Integer{vectors_each} * target::lanes(cpu, DataType::float64);
}

/// Adds every vector to an accumulator, so that no load is dead; the accumulators stay in L1.
ir::Program read_program(const target::Cpu& cpu) {
    const int lanes = target::lanes(cpu, DataType::float64);
    ir::Builder builder("probe_read");
    const ir::Buffer from = builder.input("source", DataType::float64, most_elements);
    const ir::Buffer sums = builder.output("sums", DataType::float64, 2 * lanes, {ir::ArgumentRole::data});
    memory_loops(builder, memory_granule(cpu), [&](const Affine& i) {
        for (int s = 0; s < 2; ++s) {
            Value sum = builder.load(from, i + Affine(s * lanes), {.lanes = lanes});
            for (int v = s + 2; v < vectors_each; v += 2)
                sum = builder.add(sum, builder.load(from, i + Affine(v * lanes), {.lanes = lanes}));
            const Value before = builder.load(sums, s * lanes, {.lanes = lanes});
            builder.store(sums, s * lanes, builder.add(before, sum));
        }
    });
    return builder.finish();
}

ir::Program write_program(const target::Cpu& cpu) {
    const int lanes = target::lanes(cpu, DataType::float64);
    ir::Builder builder("probe_write");
    const ir::Buffer to = builder.output("destination", DataType::float64, most_elements);
    memory_loops(builder, memory_granule(cpu), [&](const Affine& i) {
        const Value one = builder.constant({DataType::float64, lanes}, 1);
        for (int v = 0; v < vectors_each; ++v) builder.store(to, i + Affine(v * lanes), one);
    });
    return builder.finish();
}

ir::Program copy_program(const target::Cpu& cpu) {
    const int lanes = target::lanes(cpu, DataType::float64);
    ir::Builder builder("probe_copy");
    const ir::Buffer from = builder.input("source", DataType::float64, most_elements);
    const ir::Buffer to = builder.output("destination", DataType::float64, most_elements);
    memory_loops(builder, memory_granule(cpu), [&](const Affine& i) {
        for (int v = 0; v < vectors_each; ++v)
            builder.store(to, i + Affine(v * lanes),
                          builder.load(from, i + Affine(v * lanes), {.lanes = lanes}));
    });
    return builder.finish();
}

ProbeKernels compiled_probe_kernels(const target::Cpu& cpu) {
    ProbeKernels kernels;
    kernels.code.reserve(7);
    const auto add = [&](ProbeKernels::Arithmetic& arithmetic, DataType scalar, int chains) {
        const int lanes = target::lanes(cpu, scalar);
        compile_into(kernels, arithmetic.run, arithmetic_program(cpu, scalar, chains), cpu);
        arithmetic.elements = Integer{chains} * lanes;
        arithmetic.flops_each = 2.0 * fmas * chains * lanes;
        arithmetic.fmas = fmas;
    };
    add(kernels.float32, DataType::float32, max_chains(cpu));
    add(kernels.float64, DataType::float64, max_chains(cpu));
    add(kernels.chain_float32, DataType::float32, 1);
    add(kernels.chain_float64, DataType::float64, 1);
    compile_into(kernels, kernels.read, read_program(cpu), cpu);
    compile_into(kernels, kernels.write, write_program(cpu), cpu);
    compile_into(kernels, kernels.copy, copy_program(cpu), cpu);
    kernels.granule = memory_granule(cpu);
    kernels.made_of = std::string(cpu.name) + " machine code";
    return kernels;
}

ProbeKernels best_probe_kernels() {
    try {
        if (runtime::ExecutableCode::is_available()) return compiled_probe_kernels(target::host_cpu());
    } catch (const runtime::
                 ExecutableMemoryUnavailable&) { // became unavailable: fall through to the portable kernels
    }
    return portable_probe_kernels();
}

} // namespace swirl::search
