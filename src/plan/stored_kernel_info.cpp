#include "plan/stored_kernel_info.hpp"

namespace swirl::planning {

// Structured bindings name all members, so that adding a member without storing it does not compile.

namespace {

void write(ByteWriter& writer, const ir::Launch& launch) {
    const auto& [blocks, threads, cluster, resident, group] = launch;
    for (const auto& extent : {blocks, threads}) writer.write_all(extent[0], extent[1], extent[2]);
    writer.write_all(cluster, resident, group);
}

ir::Launch read_launch(ByteReader& reader) {
    ir::Launch launch;
    auto& [blocks, threads, cluster, resident, group] = launch;
    for (auto* const extent : {&blocks, &threads}) reader.read_all((*extent)[0], (*extent)[1], (*extent)[2]);
    reader.read_all(cluster, resident, group);
    return launch;
}

void write(ByteWriter& writer, const ir::KernelBuffer& buffer) {
    const auto& [name, space, element, elements, first, bytes, alignment, written] = buffer;
    writer.write_all(name, space, element, elements, first, bytes, alignment, written);
}

ir::KernelBuffer read_buffer(ByteReader& reader) {
    ir::KernelBuffer buffer;
    auto& [name, space, element, elements, first, bytes, alignment, written] = buffer;
    reader.read_all(name, space, element, elements, first, bytes, alignment, written);
    return buffer;
}

} // namespace

void write(ByteWriter& writer, const ir::KernelInfo& info) {
    const auto& [name, factors, transforms, launch, buffers, parameters, workspace, table, local, shared,
                 dynamic, registers, spilled, resident, flops, loaded, stored] = info;
    writer.write(name);
    writer.write_list(factors, [&](Integer factor) { writer.write(factor); });
    write(writer, launch);
    writer.write_list(buffers, [&](const ir::KernelBuffer& buffer) { write(writer, buffer); });
    writer.write_list(parameters, [&](const std::string& parameter) { writer.write(parameter); });
    writer.write_all(transforms, workspace, table, local, shared, dynamic, registers, spilled, resident,
                     flops, loaded, stored);
}

ir::KernelInfo read_kernel_info(ByteReader& reader) {
    ir::KernelInfo info;
    auto& [name, factors, transforms, launch, buffers, parameters, workspace, table, local, shared, dynamic,
           registers, spilled, resident, flops, loaded, stored] = info;
    reader.read(name);
    reader.read_list(factors, [&] { return reader.read<Integer>(); });
    launch = read_launch(reader);
    reader.read_list(buffers, [&] { return read_buffer(reader); });
    reader.read_list(parameters, [&] {
        std::string parameter;
        reader.read(parameter);
        return parameter;
    });
    reader.read_all(transforms, workspace, table, local, shared, dynamic, registers, spilled, resident, flops,
                    loaded, stored);
    return info;
}

} // namespace swirl::planning
