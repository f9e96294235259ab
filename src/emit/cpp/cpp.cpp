#include "emit/cpp/cpp.hpp"

#include "emit/cpp/file.hpp"

namespace swirl::emit {

std::string emit_cpp(std::span<const ir::Program* const> programs, const CppOptions& options) {
    Identifiers names;
    reserve_prelude_names(names);
    CppFile file(programs, options, names);
    file.write_head();
    for (std::size_t i = 0; i < programs.size(); ++i) file.write_kernel(i, CppFile::Convention::by_array);
    return std::move(file).text();
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
