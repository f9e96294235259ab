#include "docs/document.hpp"
#include "emit/cpp/cpp.hpp"
#include "formula/print.hpp"
#include "ir/count.hpp"
#include "ir/print.hpp"
#include "jit/compile.hpp"
#include "loops/passes.hpp"
#include "passes/pipeline.hpp"
#include "plan/schedule.hpp"
#include "plan/transform/cpu/kernel.hpp"
#include "plan/transform/dimension_passes.hpp"
#include "problem/syntax.hpp"
#include "support/transform_schedule.hpp"
#include "target/cpu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace swirl::docs {
namespace architecture_test {

const std::filesystem::path architecture = source_folder / "docs" / "architecture.md";

/// The transform that the document follows. The schedule is fixed, and nothing is run, so that the text is the same on
/// every machine.
constexpr const char* example_problem = "dft 8 planar";
constexpr const char* example_schedule = "avx2: 0 cooley-tukey(2,4)";

struct Example {
    planning::Schedule schedule = transform_schedule(example_schedule);
    Transform problem = parse_transform(example_problem);
    const target::Cpu& cpu = target::cpu_named(schedule.target);
    passes::Context context{&cpu, target::lanes(cpu, DataType::float64)};
    planning::Derivation derivation = planning::derive(problem, planning::dimension_passes(problem)[0],
                                                       schedule.transform().passes[0].tree, cpu);
};

std::string fenced(const std::string& language, const std::string& text) {
    return "```" + language + "\n" + text + (text.ends_with('\n') ? "" : "\n") + "```\n";
}

/// Operations that are left after each pass, lanes of a vector counted once and loops by their iterations.
std::string table_of_passes(const Example& example) {
    std::string table =
        "| after the pass | loads and stores | arithmetic | shuffles |\n|---|---:|---:|---:|\n";
    const auto add_row = [&](std::string_view name, const ir::Program& program) {
        const ir::OperationCounts n = ir::count_operations(program);
        table += fmt::format("| {} | {} | {} | {} |\n", name, n.loads + n.stores,
                             n.additions + n.multiplications + n.fused + n.negations, n.shuffles);
    };
    add_row("(as lowered)", example.derivation.lowered);
    passes::run_for_cpu(
        example.derivation.lowered, example.cpu,
        [&](const passes::Pass& pass, const ir::Program& program) { add_row(pass.name, program); });
    return table;
}

/// The table of constants and the function, without the helpers above them.
std::string cpp_of(const Example& example) {
    ir::Program program = passes::run(example.derivation.lowered, example.context, passes::loop_passes());
    program = passes::run(std::move(program), example.context, passes::arithmetic_passes());
    const std::string file = emit::emit_cpp(program, {.typed_overload = false});
    const std::size_t begin = file.find("alignas(64) static const");
    return begin == std::string::npos ? "emitted C++ without a table" : file.substr(begin);
}

std::vector<Section> generated_sections() {
    const Example example;
    return {
        {"problem and schedule",
         fenced("text", fmt::format("problem  {}\nschedule   {}", to_text(example.problem),
                                    planning::to_string(example.schedule)))},
        {"formula", fenced("text", formula::to_text(example.derivation.formula))},
        {"loops", fenced("text", loops::to_text(example.derivation.loops))},
        {"ir", fenced("text", ir::to_string(example.derivation.lowered, ir::PrintStyle::compact))},
        {"passes", table_of_passes(example)},
        {"machine ir", fenced("text", ir::to_string(example.derivation.program, ir::PrintStyle::compact))},
        {"c++", fenced("cpp", cpp_of(example))},
        {"machine code",
         fenced("asm", jit::compile(example.derivation.program, example.cpu, {.listing = true}).listing)},
    };
}

TEST(Architecture, ShowsWhatSwirlMakesOfOneTransform) {
    const std::string document = content_of(architecture);
    std::string updated = document;
    std::vector<std::string> names;
    for (const Section& section : generated_sections()) {
        names.push_back(section.name);
        ASSERT_TRUE(section_of(document, section.name)) << architecture << " has no section " << section.name;
        if (updates_documents())
            updated = with_section(updated, section);
        else
            EXPECT_EQ(*section_of(document, section.name), section.text)
                << "'make docs' writes the generated sections anew";
    }
    EXPECT_EQ(section_names(document), names);
    if (updated != document) write(architecture, updated);
}

/// First words of the rows of a table, "| `base/` | … |", as "base".
std::vector<std::string> folders_in_table(const std::string& document) {
    std::vector<std::string> folders;
    std::istringstream lines(document);
    for (std::string line; std::getline(lines, line);)
        if (line.rfind("| `", 0) == 0 && line.find("/` |") != std::string::npos)
            folders.push_back(line.substr(3, line.find("/` |") - 3));
    return folders;
}

TEST(Architecture, ListsThePassesOverLoopsInTheirOrder) {
    const std::string document = content_of(architecture);
    std::size_t at = document.find("| pass | it |");
    ASSERT_NE(at, std::string::npos);
    for (const loops::Pass& pass : loops::cpu_passes()) {
        const std::size_t row = document.find(fmt::format("\n| {} | ", pass.name), at);
        ASSERT_NE(row, std::string::npos) << pass.name;
        at = row;
    }
}

TEST(Architecture, DescribesTheFoldersOfTheSourceInTheirOrder) {
    std::vector<std::string> folders;
    std::istringstream lines(content_of(source_folder / "src" / "LAYERS"));
    for (std::string line; std::getline(lines, line);)
        if (!line.empty() && line[0] != '#' && std::filesystem::is_directory(source_folder / "src" / line))
            folders.push_back(line);
    EXPECT_EQ(folders_in_table(content_of(architecture)), folders);
}

} // namespace architecture_test
} // namespace swirl::docs
