#pragma once

#include "cli/accuracy.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "plan/schedule.hpp"
#include "problem/problem.hpp"
#include "runtime/timer.hpp"
#include "target/cpu.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

/// Ladders: the same transform from one generator at different settings, from the textbook algorithm to the fastest.
/// Püschel, Franchetti and Chellappa, "How To Write Fast Numerical Code", climb one by hand in section 6.
namespace swirl::cli {

/// One setting of the generator.
struct LadderRung {
    std::string name;
    std::string what; ///< what this rung adds, for display
    planning::Schedule schedule;
    int threads = 1;
};

/// A rung that was built, compared with the definition and timed.
struct MeasuredRung {
    LadderRung step;
    bool is_new = true; ///< false: the same program as the rung before
    runtime::Measurement time;
    double gain = 1;       ///< speedup over the rung before, from the fastest samples
    Integer additions = 0; ///< real additions and subtractions, as derived
    Integer multiplications = 0;
    Accuracy error;
};

struct Ladder {
    Transform problem;
    std::vector<MeasuredRung> rungs;

    double gigaflops(
        const MeasuredRung& rung) const; ///< conventional operation count over the fastest sample
};

/// Builds, verifies and times all steps; single-threaded steps are timed interleaved on one processor. `seconds` is the
/// total budget, unless `enough` ends it earlier. Throws InternalError if a step's result is not the transform.
Ladder climb(const Transform& problem, std::vector<LadderRung> steps, double seconds,
             const std::function<bool()>& enough);

/// The steps for a size. A WHT's trees are found by timing on first use.
class LadderRungs {
public:
    virtual ~LadderRungs() = default;
    virtual Transform problem(Integer n) const = 0;
    virtual Integer min_size() const = 0;
    virtual std::vector<LadderRung> steps(Integer n) = 0;
};
std::unique_ptr<LadderRungs> dft_ladder(int threads);
std::unique_ptr<LadderRungs> wht_ladder();

/// The CPU for scalar code: the simplest target of the generator.
const target::Cpu& plainest_cpu();

/// Speed of each step by size.
struct LadderPlot {
    struct Size {
        Integer n = 0;
        std::vector<double> speeds; ///< one per step
    };
    std::string unit;
    bool powers_of_two = true; ///< sizes are powers of two, and labelled as such
    std::vector<std::string> steps = {};
    std::vector<Size> sizes = {};
};

/// The run of a ladder's document: the command, and the CPU.
Json ladder_run(const CLI::App& command);

/// Draws with gnuplot as SVG. Throws UserError if gnuplot is missing.
void draw_ladders(const LadderPlot& plot, const std::filesystem::path& file);

/// Adds the GEMM ladder, whose steps are loop nests instead of schedules.
void add_gemm_ladder(CLI::App& ladder);

} // namespace swirl::cli
