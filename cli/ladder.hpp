#pragma once

#include "cli/accuracy.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "plan/recipe.hpp"
#include "problem/problem.hpp"
#include "runtime/timer.hpp"
#include "target/cpu.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

/// Ladders: the same transform as one generator makes it with other settings, from the textbook's algorithm to the fastest. Püschel,
/// Franchetti and Chellappa, "How To Write Fast Numerical Code", climb one by hand in section 6.
namespace swirl::cli {

/// One setting of the generator.
struct LadderStep {
    std::string name;
    std::string what; ///< is new in it, for people
    planning::Recipe recipe;
    int threads = 1;
};

/// A step that was built, compared with the definition and timed.
struct Rung {
    LadderStep step;
    bool is_new = true; ///< else the step before is this very program
    runtime::Measurement time;
    double gain = 1;       ///< time of the step before over this one's, fastest samples
    Integer additions = 0; ///< of real numbers, as derived, subtractions too
    Integer multiplications = 0;
    Accuracy error;
};

struct Ladder {
    Problem problem;
    std::vector<Rung> rungs;

    double gigaflops(const Rung& rung) const; ///< conventional operations over the fastest sample
};

/// Builds, verifies and times all steps, those on one thread in turn on one processor. `seconds` for all together. Throws
/// InternalError when a step's result is not the transform.
Ladder climb(const Problem& problem, std::vector<LadderStep> steps, double seconds);

/// The steps for a size. A WHT's trees are found by timing when they are first asked for.
class LadderSteps {
public:
    virtual ~LadderSteps() = default;
    virtual Problem problem(Integer n) const = 0;
    virtual Integer least_size() const = 0;
    virtual std::vector<LadderStep> steps(Integer n) = 0;
};
std::unique_ptr<LadderSteps> dft_ladder(int threads);
std::unique_ptr<LadderSteps> wht_ladder();

/// The CPU for scalar code: the plainest that code is generated for.
const target::Cpu& plainest_cpu();

/// Speeds of each step by size.
struct LadderPlot {
    struct Size {
        Integer n = 0;
        std::vector<double> speeds; ///< of each step
    };
    std::string unit;
    bool powers_of_two = true; ///< sizes are, and are written so
    std::vector<std::string> steps = {};
    std::vector<Size> sizes = {};
};

/// Drawn by gnuplot as SVG. Throws UserError when it is not there.
void draw_ladders(const LadderPlot& plot, const std::filesystem::path& file);

/// Adds the ladder of matrix products, whose steps are loop nests in place of recipes.
void add_gemm_ladder(CLI::App& ladder);

} // namespace swirl::cli
