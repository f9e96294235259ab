#include "loops/loop_program.hpp"

#include "base/overloaded.hpp"
#include "formula/print.hpp"
#include "loops/twiddle.hpp"

#include <fmt/format.h>

namespace swirl::loops {

namespace {

std::string text_of(const Affine& form) {
    std::string text;
    for (const auto& [variable, coefficient] : form.terms())
        text += coefficient == 1 ? fmt::format("i{} + ", variable)
                                 : fmt::format("{}·i{} + ", coefficient, variable);
    if (text.empty()) return fmt::format("{}", form.constant());
    if (form.constant() != 0) return text + fmt::format("{}", form.constant());
    return text.substr(0, text.size() - 3);
}

std::string text_of(const Location& location, const Extents& extents) {
    std::string text = text_of(location.re);
    if (location.table)
        text += fmt::format(" (i{} looked up in a table of {} variables)", location.table->symbol,
                            location.table->variables.size());
    if (location.re_negative || location.im_negative)
        text += location.re_negative && location.im_negative ? ", negated"
                : location.im_negative                       ? ", conjugated"
                                                             : ", with the real part negated";
    if (location.is_real()) text += ", real component";
    if (!twiddle_of(location.diagonals, extents).is_one()) text += ", scaled";
    return text;
}

/// The first, second and last of the entries; the second shows the stride.
std::string text_of(const LoopProgram& program, const Memory& memory,
                    const std::vector<Location>& locations) {
    std::string text = name_of(program, memory.array) + "[" + text_of(locations.front(), program.extents);
    if (locations.size() > 1) text += "; " + text_of(locations[1], program.extents);
    if (locations.size() > 3) text += "; …";
    if (locations.size() > 2) text += "; " + text_of(locations.back(), program.extents);
    return text + "]";
}

std::string tags_of(const Loop& loop) {
    constexpr const char* tags[] = {"", " unrolled", " smp", " gpu block", " gpu thread"};
    std::string text = tags[static_cast<std::size_t>(loop.tag)];
    if (loop.per_block > 1) text += fmt::format("({})", loop.per_block);
    if (!loop.vec) return text;
    text += fmt::format(" vec({})", loop.vec->lanes);
    if (loop.vec->lead > 0) text += fmt::format(" after {}", loop.vec->lead);
    if (loop.vec->overlap) text += " overlapping";
    return text;
}

class Printer {
public:
    explicit Printer(const LoopProgram& program) : program_(program) {}

    std::string operator()() {
        for (std::size_t k = 0; k < program_.arrays.size(); ++k) {
            const Array& array = program_.arrays[k];
            if (array.unused) continue;
            constexpr const char* kinds[] = {"real", "interleaved", "planar"};
            const bool shared =
                array.role == Array::Role::temporary && array.residence == Array::Residence::shared;
            text_ +=
                fmt::format("{}: {} entries from {}, {}{}{}\n", name_of(program_, static_cast<int>(k)),
                            array.elements, array.first, kinds[static_cast<std::size_t>(array.kind)],
                            array.nest_depth > 0 ? ", per iteration" : "", shared ? ", shared memory" : "");
        }
        print(program_.body, 0);
        return std::move(text_);
    }

private:
    void print(const Nodes& nodes, int depth) {
        for (const Node& node : nodes)
            std::visit(Overloaded{[&](const Call& call) { print(call, depth); },
                                  [&](const Nest& nest) {
                                      open(nest.loop, depth);
                                      print(nest.body, depth + 1);
                                  }},
                       node.node);
    }

    void print(const Call& call, int depth) {
        for (const Loop& loop : call.loops) open(loop, depth++);
        const auto& [sources, targets, between] = call.placement;
        text_ += std::string(static_cast<std::size_t>(2 * depth), ' ') +
                 text_of(program_, call.output, targets) + " = ";
        for (std::size_t k = call.codelet.then.size(); k-- > 0;)
            text_ += formula::to_short_text(call.codelet.then[k]) + " scaled ";
        if (call.codelet.formula) text_ += formula::to_short_text(*call.codelet.formula) + " ";
        text_ += sources.empty() ? "0" : text_of(program_, call.input, sources);
        text_ += "\n";
    }

    void open(const Loop& loop, int depth) {
        text_ +=
            fmt::format("{:{}}for i{} < {}{}:\n", "", 2 * depth, loop.variable, loop.count, tags_of(loop));
    }

    const LoopProgram& program_;
    std::string text_;
};

} // namespace

Codelet codelet_of(const formula::Formula& formula) { return {formula.rows(), formula.columns(), formula}; }
Codelet copying_codelet() { return {1, 1, std::nullopt}; }
Codelet zero_codelet() { return {1, 0, std::nullopt}; }

std::vector<Memory> memories_of(const Call& call) {
    std::vector<Memory> memories{call.input, call.output};
    for (const auto* entry : {&call.first_source, &call.first_target})
        if (*entry) memories.push_back((*entry)->memory);
    return memories;
}

bool exceeds_caches(const Array& array, DataType scalar, Integer cache_bytes) {
    const Integer scalars = array.kind == Memory::Kind::real ? 1 : 2;
    return cache_bytes > 0 && array.elements > cache_bytes / (scalars * bytes_of(scalar));
}

std::string name_of(const LoopProgram& program, int array) {
    const auto& arrays = program.arrays;
    switch (arrays[static_cast<std::size_t>(array)].role) {
    case Array::Role::input: return "input";
    case Array::Role::output: return "output";
    case Array::Role::data: return "data";
    case Array::Role::temporary: break;
    }
    int arguments = 0;
    for (const Array& other : arrays) arguments += other.role != Array::Role::temporary;
    const bool is_shared = arrays[static_cast<std::size_t>(array)].residence == Array::Residence::shared;
    return fmt::format("{}_{}", is_shared ? "shared" : "workspace", array - arguments);
}

std::string to_text(const LoopProgram& program) { return Printer(program)(); }

} // namespace swirl::loops
