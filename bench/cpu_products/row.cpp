#include "bench/cpu_products/row.hpp"

#include "bench/cpu_products/operands.hpp"
#include "plan/matrix_code.hpp"
#include "plan/matrix_multiply.hpp"
#include "runtime/cpu/team.hpp"

#include <swirl/plan.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <complex>

namespace swirl::bench {
namespace {

using peers::MatrixCall;
using peers::MatrixPlan;
using peers::MatrixRoutine;

constexpr bool has_floats(DataType number) {
    return number == DataType::float32 || number == DataType::complex64;
}

/// A larger deviation from the definition is an error, not rounding.
double tolerance(DataType number) { return has_floats(number) ? 1e-5 : 1e-14; }

/// Minimum seconds of executions between two clock readings, so that the call overhead is negligible.
constexpr double shortest_run = 2e-5;
/// The same for multiple threads, which synchronise.
constexpr double shortest_team_run = 1e-3;

MatrixProduct product_of(const MatrixCall& call) {
    MatrixProduct product = MatrixProduct::column_major(call.number, call.rows, call.columns, call.depth);
    if (call.transposed_a) product.a = {.row_stride = call.depth, .column_stride = 1};
    if (call.from_bfloat16) product.a_type = product.b_type = DataType::bfloat16;
    if (call.from_int8()) product.a_type = product.b_type = DataType::int8;
    if (call.transposed_b) product.b = {.row_stride = call.columns, .column_stride = 1};
    return product;
}

std::string why_swirl_has_none(const MatrixCall& call) {
    if (call.routine != MatrixRoutine::gemm) return "only through its library of the BLAS";
    return "";
}

/// Planned once, as users do.
MatrixPlan swirl_plan(const MatrixCall& call, const swirl::Options& options) {
    if (const std::string reason = why_swirl_has_none(call); !reason.empty())
        return {.absent_because = reason};
    const Plan plan = swirl::plan(product_of(call), options);
    return {
        .run = peers::repeated([plan](const peers::MatrixOperands& o) { plan.execute(1, o.a, o.b, 0, o.c); }),
        .made_by = plan.description()};
}

/// Without a separate plan, as a BLAS entry point must.
template <class T> MatrixPlan at_once_as(const MatrixCall& call, int threads) {
    return {.run = peers::repeated([product = product_of(call), code = planning::model_code(product_of(call)),
                                    threads](const peers::MatrixOperands& o) {
                const T alpha(1), beta(0);
                planning::multiply(product, {&alpha, o.a, o.b, &beta, o.c}, code, threads);
            }),
            .made_by = "without a plan"};
}

MatrixPlan swirl_at_once(const MatrixCall& call, int threads) {
    if (const std::string reason = why_swirl_has_none(call); !reason.empty())
        return {.absent_because = reason};
    switch (call.number) {
    case DataType::float32: return at_once_as<float>(call, threads);
    case DataType::float64: return at_once_as<double>(call, threads);
    case DataType::complex64: return at_once_as<std::complex<float>>(call, threads);
    case DataType::complex128: return at_once_as<std::complex<double>>(call, threads);
    default: return {};
    }
}

class Contest {
public:
    Contest(const MatrixCall& call, const Group& group, const search::ProbeKernels& kernels,
            const Options& options)
        : call_(call),
          group_(group),
          kernels_(kernels),
          options_(options),
          operands_(call, group.cold),
          square_(square_as_large(call), false),
          row_{call} {}

    Row run() {
        add_swirl();
        for (const peers::MatrixPeer* peer : options_.peers)
            if (std::find(group_.peers.begin(), group_.peers.end(), peer->name) != group_.peers.end())
                add(peer->name, peer->plan(call_, options_.threads));
        add_own_gemm();
        add_peak(peak_name, options_.threads);
        if (options_.threads > 1) {
            if (call_.routine == MatrixRoutine::gemm) add(on_one_name, swirl_plan(call_, with(1)));
            add_peak(peak_on_one_name, 1);
        }
        const runtime::FlushDenormals flush;
        Times times = run_rounds(works_, options_.rounds);
        summarize(times);
        return std::move(row_);
    }

private:
    static MatrixCall square_as_large(const MatrixCall& call) {
        if (call.routine == MatrixRoutine::gemm && !is_complex(call.number))
            return {.rows = 1, .columns = 1, .depth = 1};
        return {.number = has_floats(call.number) ? DataType::float32 : DataType::float64,
                .rows = call.rows,
                .columns = call.columns,
                .depth = call.rows};
    }

    swirl::Options with(int threads) const { return {.threads = threads, .accuracy = group_.accuracy}; }

    void add_swirl() {
        if (!group_.through_blas) return add("swirl", swirl_plan(call_, with(options_.threads)));
        MatrixPlan plan = peers::swirl_blas.plan(call_, options_.threads);
        if (plan.run) return add("swirl", std::move(plan));
        row_.absences.push_back({"swirl-blas", plan.absent_because});
        add("swirl", swirl_at_once(call_, options_.threads));
    }

