#include "cli/explain/cpu_gemm.hpp"

#include "cli/costs.hpp"
#include "cli/explain/sections.hpp"
#include "cli/products.hpp"
#include "cli/table.hpp"
#include "gemm/cpu/amx_kernel.hpp"
#include "gemm/cpu/dot_gemm.hpp"
#include "jit/compile.hpp"
#include "passes/pipeline.hpp"
#include "plan/gemm/cpu/plan.hpp"
#include "search/cost/cpu/host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace swirl::cli {
namespace {

/// What one level of the memory hierarchy holds while the loops run.
struct Level {
    std::string where; ///< "registers", "L1"
    std::string what;  ///< "panel of B"
    Integer rows = 0, columns = 0;
    Integer bytes = 0;
    Integer capacity = 0; ///< 0: unknown, or unlimited
};

/// A loop around the micro-kernel, outermost first.
struct BlockLoop {
    std::string variable; ///< "jc"
    Integer extent = 0, step = 0;
    std::string packs = {}; ///< what its body packs first
};

struct Explanation {
    std::shared_ptr<const planning::MatrixPlan> plan;
    MatrixProduct canonical;
    std::vector<Level> levels;
    std::vector<BlockLoop> loops;
    std::vector<ir::Program> programs;
    PlanCosts costs;
};

/// Of this machine's cache, by its position from the registers; nothing for other machines.
Integer capacity_of(const target::Cpu& cpu, std::size_t level) {
    if (level == 1 && cpu.cache_bytes > 0) return cpu.cache_bytes;
    const std::vector<search::CacheLevel>& caches = search::this_host().caches;
    return target::host_can_run(cpu) && level < caches.size() ? caches[level].bytes : 0;
}

/// Builds the levels and the loops of a schedule.
class Nest {
public:
    explicit Nest(Explanation& explanation)
        : result_(explanation),
          product_(explanation.canonical),
          cpu_(explanation.plan->cpu()),
          types_(gemm::operand_types_on(product_, cpu_)) {}

    void operator()(const gemm::EmptyGemm&) const {}
    void operator()(const gemm::BuiltinGemm&) const {}

    void operator()(const gemm::UnpackedGemm& unpacked) const {
        add_registers(unpacked.tile);
        result_.levels.push_back(matrix("caches", "A, in place", product_.rows, product_.k, of_a()));
        result_.levels.push_back(matrix("caches", "B, in place", product_.k, product_.columns, of_b()));
        const BlockLoop rows{"i", product_.rows, unpacked.tile.rows()},
            columns{"j", product_.columns, unpacked.tile.columns};
        result_.loops = {{"pc", product_.k, unpacked.kc}, columns, rows};
        if (unpacked.rows_outermost) std::swap(result_.loops[1], result_.loops[2]);
    }

    void operator()(const gemm::DotGemm& dot) const {
        const Integer vectors = Integer{gemm::scalars_in(types_.c)} * dot.rows * dot.columns * dot.chains;
        result_.levels.push_back({"registers", fmt::format("tile of C, {} accumulators along k", vectors),
                                  dot.rows, dot.columns, vectors * cpu_.vector_bytes,
                                  Integer{cpu_.vector_registers} * cpu_.vector_bytes});
        const auto where = [](bool is_packed) { return is_packed ? "packed along k" : "in place"; };
        result_.levels.push_back(matrix("caches", fmt::format("A, {}", where(gemm::dot_packs_a(product_))),
                                        product_.rows, product_.k, of_a()));
        result_.levels.push_back(matrix("caches", fmt::format("B, {}", where(gemm::dot_packs_b(product_))),
                                        product_.k, product_.columns, of_b()));
        result_.loops = {
            {"pc", product_.k, dot.kc}, {"j", product_.columns, dot.columns}, {"i", product_.rows, dot.rows}};
        if (dot.rows_outermost) std::swap(result_.loops[1], result_.loops[2]);
    }

