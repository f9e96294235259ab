#include "lower/context.hpp"

#include <algorithm>

namespace swirl::lower {

namespace {

constexpr int cache_line = 64; ///< bytes; what scratch and tables are aligned to

} // namespace

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

Memory Context::acquire(Integer elements, bool complex) {
    const auto kind = complex ? Memory::Kind::planar : Memory::Kind::real;
    for (Temporary& temporary : temporaries_) {
        if (temporary.in_use || temporary.memory.kind != kind) continue;
        temporary.in_use = true;
        temporary.elements = std::max(temporary.elements, elements);
        return temporary.memory;
    }
    Memory memory{kind, 0, 0};
    const std::string name = fmt::format("t{}", temporaries_.size());
    memory.re = builder.scratch(complex ? name + "_re" : name, request.scalar, elements);
    memory.im = complex ? builder.scratch(name + "_im", request.scalar, elements) : memory.re;
    temporaries_.push_back({memory, elements, true});
    return memory;
}

void Context::release(const Memory& memory) {
    for (Temporary& temporary : temporaries_)
        if (temporary.memory.re == memory.re) temporary.in_use = false;
}

ir::Buffer Context::add_table(std::vector<long double> data) {
    return builder.table(fmt::format("w{}", tables_++), request.scalar, std::move(data));
}

ir::Buffer Context::add_table(std::vector<Integer> data) {
    return builder.table(fmt::format("p{}", tables_++), std::move(data));
}

ir::Program Context::finish() {
    ir::Program program = builder.finish();
    for (const Temporary& temporary : temporaries_)
        for (ir::Buffer buffer : {temporary.memory.re, temporary.memory.im})
            program.buffers[static_cast<std::size_t>(buffer)].elements = temporary.elements;
    for (ir::BufferInfo& buffer : program.buffers)
        if (buffer.space != ir::Space::argument) buffer.alignment = cache_line;
    return program;
}

} // namespace swirl::lower