    void add(std::string_view name, MatrixPlan plan) {
        if (!plan.run) {
            row_.absences.push_back({std::string(name), plan.absent_because});
            return;
        }
        operands_.restore();
        const double start = runtime::monotonic_seconds();
        plan.run(operands_.sets().first(1), 1);
        const double seconds = runtime::monotonic_seconds() - start;
        const double error = operands_.error();
        operands_.restore();
        if (error > tolerance(call_.number)) {
            row_.absences.push_back({std::string(name), fmt::format("its result is wrong by {:.1e}", error)});
            return;
        }
        row_.entries.push_back(
            {.name = std::string(name), .made_by = plan.made_by, .flops = flops(call_), .error = error});
        // A first execution may be slow for reasons other than its size, but not this slow.
        constexpr double surely_long = 0.05;
        auto run = continued(operands_, std::move(plan.run));
        const Integer together = seconds > surely_long ? 1 : executions_lasting(shortest_run, run);
        add_work(std::move(run), together);
    }

    /// Continues with the next set of operands: with many sets none is reused soon.
    static std::function<void(Integer)> continued(const Operands& operands, peers::MatrixRun run) {
        return [sets = operands.sets(), run = std::move(run), next = std::size_t{0}](Integer count) mutable {
            while (count > 0) {
                const auto together = std::min(static_cast<std::size_t>(count), sets.size() - next);
                const Integer repetitions = sets.size() == 1 ? count : static_cast<Integer>(together);
                run(sets.subspan(next, together), repetitions);
                next = (next + together) % sets.size();
                count -= repetitions;
            }
        };
    }

    /// For calls other than GEMM: swirl's GEMM of the same size.
    void add_own_gemm() {
        if (call_.routine == MatrixRoutine::gemm && !is_complex(call_.number)) return;
        const MatrixCall square = square_as_large(call_);
        MatrixPlan plan = swirl_plan(square, with(options_.threads));
        row_.entries.push_back(
            {.name = std::string(gemm_name), .made_by = plan.made_by, .flops = flops(square)});
        auto run = continued(square_, std::move(plan.run));
        const Integer together = executions_lasting(shortest_run, run);
        add_work(std::move(run), together);
    }

    void add_peak(std::string_view name, int threads) {
        const bool floats = has_floats(call_.number) || call_.from_int8();
        const search::ProbeKernels::Arithmetic& kernel = floats ? kernels_.float32 : kernels_.float64;
        constexpr std::int64_t iterations = 20;
        row_.entries.push_back({.name = std::string(name),
                                .made_by = kernels_.made_of,
                                .flops = kernel.flops_each * static_cast<double>(iterations) * threads});
        const auto run_one = [kernel](Integer count) {
            alignas(64) double accumulators[512] = {};
            void* const buffers[] = {accumulators};
            const std::int64_t parameters[] = {iterations * count};
            kernel.run(buffers, parameters);
        };
        const Integer together = executions_lasting(threads == 1 ? shortest_run : shortest_team_run, run_one);
        if (threads == 1) return add_work(run_one, together);
        add_work(
            [=](Integer count) {
                runtime::run_team(threads, [&](const runtime::TeamMember&) { run_one(count); });
            },
            together);
    }

    /// The number of executions that lasts so long, rounded up to a power of two.
    template <class Run> static Integer executions_lasting(double shortest, Run& run) {
        Integer together = 1;
        for (;; together *= 2) {
            const double start = runtime::monotonic_seconds();
            run(together);
            if (runtime::monotonic_seconds() - start >= shortest) return together;
        }
    }

    void add_work(std::function<void(Integer)> run, Integer together) {
        together_.push_back(together);
        works_.push_back({.run = [run = std::move(run), together] { run(together); }, .restore = {}});
    }

    void summarize(Times& times) {
        for (std::size_t i = 0; i < works_.size(); ++i)
            for (double& time : times[i]) time /= static_cast<double>(together_[i]);
        for (std::size_t i = 0; i < works_.size(); ++i) {
            Entry& entry = row_.entries[i];
            entry.time = runtime::summarize(times[i]);
            entry.ratio = ratio_within_rounds(times[i], times[0]) * row_.entries[0].flops / entry.flops;
        }
    }

    const MatrixCall& call_;
    const Group& group_;
    const search::ProbeKernels& kernels_;
    const Options& options_;
    Operands operands_;
    Operands square_; ///< one element if unused
    Row row_;
    std::vector<runtime::TimedWork> works_;
    std::vector<Integer> together_; ///< executions per run of a work item
};

} // namespace

Row measure(const MatrixCall& call, const Group& group, const search::ProbeKernels& kernels,
            const Options& options) {
    return Contest(call, group, kernels, options).run();
}

const Entry* entry_of(const Row& row, std::string_view name) {
    for (const Entry& entry : row.entries)
        if (entry.name == name) return &entry;
    return nullptr;
}

Comparison against_best(const Row& row, const std::vector<std::string_view>& names) {
    Comparison best;
    if (!row.has_swirl()) return best;
    for (const std::string_view name : names)
        if (const Entry* const entry = entry_of(row, name))
            if (best.peer.empty() || entry->ratio < best.ratio) best = {entry->ratio, name};
    return best;
}

} // namespace swirl::bench