    void operator()(const gemm::BlockedGemm& blocked) const {
        add_registers(blocked.tile);
        add_blocks(blocked.mc, blocked.kc, blocked.nc, blocked.tile.columns, types_.panel_bytes(),
                   types_.k_packing.k_group());
        const BlockLoop rows{"ir", std::min(blocked.mc, product_.rows), blocked.tile.rows()},
            columns{"jr", std::min(blocked.nc, product_.columns), blocked.tile.columns};
        result_.loops.push_back(blocked.rows_innermost ? columns : rows);
        result_.loops.push_back(blocked.rows_innermost ? rows : columns);
    }

    void operator()(const gemm::AmxGemm& amx) const {
        const gemm::AmxTypes types = gemm::AmxTypes::of(product_);
        result_.levels.push_back({"tile registers", "tile of C", gemm::amx_tile, gemm::amx_tile,
                                  gemm::amx_tile * gemm::amx_tile * bytes_of(types.accumulator()), 0});
        add_blocks(amx.mc, amx.kc, amx.nc, gemm::amx_tile, bytes_of(types.in_panels()),
                   types.are_bytes() ? 4 : 1);
        result_.loops.push_back({"jr", std::min(amx.nc, product_.columns), gemm::amx_tile});
        result_.loops.push_back({"ir", std::min(amx.mc, product_.rows), gemm::amx_tile});
    }

private:
    Integer of_a() const { return bytes_of(product_.type_of_a()); }
    Integer of_b() const { return bytes_of(product_.type_of_b()); }

    static Level matrix(std::string where, std::string what, Integer rows, Integer columns, Integer bytes) {
        return {std::move(where), std::move(what), rows, columns, rows * columns * bytes, 0};
    }

    void add_registers(const gemm::Tile& tile) const {
        const Integer vectors = Integer{gemm::scalars_in(types_.c)} * tile.vectors * tile.columns;
        result_.levels.push_back({"registers", fmt::format("tile of C, {} accumulators", vectors),
                                  tile.rows(), tile.columns, vectors * cpu_.vector_bytes,
                                  Integer{cpu_.vector_registers} * cpu_.vector_bytes});
    }

    /// `bytes`: in panels, of `k_group` elements along K.
    void add_blocks(Integer mc, Integer kc, Integer nc, Integer nr, Integer bytes, Integer k_group) const {
        const Integer m = std::min(mc, product_.rows), k = std::min(kc, product_.k),
                      n = std::min(nc, product_.columns);
        const auto packed = [&](std::size_t level, std::string what, Integer rows, Integer columns) {
            result_.levels.push_back({fmt::format("L{}", level + 1), std::move(what), rows, columns,
                                      ceil_divide(rows * columns * bytes, k_group),
                                      capacity_of(cpu_, level)});
        };
        packed(0, "panel of B", k, std::min(nr, n));
        packed(1, "packed block of A", m, k);
        packed(2, "packed block of B", k, n);
        result_.loops = {{"jc", product_.columns, n},
                         {"pc", product_.k, k, "B's block"},
                         {"ic", product_.rows, m, "A's block"}};
    }

