#include "emit/gpu_c/kernel.hpp"

#include "base/error.hpp"
#include "emit/gpu_c/launch.hpp"
#include "emit/literal.hpp"
#include "ir/analysis.hpp"
#include "problem/data_type.hpp"

#include <algorithm>
#include <limits>

namespace swirl::emit {
namespace {

/// Whether all index arithmetic of a kernel fits 32 bits, in any order of additions.
class IndexWidth {
public:
    explicit IndexWidth(const ir::Program& program) : program_(program), ranges_(program) {}

    bool is_wide() {
        visit(program_.body);
        return wide_;
    }

private:
    void visit(const ir::Body& body) {
        for (const ir::Statement& statement : body) {
            if (const auto* block = std::get_if<ir::StraightLineBlock>(&statement.node)) {
                for (const ir::Value value : block->operations) visit(program_[value]);
            } else if (const auto* loop = std::get_if<ir::For>(&statement.node)) {
                visit(*loop);
            } else if (const auto* branch = std::get_if<ir::If>(&statement.node)) {
                for (const ir::Condition& condition : branch->conditions) visit(condition.form);
                visit(branch->then);
                visit(branch->otherwise);
            }
        }
    }

    void visit(const ir::Operation& operation) {
        if (operation.opcode != ir::Opcode::index && !ir::accesses_memory(operation.opcode)) return;
        visit(operation.address.index);
        if (operation.opcode == ir::Opcode::index) return;
        const ir::BufferInfo& buffer = program_.buffers[static_cast<std::size_t>(operation.address.buffer)];
        include(buffer.first);
        include(buffer.first + buffer.elements);
    }

    void visit(const ir::For& loop) {
        visit(loop.begin);
        visit(loop.end);
        ranges_.enter(loop);
        visit(Affine::of(loop.variable) + loop.step);
        for (const ir::Induction& induction : loop.inductions)
            visit(Affine::of(induction.variable) + induction.step);
        visit(loop.body);
        ranges_.leave(loop);
    }

    void visit(const Affine& form) {
        Integer sum = magnitude(form.constant());
        for (const Affine::Term& term : form.terms()) {
            const std::optional<ir::Range> range = ranges_.range(Affine::of(term.variable));
            if (!range) return void(wide_ = true);
            sum += magnitude(term.coefficient) * std::max(magnitude(range->low), magnitude(range->high));
        }
        include(sum);
    }

    static Integer magnitude(Integer value) { return value < 0 ? -value : value; }
    void include(Integer value) {
        wide_ = wide_ || magnitude(value) > std::numeric_limits<std::int32_t>::max() / 2;
    }

