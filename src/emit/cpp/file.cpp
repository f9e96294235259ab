#include "emit/cpp/file.hpp"

#include "base/error.hpp"
#include "emit/cpp/kernel.hpp"
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
            tables[i] = tables_.name_of(program.buffers[i], names_);
    for (std::size_t i = 0; i < tables.size(); ++i)
        if (!tables[i].empty() && usages_[position].buffers[i] && tables_.is_first_use(tables[i])) {
            out_.line();
            write_c_table(
                out_, program.buffers[i],
                fmt::format("alignas(64) static const {}", cpp_type({program.buffers[i].element, 1})),
                tables[i], [](long double value, DataType scalar) { return c_literal(value, scalar); });
        }
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

} // namespace swirl::emit
