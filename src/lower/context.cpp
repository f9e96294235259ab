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
    const auto scratch = [&](const std::string& name) {
        ir::BufferInfo info{.name = name, .element = request.scalar, .space = ir::Space::scratch};
        info.elements = elements;
        info.alignment = cache_line;
        info.written = true;
        return builder.add(std::move(info));
    };
    Memory memory{kind};
    const std::string name = fmt::format("t{}", temporaries_.size());
    memory.re = scratch(complex ? name + "_re" : name);
    memory.im = complex ? scratch(name + "_im") : memory.re;
    temporaries_.push_back({memory, elements, true});
    return memory;
}

void Context::release(const Memory& memory) {
    for (Temporary& temporary : temporaries_)
        if (temporary.memory.re == memory.re) temporary.in_use = false;
}

ir::Buffer Context::add_table(std::vector<long double> data) {
    ir::BufferInfo info{.name = fmt::format("w{}", tables_++), .element = request.scalar, .space = ir::Space::table};
    info.elements = static_cast<Integer>(data.size());
    info.alignment = cache_line;
    info.data = std::make_shared<const std::vector<long double>>(std::move(data));
    return builder.add(std::move(info));
}

ir::Buffer Context::add_table(std::vector<Integer> data) {
    return builder.table(fmt::format("p{}", tables_++), std::move(data));
}

ir::Program Context::finish() {
    ir::Program program = builder.finish();
    for (const Temporary& temporary : temporaries_)
        for (ir::Buffer buffer : {temporary.memory.re, temporary.memory.im})
            program.buffers[static_cast<std::size_t>(buffer)].elements = temporary.elements;
    return program;
}

} // namespace swirl::lower