    const ir::Program& program_;
    ir::VariableRanges ranges_;
    bool wide_ = false;
};

std::string_view index_type(const GpuDialect& dialect, const ir::Program& program) {
    return IndexWidth(program).is_wide() ? dialect.wide_integer : "int";
}

bool is_own_array(ir::Space space) { return space == ir::Space::shared || space == ir::Space::local; }

} // namespace

// ---- buffers and parameters of a kernel -------------------------------------------------------------------------

bool GpuKernel::is_passed(std::size_t position) const {
    return usage.buffers[position] && !is_own_array(buffer(position).space) && tables[position].empty();
}

std::vector<std::size_t> GpuKernel::passed() const {
    std::vector<std::size_t> result;
    for (std::size_t b = 0; b < program->buffers.size(); ++b)
        if (is_passed(b) && buffer(b).space != ir::Space::table && !buffer(b).by_value) result.push_back(b);
    for (std::size_t b = 0; b < program->buffers.size(); ++b)
        if (is_passed(b) && buffer(b).space == ir::Space::table) result.push_back(b);
    for (std::size_t b = 0; b < program->buffers.size(); ++b)
        if (is_passed(b) && buffer(b).by_value) result.push_back(b);
    return result;
}

std::vector<std::size_t> GpuKernel::parameters() const {
    std::vector<std::size_t> result;
    for (std::size_t v = 0; v < program->variables.size(); ++v)
        if (usage.variables[v] && program->variables[v].kind == ir::VariableInfo::Kind::parameter)
            result.push_back(v);
    return result;
}

void GpuKernel::allocate_shared(const GpuDialect& dialect) {
    Integer bytes = 0;
    shared_offsets.assign(program->buffers.size(), 0);
    for (std::size_t b = 0; b < program->buffers.size(); ++b) {
        if (buffer(b).space != ir::Space::shared || !usage.buffers[b]) continue;
        shared_offsets[b] = bytes;
        bytes += ceil_divide(own_elements(b) * bytes_of(buffer(b).element), widest_access) * widest_access;
    }
    dynamic_shared_bytes = dialect.largest_shared != 0 && bytes > dialect.largest_shared ? bytes : 0;
}

// ---- the kernel -------------------------------------------------------------------------------------------------

GpuKernelWriter::GpuKernelWriter(SourceWriter& out, const GpuDialect& dialect, const GpuKernel& kernel,
                                 const Identifiers& file_names)
    : CKernelWriter(out, *kernel.program, kernel.usage, index_type(dialect, *kernel.program), file_names),
      dialect_(dialect),
      kernel_(kernel),
      ranges_(program_),
      values_(program_.operations.size()),
      passed_by_value_(program_.buffers.size()) {
    for (std::size_t i = 0; i < program_.operations.size(); ++i)
        for (int lane = 0; lane < program_.operations[i].type.lanes; ++lane)
            names_.reserve(fmt::format("v{}_{}", i, lane));
    for (std::size_t b = 0; b < program_.buffers.size(); ++b) {
        const ir::BufferInfo& buffer = program_.buffers[b];
        if (buffer.absolute)
            throw UserError(
                "'{}' lies where a list of pointers says, which is not written in {}\n  its PTX is there",
                buffer.name, dialect.name);
        name_buffer(kernel.tables[b].empty() ? names_.unique(buffer.name) : kernel.tables[b],
                    kernel.is_passed(b) ? kernel.origins[b].value() : buffer.first);
        for (Integer i = 0; buffer.by_value && i < buffer.elements; ++i)
            passed_by_value_[b].push_back(names_.unique(fmt::format("{}_{}", buffer.name, i)));
    }
    name_fixed_variables();
}

void GpuKernelWriter::write_kernel() {
    const ir::Launch& launch = program_.launch;
    const auto& threads = launch.threads;
    std::string bounds = fmt::format("{}", threads[0] * threads[1] * threads[2]), cluster;
    if (launch.resident > 0) bounds += fmt::format(fmt::runtime(dialect_.resident), launch.resident);
    if (launch.cluster > 1) cluster = fmt::format(fmt::runtime(dialect_.cluster), launch.cluster);
    out_.list(fmt::format(fmt::runtime(dialect_.kernel_head), fmt::arg("name", kernel_.name),
                          fmt::arg("cluster", cluster), fmt::arg("bounds", bounds), fmt::arg("x", threads[0]),
                          fmt::arg("y", threads[1]), fmt::arg("z", threads[2])),
              formals(), ") {");
    out_.indent();
    declare_buffers();
    declare_indices();
    if (launch.cooperative_group > 1) out_.line("{} awaited = 0;", dialect_.wide_integer);
    write(program_.body);
    out_.close();
}

std::vector<std::string> GpuKernelWriter::formals() const {
    std::vector<std::string> result;
    for (const std::size_t b : kernel_.passed()) {
        const ir::BufferInfo& buffer = program_.buffers[b];
        for (const std::string& name : passed_by_value_[b])
            result.push_back(fmt::format("const {} {}", gpu_memory_type(dialect_, buffer.element), name));
        if (buffer.by_value) continue;
        result.push_back(fmt::format("{}{}{}* {}{}", space_of(b), buffer.written ? "" : "const ",
                                     gpu_memory_type(dialect_, buffer.element),
                                     kernel_.arguments_overlap ? "" : dialect_.restricted, buffers_[b]));
    }
    for (const std::size_t v : kernel_.parameters())
        result.push_back(fmt::format("const {} {}", dialect_.wide_integer, variables_[v]));
    return result;
}

void GpuKernelWriter::declare_buffers() {
    const std::string aligned = fmt::format(fmt::runtime(dialect_.aligned), widest_access);
    if (kernel_.dynamic_shared_bytes > 0)
        out_.line("{}extern {}unsigned char shared_memory[];", aligned, dialect_.shared_array);
    for (std::size_t b = 0; b < program_.buffers.size(); ++b) {
        const ir::BufferInfo& buffer = program_.buffers[b];
        if (!usage_.buffers[b] || !is_own_array(buffer.space)) continue;
        const std::string_view type = gpu_memory_type(dialect_, buffer.element);
        const bool is_shared = buffer.space == ir::Space::shared;
        if (is_shared && kernel_.dynamic_shared_bytes > 0)
            out_.line("{0}* const {1} = ({0}*)(shared_memory + {2});", type, buffers_[b],
                      kernel_.shared_offsets[b]);
        else
            out_.line("{}{}{} {}[{}];", aligned, is_shared ? dialect_.shared_array : "", type, buffers_[b],
                      kernel_.own_elements(b));
    }
}

/// Digits are unsigned, so that shifts and masks replace division.
void GpuKernelWriter::declare_indices() {
    using Kind = ir::VariableInfo::Kind;
    const std::string_view type = index_type(dialect_, program_);
    for (std::size_t v = 0; v < variables_.size(); ++v) {
        const ir::VariableInfo& variable = program_.variables[v];
        if (!usage_.variables[v] || (variable.kind != Kind::thread && variable.kind != Kind::block)) continue;
        const auto axis = static_cast<std::size_t>(variable.axis);
        std::string digit(variable.kind == Kind::thread ? dialect_.threads[axis] : dialect_.blocks[axis]);
        if (variable.divisor != 1) digit += fmt::format(" / {}u", variable.divisor);
        if (variable.modulus != 0) digit += fmt::format(" % {}u", variable.modulus);
        out_.line("const {0} {1} = ({0})({2});", type, variables_[v], digit);
    }
}

std::string_view GpuKernelWriter::space_of(std::size_t buffer) const {
    switch (program_.buffers[buffer].space) {
    case ir::Space::argument:
    case ir::Space::scratch: return dialect_.global;
    case ir::Space::table: return kernel_.is_passed(buffer) ? dialect_.global : dialect_.constant;
    case ir::Space::shared: return dialect_.shared;
    case ir::Space::local: break;
    }
    return "";
}

/// Whether barriers must order accesses to global memory: the kernel both reads and writes some of it.
bool GpuKernelWriter::orders_global_memory() const {
    std::vector<char> read(program_.buffers.size());
    ir::for_each_operation(program_, [&](ir::Value value) {
        if (program_[value].opcode == ir::Opcode::load)
            read[static_cast<std::size_t>(program_[value].address.buffer)] = 1;
    });
    if (kernel_.arguments_overlap) return true;
    for (std::size_t b = 0; b < read.size(); ++b)
        if (kernel_.is_passed(b) && program_.buffers[b].written && read[b] != 0) return true;
    return false;
}

void GpuKernelWriter::write(const ir::For& loop) {
    ranges_.enter(loop);
    CKernelWriter::write(loop);
    ranges_.leave(loop);
}

void GpuKernelWriter::write(const ir::Barrier& barrier) {
    if (barrier.of_cooperative_group) return cooperative_barrier(barrier);
    if (barrier.of_cluster) return out_.write(dialect_.cluster_barrier);
    out_.write(orders_global_memory() ? dialect_.global_barrier : dialect_.barrier);
}

/// A barrier among all blocks. One thread of each block counts the block's arrival and waits until all blocks have
/// arrived: it orders for its block what the surrounding block barriers order among the block's threads.
void GpuKernelWriter::cooperative_barrier(const ir::Barrier& barrier) {
    using Half = ir::Barrier::Half;
    std::string first = fmt::format("{} == 0", dialect_.threads[0]);
    for (const std::size_t axis : {1, 2})
        if (program_.launch.threads[axis] > 1) first += fmt::format(" && {} == 0", dialect_.threads[axis]);
    const std::string counter = pointer(barrier.counter);
    if (barrier.half != Half::wait) {
        out_.write(dialect_.global_barrier);
        out_.line("awaited += {};", program_.launch.cooperative_group);
        out_.line("if ({}) arrive({});", first, counter);
    }
    if (barrier.half != Half::arrive) {
        out_.line("if ({}) while (arrivals({}) < awaited) {{}}", first, counter);
        out_.write(dialect_.global_barrier);
    }
}

void GpuKernelWriter::write(ir::Value value) {
    switch (program_[value].opcode) {
    case ir::Opcode::load: return load(value);
    case ir::Opcode::store: return store(program_[value]);
    case ir::Opcode::atomic_add: return atomic_add(program_[value]);
    case ir::Opcode::prefetch: return; // a hint
    default: return compute(value);
    }
}

std::string GpuKernelWriter::operand(ir::Value value) const {
    const Lanes& lanes = values_[static_cast<std::size_t>(value)];
    ensure(!lanes.empty(), "a value is used before it is written");
    return lanes.front();
}

std::string_view GpuKernelWriter::value_type(DataType scalar) const {
    switch (scalar) {
    case DataType::boolean: return "bool";
    case DataType::int8:
    case DataType::uint8:
    case DataType::int16:
    case DataType::uint16:
    case DataType::int32: return "int"; // shorter integers are held as int
    case DataType::int64: return dialect_.wide_integer;
    case DataType::float16:
    case DataType::bfloat16:
    case DataType::float32: return "float";
    case DataType::float64: return "double";
    default: throw InternalError("threads hold no {}", name_of(scalar)); // such memory has no float8_e4m3
    }
}

} // namespace swirl::emit
