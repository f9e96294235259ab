#include "emit/ptx/assembly.hpp"

namespace swirl::emit {
namespace {

struct RegisterClass {
    std::string_view prefix;
    std::string_view type;
};

/// By PtxRegister.
constexpr std::array<RegisterClass, 6> classes = {{
    {"%p", ".pred"},
    {"%h", ".b16"},
    {"%r", ".b32"},
    {"%rd", ".b64"},
    {"%f", ".f32"},
    {"%fd", ".f64"},
}};

} // namespace

std::string PtxAssembly::fresh(PtxRegister kind) {
    const auto at = static_cast<std::size_t>(kind);
    return fmt::format("{}{}", classes[at].prefix, registers_[at]++);
}

void PtxAssembly::emit(std::string_view opcode, std::initializer_list<std::string_view> operands) {
    code_.line("{} {};", opcode, fmt::join(operands, ", "));
}

std::string PtxAssembly::result(PtxRegister kind, std::string_view opcode,
                                std::initializer_list<std::string_view> operands) {
    std::string to = fresh(kind);
    code_.line("{} {}, {};", opcode, to, fmt::join(operands, ", "));
    return to;
}

std::string PtxAssembly::fresh_label(std::string_view stem) { return fmt::format("${}_{}", stem, labels_++); }

void PtxAssembly::write_to(SourceWriter& out) const {
    for (std::size_t i = 0; i < classes.size(); ++i)
        if (registers_[i] > 0) out.line(".reg {} {}<{}>;", classes[i].type, classes[i].prefix, registers_[i]);
    out.line();
    out.paragraph(code_.text());
}

} // namespace swirl::emit
