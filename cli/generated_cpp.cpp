#include "cli/generated_cpp.hpp"

#include <swirl/version.hpp>

#include "base/error.hpp"
#include "emit/cpp.hpp"
#include "emit/source_writer.hpp"
#include "passes/pipeline.hpp"
#include "problem/syntax.hpp"

#include <cctype>

namespace swirl::cli {
namespace {

constexpr Integer alignment = 64; ///< of the workspace and of each buffer in it, in bytes

/// The derived kernel as vector operations, before it is fitted to one machine's instructions.
ir::Program portable_program(const planning::Plan& plan, const planning::StepDescription& step) {
    const ir::Scalar scalar =
        plan.problem().precision == Precision::float32 ? ir::Scalar::float32 : ir::Scalar::float64;
    const passes::Context context{&plan.cpu(), target::lanes(plan.cpu(), scalar)};
    ir::Program program = passes::run(step.lowered, context, passes::loop_passes());
    return passes::run(std::move(program), context, passes::arithmetic_passes());
}

bool is_passed(const ir::BufferInfo& buffer) {
    return buffer.space == ir::Space::argument || buffer.space == ir::Space::scratch ||
           buffer.space == ir::Space::table;
}

Integer bytes_of(const ir::BufferInfo& buffer) {
    return ceil_divide(buffer.elements * ir::size_in_bytes(buffer.element), alignment) * alignment;
}

Integer workspace_of(const ir::Program& program) {
    Integer bytes = 0;
    for (const ir::BufferInfo& buffer : program.buffers)
        if (buffer.space == ir::Space::scratch) bytes += bytes_of(buffer);
    return bytes;
}

/// The function that runs the kernels in order.
class DriverWriter {
public:
    DriverWriter(const planning::Plan& plan, const std::vector<ir::Program>& programs,
                 std::vector<std::string> kernels, std::string name)
        : plan_(plan), programs_(programs), kernels_(std::move(kernels)), name_(std::move(name)) {}

    std::string run() && {
        out_.line();
        write_workspace_size();
        out_.line();
        write_function();
        return std::move(out_).text();
    }

private:
    void write_workspace_size() {
        Integer bytes = 0;
        for (const ir::Program& program : programs_) bytes = std::max(bytes, workspace_of(program));
        out_.comment(fmt::format("Bytes of workspace that {} needs, aligned to {}.", name_, alignment));
        out_.line("extern \"C\" std::int64_t {}_workspace_bytes() {{ return {}; }}", name_, bytes);
    }

    std::vector<std::string> formals() const {
        const Problem& problem = plan_.problem();
        const std::string type = emit::cpp_type(
            {problem.precision == Precision::float32 ? ir::Scalar::float32 : ir::Scalar::float64, 1});
        std::vector<std::string> list;
        for (const Side side : {Side::input, Side::output}) {
            const bool planar = problem.layout == ComplexLayout::planar && is_complex(problem, side);
            const std::string pointer = side == Side::input ? "const " + type + "* input" : type + "* output";
            list.push_back(pointer);
            if (planar) list.push_back(pointer + "_imaginary");
        }
        list.push_back("void* workspace");
        return list;
    }

    void write_function() {
        const bool in_place = plan_.problem().placement == Placement::in_place;
        out_.comment(to_text(plan_.problem()) +
                     "\nPointers are to the element of index 0; complex numbers are pairs unless the problem "
                     "is planar." +
                     (in_place ? " In place: output is input." : ""));
        out_.list("extern \"C\" void " + name_ + "(", formals(), ") {");
        out_.indent();
        if (!uses_workspace()) out_.line("static_cast<void>(workspace);");
        if (!uses_input()) out_.line("static_cast<void>(input);");
        for (std::size_t i = 0; i < programs_.size(); ++i) write_call(i);
        out_.close();
    }

    void write_call(std::size_t step) {
        std::vector<std::string> pointers;
        Integer offset = 0;
        for (const ir::BufferInfo& buffer : programs_[step].buffers) {
            if (!is_passed(buffer)) continue;
            if (buffer.space == ir::Space::table) {
                pointers.emplace_back("nullptr");
            } else if (buffer.space == ir::Space::scratch) {
                pointers.push_back(fmt::format("static_cast<unsigned char*>(workspace) + {}", offset));
                offset += bytes_of(buffer);
            } else {
                pointers.push_back(argument(buffer.name));
            }
        }
        const emit::SourceWriter::Block block(out_, "");
        out_.list("void* const buffers[] = {", pointers, "};");
        out_.line("{}(buffers, nullptr);", kernels_[step]);
    }

    /// Kernels name their arguments in, out or data, with _re and _im where they are planar.
    std::string argument(const std::string& buffer) const {
        const bool imaginary = buffer.ends_with("_im");
        const std::string side = buffer.substr(0, buffer.find('_'));
        ensure(side == "in" || side == "out" || side == "data", "a kernel's argument is called '{}'", buffer);
        const std::string name = side == "in" ? "input" : "output";
        const std::string whole = imaginary ? name + "_imaginary" : name;
        if (side != "in") return whole;
        return fmt::format("const_cast<void*>(static_cast<const void*>({}))", whole);
    }

    bool uses_workspace() const {
        for (const ir::Program& program : programs_)
            if (workspace_of(program) > 0) return true;
        return false;
    }
    bool uses_input() const {
        for (const ir::Program& program : programs_)
            for (const ir::BufferInfo& buffer : program.buffers)
                if (buffer.space == ir::Space::argument && buffer.name.starts_with("in")) return true;
        return false;
    }

    const planning::Plan& plan_;
    const std::vector<ir::Program>& programs_;
    std::vector<std::string> kernels_;
    std::string name_;
    emit::SourceWriter out_;
};

std::string comment_for(const planning::Plan& plan) {
    return fmt::format("{}\nrecipe: {}\nGenerated by swirl {}.", to_text(plan.problem()),
                       planning::to_string(plan.recipe()), version());
}

} // namespace

std::string kernel_as_cpp(const planning::Plan& plan, const planning::StepDescription& step) {
    return emit::emit_cpp(portable_program(plan, step), {.comment = comment_for(plan)});
}

std::string plan_as_cpp(const planning::Plan& plan, const std::string& function) {
    std::vector<ir::Program> programs;
    for (const planning::StepDescription& step : plan.describe()) {
        programs.push_back(portable_program(plan, step));
        programs.back().name = fmt::format("{}_step_{}", function, programs.size());
    }
    std::vector<const ir::Program*> pointers;
    for (const ir::Program& program : programs) pointers.push_back(&program);
    const std::string kernels =
        emit::emit_cpp(pointers, {.typed_overload = false, .comment = comment_for(plan)});
    return kernels + DriverWriter(plan, programs, emit::cpp_function_names(pointers), function).run();
}

std::string function_name(const Problem& problem) {
    std::string name = "swirl_";
    for (const char c : to_text(problem)) {
        const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
        if (is_plain || name.back() != '_') name += is_plain ? c : c == '-' ? 'm' : '_';
    }
    while (name.back() == '_') name.pop_back();
    return name;
}

} // namespace swirl::cli
