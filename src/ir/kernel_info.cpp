#include "ir/kernel_info.hpp"

#include "ir/count.hpp"
#include "ir/type_rules.hpp"

namespace swirl::ir {

namespace {

KernelBuffer describe(const BufferInfo& buffer) {
    const Integer elements =
        buffer.dsmem_elements_per_block > 0 ? buffer.dsmem_elements_per_block : buffer.elements; // per block
    return {buffer.name,      buffer.space,  buffer.element,
            buffer.elements,  buffer.first,  elements * bytes_of(buffer.element),
            buffer.alignment, buffer.written};
}

void name_parameters(const Program& program, KernelInfo& info) {
    for (const VariableInfo& variable : program.variables) {
        if (variable.kind != VariableInfo::Kind::parameter) continue;
        const auto position = static_cast<std::size_t>(variable.axis);
        if (info.parameters.size() <= position) info.parameters.resize(position + 1);
        info.parameters[position] = variable.name;
    }
}

} // namespace

KernelInfo describe(const Program& program, std::vector<Integer> factors, Integer transforms_per_block,
                    std::span<const Integer> parameters) {
    KernelInfo info;
    info.name = program.name;
    info.factors = std::move(factors);
    info.transforms_per_block = transforms_per_block;
    info.launch = program.launch;
    name_parameters(program, info);
    const std::vector<TrafficCounts> traffic = count_traffic(program, parameters);
    for (std::size_t i = 0; i < program.buffers.size(); ++i) {
        const KernelBuffer& buffer = info.buffers.emplace_back(describe(program.buffers[i]));
        switch (buffer.space) {
        case Space::argument: break;
        case Space::table: info.table_bytes += buffer.bytes; break;
        case Space::scratch: info.workspace_bytes += buffer.bytes; break;
        case Space::local: info.local_bytes += buffer.bytes; continue;
        case Space::shared: info.shared_bytes += buffer.bytes; continue;
        }
        info.bytes_loaded += traffic[i].loaded;
        info.bytes_stored += traffic[i].stored;
    }
    CountOptions options;
    options.lanes = true;
    options.parameters = parameters;
    info.flops = count_operations(program, options).flops();
    return info;
}

std::string to_string(const KernelInfo& info) {
    std::string text = "kernel " + info.name + "\n";
    if (!info.factors.empty()) {
        text += "  factors";
        for (const Integer factor : info.factors) text += fmt::format(" {}", factor);
        text += "\n";
    }
    const auto& [blocks, threads, cluster, resident, group] = info.launch;
    if (info.launch != Launch{})
        text +=
            fmt::format("  launch {}x{}x{} blocks of {}x{}x{} threads, {} transforms a block\n", blocks[0],
                        blocks[1], blocks[2], threads[0], threads[1], threads[2], info.transforms_per_block);
    if (cluster != 1) text += fmt::format("  clusters of {} blocks\n", cluster);
    if (resident != 0) text += fmt::format("  registers for {} blocks on a multiprocessor\n", resident);
    if (group != 1) text += fmt::format("  groups of {} blocks, all at once\n", group);
    if (info.shared_bytes > 0)
        text += fmt::format("  {} bytes of shared memory a block, {} of them asked for at launch\n",
                            info.shared_bytes, info.dynamic_shared_bytes);
    if (info.registers > 0)
        text += fmt::format(
            "  {} registers and {} spilled bytes a thread, {} blocks at once on a multiprocessor\n",
            info.registers, info.spilled_bytes, info.resident_blocks);
    for (const KernelBuffer& buffer : info.buffers)
        text +=
            fmt::format("  {} {}: {} {}, {} bytes{}\n", name_of(buffer.space), buffer.name, buffer.elements,
                        name_of(buffer.element), buffer.bytes, buffer.written ? ", written" : "");
    for (const std::string& parameter : info.parameters) text += "  parameter " + parameter + "\n";
    return text + fmt::format("  {} flops, {} bytes loaded, {} bytes stored\n", info.flops, info.bytes_loaded,
                              info.bytes_stored);
}

} // namespace swirl::ir
