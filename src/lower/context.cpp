#include "lower/context.hpp"

#include "base/error.hpp"
#include "ir/analysis.hpp"

namespace swirl::lower {

namespace {

constexpr int cache_line = 64; ///< bytes; alignment of scratch and tables

} // namespace

ir::ArgumentRole argument_role(Array::Role role) {
    switch (role) {
    case Array::Role::input: return ir::ArgumentRole::input;
    case Array::Role::output: return ir::ArgumentRole::output;
    case Array::Role::data: return ir::ArgumentRole::data;
    case Array::Role::temporary: return ir::ArgumentRole::workspace;
    }
    return ir::ArgumentRole::none;
}

ir::For::Kind kind_of(LoopTag tag) {
    switch (tag) {
    case LoopTag::serial: return ir::For::Kind::serial;
    case LoopTag::unrolled: return ir::For::Kind::unrolled;
    case LoopTag::smp: return ir::For::Kind::parallel;
    case LoopTag::gpu_block:
    case LoopTag::gpu_thread: break; // no loop is left of these
    }
    throw InternalError("a loop over blocks or threads of a GPU in a kernel for a CPU");
}

void Context::bind(Variable variable, Affine program_form) {
    const auto at = static_cast<std::size_t>(variable);
    if (at >= bindings_.size()) bindings_.resize(at + 1);
    bindings_[at] = std::move(program_form);
}

Affine Context::placed(const Affine& form) const {
    Affine result = form.constant();
    for (const auto& [variable, coefficient] : form.terms())
        result += coefficient * bindings_.at(static_cast<std::size_t>(variable));
    return result;
}

Affine Context::placed(const Memory& memory, const Affine& form) const {
    const auto at = static_cast<std::size_t>(memory.array);
    if (at >= copies_.size()) return placed(form);
    const Integer scalars = memory.kind == Memory::Kind::interleaved ? 2 : 1;
    return placed(form) + scalars * loops.arrays[at].pitch * copies_[at];
}

void Context::choose_copy(int array, Affine copy) {
    copies_.resize(loops.arrays.size());
    copies_[static_cast<std::size_t>(array)] = std::move(copy);
}

Context::Context(const KernelRequest& kernel, const LoopProgram& program)
    : request(kernel), builder(kernel.name, {.share = true}), loops(program) {
    for (std::size_t k = 0; k < program.arrays.size(); ++k) {
        const Array& array = program.arrays[k];
        if (array.unused)
            buffers_.emplace_back();
        else
            buffers_.push_back(array.role == Array::Role::temporary ? add_scratch(static_cast<int>(k))
                                                                    : add_argument(static_cast<int>(k)));
    }
}

Buffers Context::add_argument(int index) {
    const Array& array = loops.arrays[static_cast<std::size_t>(index)];
    const Integer scalars = array.kind == Memory::Kind::interleaved ? 2 : 1;
    ir::BufferInfo info;
    info.name = name_of(loops, index);
    info.role.argument = argument_role(array.role);
    info.element = request.loops.scalar;
    info.first = array.first * scalars;
    info.elements = array.elements * scalars;
    info.written = array.role != Array::Role::input;
    info.non_temporal = is_non_temporal(array);
    info.evict_last = info.non_temporal && array.role == Array::Role::output &&
                      request.loops.rereads_output && stays_in_shared_cache(array);
    if (request.loops.for_gpu) info.alignment = static_cast<int>(scalars) * bytes_of(request.loops.scalar);
    const ir::Buffer buffer = builder.add(std::move(info));
    return {buffer, buffer};
}

Buffers Context::add_scratch(int index) {
    const Array& array = loops.arrays[static_cast<std::size_t>(index)];
    const auto scratch = [&](std::string name, Integer scalars = 1) {
        ir::BufferInfo info;
        info.name = std::move(name);
        info.element = request.loops.scalar;
        const bool is_shared = request.loops.for_gpu && array.residence == Array::Residence::shared;
        info.space = is_shared ? ir::Space::shared : ir::Space::scratch;
        info.elements = scalars * (array.elements + (array.copies - 1) * array.pitch);
        info.dsmem_elements_per_block = scalars * array.dsmem_elements_per_block;
        info.written = true;
        info.nest_depth = request.loops.for_gpu ? 0 : array.nest_depth;
        info.non_temporal = is_non_temporal(array);
        info.evict_last = info.non_temporal && stays_in_shared_cache(array);
        return builder.add(std::move(info));
    };
    const std::string name = name_of(loops, index);
    if (array.kind == Memory::Kind::real) {
        const ir::Buffer buffer = scratch(name);
        return {buffer, buffer};
    }
    if (loops.pairs > 0 || array.kind == Memory::Kind::interleaved) {
        const ir::Buffer buffer = scratch(name, 2);
        return {buffer, buffer};
    }
    const ir::Buffer re = scratch(name + "_re");
    return {re, scratch(name + "_im")};
}

/// Whether an array that is read again should be stored in a cache that cores share, if they are not all at work.
bool Context::stays_in_shared_cache(const Array& array) const {
    constexpr Integer cores = 8; // whose shares one may use
    return !exceeds_caches(array, request.loops.scalar, cores * request.loops.streaming_bytes);
}

bool Context::is_non_temporal(const Array& array) const {
    return exceeds_caches(array, request.loops.scalar, request.loops.streaming_bytes);
}

ir::Buffer Context::auxiliary_buffer(std::size_t array) {
    auxiliary_buffers_.resize(request.arrays.size());
    std::optional<ir::Buffer>& known = auxiliary_buffers_.at(array);
    if (known) return *known;
    const AuxiliaryArray& wanted = request.arrays[array];
    const Integer scalars = wanted.is_complex ? 2 : 1;
    ir::BufferInfo info;
    info.name = "auxiliary_" + wanted.name;
    info.role = {ir::ArgumentRole::auxiliary, static_cast<int>(array)};
    info.element = request.loops.scalar;
    info.elements = scalars * wanted.elements;
    if (request.loops.for_gpu) info.alignment = static_cast<int>(scalars) * bytes_of(request.loops.scalar);
    known = builder.add(std::move(info));
    return *known;
}

namespace {

/// More would leave kernels too few of the buffers they may have.
constexpr int most_separate_tables = 24;
constexpr int most_large_tables = 8; ///< beyond these; joining large tables takes their memory twice

} // namespace

Context::TableLocation Context::add_table(ir::TableKind kind, ir::Table contents) {
    const DataType element = contents.element();
    const auto add = [&](ir::TableKind wanted, ir::Table table) {
        ++tables_;
        return builder.table(wanted, next_table(wanted), std::move(table));
    };
    const bool is_large = contents.size() >= least_large_table && large_tables_ < most_large_tables;
    if (tables_ >= most_separate_tables && is_large) ++large_tables_;
    if (tables_ < most_separate_tables || is_large) return {add(kind, std::move(contents)), 0};
    SharedTable& shared = shared_tables_[element];
    if (shared.tables.empty()) shared.buffer = add(ir::TableKind::joined, ir::Table(element, 1));
    const Integer line = cache_line / bytes_of(element);
    const Integer first = ceil_divide(shared.entries, line) * line;
    shared.entries = first + contents.size();
    shared.tables.emplace_back(first, std::move(contents));
    return {shared.buffer, first};
}

Context::TableLocation Context::shared_table(TwiddleTableContents contents,
                                             const std::function<ir::Table()>& make) {
    for (const auto& [known, location] : twiddle_tables_)
        if (known == contents) return location;
    return twiddle_tables_.emplace_back(std::move(contents), add_table(ir::TableKind::twiddles, make()))
        .second;
}

Context::TableLocation Context::multiples_of(Integer stride) {
    const auto known = multiples_.find(stride);
    if (known != multiples_.end()) return known->second;
    ir::Table contents(request.loops.scalar, request.loops.lanes);
    for (Integer k = 0; k < request.loops.lanes; ++k) contents.set(k, static_cast<long double>(k * stride));
    return multiples_.emplace(stride, add_table(ir::TableKind::constants, std::move(contents))).first->second;
}

ir::Value Context::vector_constant(std::vector<long double> lanes) {
    if (!vector_table_) {
        ++tables_;
        // The true contents are set at the end.
        vector_table_ = builder.table(ir::TableKind::constants, next_table(ir::TableKind::constants),
                                      ir::Table(request.loops.scalar, 1));
    }
    const int count = static_cast<int>(lanes.size());
    const auto next = static_cast<Integer>(vector_constants_.size());
    const auto [location, is_new] = vector_constant_offsets_.emplace(std::move(lanes), next);
    if (is_new)
        vector_constants_.insert(vector_constants_.end(), location->first.begin(), location->first.end());
    return builder.load(*vector_table_, location->second, {.lanes = count});
}

namespace {

/// Aligns arguments with vector accesses to the vector size.
void align_vectors(ir::Program& program) {
    ir::for_each_operation(program, [&](ir::Value value) {
        const ir::Operation& operation = program[value];
        const bool touches = operation.opcode == ir::Opcode::load || operation.opcode == ir::Opcode::store;
        if (!touches || operation.active < 2 || operation.address.lane_stride != 1) return;
        auto& buffer = program.buffers[static_cast<std::size_t>(operation.address.buffer)];
        buffer.alignment = std::max<Integer>(buffer.alignment, operation.active * bytes_of(buffer.element));
    });
}

} // namespace

ir::Program Context::finish() {
    ir::Program program = builder.finish();
    if (vector_table_) {
        ir::BufferInfo& table = program.buffers[static_cast<std::size_t>(*vector_table_)];
        table.elements = static_cast<Integer>(vector_constants_.size());
        table.contents = ir::shared(ir::Table(request.loops.scalar, vector_constants_));
    }
    for (auto& [element, shared] : shared_tables_) {
        ir::Table all(element, shared.entries);
        for (const auto& [first, table] : shared.tables) all.put(first, table);
        ir::BufferInfo& table = program.buffers[static_cast<std::size_t>(shared.buffer)];
        table.elements = shared.entries;
        table.contents = ir::shared(std::move(all));
    }
    for (ir::BufferInfo& buffer : program.buffers)
        if (buffer.space != ir::Space::argument) buffer.alignment = cache_line;
    if (request.loops.for_gpu) align_vectors(program);
    return program;
}

} // namespace swirl::lower
