#include "emit/cpp_file.hpp"

#include "base/error.hpp"
#include "emit/cpp_kernel.hpp"
#include "emit/literal.hpp"

namespace swirl::emit {
namespace {

void expect_one_thread(const ir::Program& program) {
    const std::array<Integer, 3> one = {1, 1, 1};
    const std::array<Integer, 3>& threads = program.launch.threads;
    if (program.launch.blocks != one || threads != one)
        throw UserError("kernel '{}' runs on a GPU, with {} threads a block; C++ text needs a CPU kernel",
                        program.name, threads[0] * threads[1] * threads[2]);
}

} // namespace

CppFile::CppFile(std::span<const ir::Program* const> programs, const CppOptions& options, Identifiers names)
    : programs_(programs), options_(options), names_(std::move(names)) {
    for (const ir::Program* program : programs_) {
        expect_one_thread(*program);
        functions_.push_back(names_.unique(program->name));
        usages_.push_back(usage_of(*program));
    }
}

void CppFile::write_head() {
    if (!options_.comment.empty()) out_.comment(options_.comment);
    out_.comment("Standalone C++17. With -ffp-contract=off the results do not depend on the compiler.");
    out_.line();
    write_prelude(out_, needs(), options_.vectors);
}

PreludeNeeds CppFile::needs() const {
    PreludeNeeds needs;
    for (std::size_t p = 0; p < programs_.size(); ++p)
        for (std::size_t i = 0; i < programs_[p]->operations.size(); ++i)
            if (usages_[p].values[i])
                needs.include(*programs_[p], programs_[p]->operations[i], options_.vectors);
    return needs;
}

void CppFile::write_kernel(std::size_t position, Convention convention) {
    const ir::Program& program = *programs_[position];
    std::vector<std::string> tables(program.buffers.size());
    for (std::size_t i = 0; i < program.buffers.size(); ++i)
        if (options_.embed_tables && program.buffers[i].space == ir::Space::table)
            tables[i] = table(program.buffers[i], usages_[position].buffers[i]);
    CppKernelWriter kernel(out_, program, usages_[position], functions_[position], tables, names_,
                           options_.vectors);
    out_.line();
    if (convention == Convention::by_name) {
        kernel.write_internal_function();
        return;
    }
    kernel.write_function();
    if (!options_.typed_overload) return;
    out_.line();
    kernel.write_typed_overload();
}

/// The array's name; writes the array when it is the first of its kind.
std::string CppFile::table(const ir::BufferInfo& buffer, bool used) {
    const void* data = buffer.data ? static_cast<const void*>(buffer.data.get()) : buffer.integers.get();
    ensure(data != nullptr, "table '{}' holds no data", buffer.name);
    const auto [at, is_new] = tables_.try_emplace({data, buffer.element});
    if (is_new) at->second = names_.unique(buffer.name);
    if (used && written_.insert(at->second).second) write_table(buffer, at->second);
    return at->second;
}

void CppFile::write_table(const ir::BufferInfo& buffer, const std::string& name) {
    std::vector<std::string> items;
    if (buffer.data)
        for (const long double number : *buffer.data) items.push_back(c_literal(number, buffer.element));
    else
        for (const Integer number : *buffer.integers) items.push_back(c_literal(number));
    ensure(static_cast<Integer>(items.size()) == buffer.elements, "table '{}' holds {} of {} elements",
           buffer.name, items.size(), buffer.elements);
    out_.line();
    out_.list(fmt::format("alignas(64) static const {} {}[{}] = {{", cpp_type({buffer.element, 1}), name,
                          items.size()),
              items, "};");
}

} // namespace swirl::emit
