#pragma once

#include "planning.hpp"

#include <string>

namespace swirl::python {

/// What is reported on: a problem on a device, by a schedule or by the model's choice.
struct Report {
    std::string problem;
    std::string device = "cpu"; ///< "cuda:0", or a kind of GPU such as "sm_90", at hand or not
    int threads = 1;
    std::string accuracy = "ordinary";
    std::string schedule = {}; ///< empty: chosen
    std::string cpu = {};
    bool use_wisdom = true;
};
/// Of a plan.
Report report_of(const Plan& plan, const PlanOptions& options);

/// The text that `swirl explain` prints.
std::string explanation_of(const Report& report, bool full);
/// Markdown with mathematics in LaTeX.
std::string markdown_of(const Report& report);

struct Source {
    std::string language = "c++";
    std::string gpu = "generic";
    std::string function = {};
    bool header = false;
};
/// The text that `swirl emit` writes, or the header's. For a language for GPUs the schedule is chosen unless it is for a GPU.
std::string source_of(Report report, const Source& source);

/// Adds explain() and emit().
void define_reports(nb::module_& module);

} // namespace swirl::python