    Explanation& result_;
    const MatrixProduct& product_;
    const target::Cpu& cpu_;
    gemm::OperandTypes types_;
};

Explanation explain(const MatrixProduct& product, const PlanningOptions& options) {
    Explanation result;
    result.plan = make_matrix_plan(product, options);
    result.canonical = planning::canonical(product);
    std::visit(Nest(result), result.plan->schedule().cpu_gemm().kernel);
    result.programs = result.plan->programs();
    result.costs = costs_of(*result.plan, options);
    return result;
}

std::string text_of_levels(const std::vector<Level>& levels) {
    Table table({"level", "holds", "rows", "columns", "bytes", "of"});
    for (const Level& level : levels)
        table.add({level.where, level.what, std::to_string(level.rows), std::to_string(level.columns),
                   format_bytes(static_cast<double>(level.bytes)),
                   level.capacity > 0 ? format_bytes(static_cast<double>(level.capacity)) : "-"});
    return section("blocks", table.text());
}

std::string text_of_loops(const Explanation& explanation) {
    std::string text, indent;
    if (explanation.canonical.batch > 1) {
        text += fmt::format("for each of {} matrices:\n", explanation.canonical.batch);
        indent += "  ";
    }
    for (const BlockLoop& loop : explanation.loops) {
        text += fmt::format("{}for {} < {} step {}:\n", indent, loop.variable, loop.extent, loop.step);
        indent += "  ";
        if (!loop.packs.empty()) text += fmt::format("{}pack {}\n", indent, loop.packs);
    }
    return section("loops", text + indent + "micro-kernel: a tile of C += a panel of A · a panel of B\n");
}

std::string text_of_program(const ir::Program& program, const target::Cpu& cpu, bool full) {
    OperationTable operations(program, OperationTable::Counts::in_the_code);
    const ir::Program compiled = passes::run_codegen_passes(
        program, cpu,
        [&](const passes::Pass& pass, const ir::Program& after) { operations.add(pass.name, after); });
    const auto code = jit::compile(compiled, cpu, {.listing = full});
    const jit::CodeStatistics& statistics = code.statistics;
    std::string text = operations.text();
    if (full) text = text_of_ir("ir, as derived", program) + text + text_of_ir("ir, as compiled", compiled);
    text += section("code", fmt::format("{} instructions in {} bytes; {} values spilled, {} reloaded",
                                        statistics.instructions, statistics.bytes, statistics.spills,
                                        statistics.reloads));
    return full ? text + section("machine code", code.listing) : text;
}

} // namespace

std::string gemm_derivation_on_cpu(const MatrixProduct& product, const PlanningOptions& options, bool full) {
    const Explanation explanation = explain(product, options);
    const planning::MatrixPlan& plan = *explanation.plan;
    std::string text = fmt::format("problem    {}\nplan       {}\nschedule   {}\n", to_text(product),
                                   plan.description(), to_string(plan.schedule()));
    if (explanation.canonical != product)
        text +=
            fmt::format("canonical  {}: C's rows, not its columns, are contiguous, so A and B are swapped\n",
                        to_text(explanation.canonical));
    if (!explanation.levels.empty()) text += text_of_levels(explanation.levels);
    if (!explanation.loops.empty()) text += text_of_loops(explanation);
    for (std::size_t k = 0; k < explanation.programs.size(); ++k)
        text += fmt::format("\n# kernel {} of {}: {}\n", k + 1, explanation.programs.size(),
                            explanation.programs[k].name) +
                text_of_program(explanation.programs[k], plan.cpu(), full);
    if (explanation.programs.empty()) text += section("kernels", plan.description());
    return text + "\n" + text_of(explanation.costs);
}

Json gemm_derivation_on_cpu_as_json(const MatrixProduct& product, const PlanningOptions& options) {
    const Explanation explanation = explain(product, options);
    const planning::MatrixPlan& plan = *explanation.plan;
    Json report{{"problem", to_text(product)},
                {"plan", plan.description()},
                {"schedule", to_string(plan.schedule())},
                {"cpu", plan.cpu().name},
                {"canonical", to_text(explanation.canonical)},
                {"blocks", Json::array()},
                {"loops", Json::array()},
                {"kernels", Json::array()}};
    for (const Level& level : explanation.levels)
        report["blocks"].push_back({{"level", level.where},
                                    {"holds", level.what},
                                    {"rows", level.rows},
                                    {"columns", level.columns},
                                    {"bytes", level.bytes},
                                    {"capacity_bytes", level.capacity}});
    for (const BlockLoop& loop : explanation.loops)
        report["loops"].push_back(
            {{"variable", loop.variable}, {"extent", loop.extent}, {"step", loop.step}});
    for (const ir::Program& program : explanation.programs) {
        const target::Cpu& cpu = plan.cpu();
        const jit::CodeStatistics statistics =
            jit::compile(passes::run_codegen_passes(program, cpu), cpu).statistics;
        report["kernels"].push_back({{"name", program.name},
                                     {"instructions", statistics.instructions},
                                     {"spills", statistics.spills},
                                     {"code_bytes", statistics.bytes}});
    }
    add_costs(report, explanation.costs);
    return report;
}

} // namespace swirl::cli
