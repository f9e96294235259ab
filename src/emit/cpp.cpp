#include "emit/cpp.hpp"

#include "base/error.hpp"
#include "emit/cpp_kernel.hpp"
#include "emit/literal.hpp"

#include <algorithm>
#include <map>

namespace swirl::emit {
namespace {

/// A table of the file: equal contents of equal type are stored once.
struct TableKey {
    const void* data;
    ir::Scalar element;
    auto operator<=>(const TableKey&) const = default;
};

class CppFileWriter {
public:
    CppFileWriter(std::span<const ir::Program* const> programs, const CppOptions& options)
        : programs_(programs), options_(options) {
        reserve_prelude_names(names_);
        for (const ir::Program* program : programs_) {
            check(*program);
            functions_.push_back(names_.unique(program->name));
            usages_.push_back(usage_of(*program));
        }
    }

    std::string run() && {
        head();
        write_prelude(out_, needs(), options_.vectors);
        for (std::size_t i = 0; i < programs_.size(); ++i) write_kernel(i);
        return std::move(out_).text();
    }

private:
    static void check(const ir::Program& program) {
        const bool one_thread = program.launch.blocks == std::array<Integer, 3>{1, 1, 1} &&
                                program.launch.threads == program.launch.blocks;
        if (!one_thread)
            throw UserError(
                "kernel '{}' runs on {} threads of a GPU; C++ text needs a CPU kernel", program.name,
                program.launch.threads[0] * program.launch.threads[1] * program.launch.threads[2]);
    }

    void head() {
        if (!options_.comment.empty()) out_.comment(options_.comment);
        out_.comment("Standalone C++17. With -ffp-contract=off the results do not depend on the compiler.");
        out_.line();
    }

    PreludeNeeds needs() const {
        PreludeNeeds needs;
        for (std::size_t p = 0; p < programs_.size(); ++p)
            for (std::size_t i = 0; i < programs_[p]->operations.size(); ++i)
                if (usages_[p].values[i]) needs.include(*programs_[p], programs_[p]->operations[i]);
        return needs;
    }

    void write_kernel(std::size_t position) {
        const ir::Program& program = *programs_[position];
        std::vector<std::string> tables(program.buffers.size());
        for (std::size_t i = 0; i < program.buffers.size(); ++i)
            if (options_.embed_tables && program.buffers[i].space == ir::Space::table)
                tables[i] = table(program.buffers[i], usages_[position].buffers[i]);
        CppKernelWriter kernel(out_, program, usages_[position], functions_[position], tables, names_);
        out_.line();
        kernel.write_function();
        if (!options_.typed_overload) return;
        out_.line();
        kernel.write_typed_overload();
    }

    /// The array's name; writes the array when it is the first of its kind.
    std::string table(const ir::BufferInfo& buffer, bool used) {
        const void* data = buffer.data ? static_cast<const void*>(buffer.data.get()) : buffer.integers.get();
        ensure(data != nullptr, "table '{}' holds no data", buffer.name);
        const auto [at, is_new] = tables_.try_emplace({data, buffer.element});
        if (is_new) at->second = names_.unique(buffer.name);
        if (used && written_.insert(at->second).second) write_table(buffer, at->second);
        return at->second;
    }

    void write_table(const ir::BufferInfo& buffer, const std::string& name) {
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

    std::span<const ir::Program* const> programs_;
    const CppOptions& options_;
    SourceWriter out_;
    Identifiers names_;
    std::vector<std::string> functions_;
    std::vector<Usage> usages_;
    std::map<TableKey, std::string> tables_;
    std::set<std::string> written_;
};

} // namespace

std::string emit_cpp(std::span<const ir::Program* const> programs, const CppOptions& options) {
    return CppFileWriter(programs, options).run();
}

std::string emit_cpp(const ir::Program& program, const CppOptions& options) {
    const ir::Program* const programs[] = {&program};
    return emit_cpp(programs, options);
}

std::vector<std::string> cpp_function_names(std::span<const ir::Program* const> programs) {
    Identifiers names;
    reserve_prelude_names(names);
    std::vector<std::string> result;
    for (const ir::Program* program : programs) result.push_back(names.unique(program->name));
    return result;
}

} // namespace swirl::emit
