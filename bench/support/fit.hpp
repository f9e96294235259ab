#pragma once

#include "base/error.hpp"
#include "bench/support/program.hpp"
#include "cli/geometric_mean.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Fits the constants of a cost model to timed candidates, and judges a model by them. Its regret is the time of the
/// candidate that it rates best over the time of the fastest one.
namespace swirl::bench {

/// Lowers an error by changing positive values, one after the other, by factors: e^±step at first, then each value has a
/// step of its own, longer after a success and shorter after a failure.
template <class Error> void fit(std::span<double* const> values, double step, int sweeps, Error&& error_now) {
    std::vector<double> steps(values.size(), step);
    double error = error_now();
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (std::size_t k = 0; k < values.size(); ++k) {
            double& value = *values[k];
            const double before = value;
            bool better = false;
            for (const double factor : {std::exp(steps[k]), std::exp(-steps[k])}) {
                value = before * factor;
                const double now = error_now();
                if (now < error) {
                    error = now;
                    better = true;
                    break;
                }
                value = before;
            }
            steps[k] *= better ? 1.3 : 0.6;
        }
}

/// What the model predicts a candidate's time from, and the time.
template <class Features> struct TimedCandidate {
    Features features;
    double seconds;
    bool chosen; ///< by the planner that timed it
};

template <class Features> struct TimedProblem {
    std::string name;
    std::vector<TimedCandidate<Features>> candidates = {};
    double least() const {
        return std::min_element(candidates.begin(), candidates.end(),
                                [](const auto& a, const auto& b) { return a.seconds < b.seconds; })
            ->seconds;
    }
};

template <class Constants> struct Constant {
    const char* name;
    double Constants::*value;
};

template <class FeaturesType, class ConstantsType> struct CostModel {
    using Features = FeaturesType;
    using Constants = ConstantsType;
    double (*seconds)(const Features& features, const Constants& constants);
    std::span<const Constant<Constants>> constants; ///< that are fitted
    /// The present constants, for the machine that timed a candidate.
    Constants (*present)(const Features& features) = [](const Features&) { return Constants(); };
};

struct FitOptions {
    std::vector<std::string> files, held_out;
    int parts = 4;
    int sweeps = 100;
    double regret = 0; ///< weight of the regret in what a fit lowers
    bool only_judge = false;
    bool candidates = false;

    void add_to(CLI::App& program) {
        program.add_option("FILE", files, "Timings, as bench --json writes them")->required();
        program.add_option("--held-out", held_out,
                           "Timings that the fit must not see, such as another machine's");
        program
            .add_option("--parts", parts,
                        "Fit so many times without one part of the problems, and judge it by that part")
            ->check(CLI::Range(2, 100))
            ->capture_default_str();
        program.add_option("--sweeps", sweeps, "Over all constants, in each fit")
            ->check(CLI::PositiveNumber)
            ->capture_default_str();
        program
            .add_option("--regret", regret,
                        "Weight of the logarithm of the regret beside the error that the fits lower")
            ->check(CLI::NonNegativeNumber)
            ->capture_default_str();
        program.add_flag("--judge", only_judge, "Judge the present constants, and fit none");
        program.add_flag("--candidates", candidates, "Print each candidate with its features");
    }
};

/// A model and what it is fitted to.
template <class Model> class ModelFit {
public:
    using Features = typename Model::Features;
    using Constants = typename Model::Constants;
    using Problem = TimedProblem<Features>;

    ModelFit(const Model& model, const FitOptions& options, const Constants& present)
        : model_(model), options_(options), present_(present) {}

    /// Judges and fits; prints the judgements and the fitted constants. `print_features` prints a candidate's.
    void run(const std::vector<Problem>& problems, const std::vector<Problem>& others,
             const std::function<void(const Features&)>& print_features) const {
        fmt::print("{:<28}{:>9}{:>10}{:>10}{:>10}{:>10}\n", "regret", "problems", "mean", "95%", "largest",
                   "error");
        print("chosen when timed", of_chosen(problems));
        print("model, present constants", judged(problems, present_));
        for (const std::size_t count : {2, 4, 8})
            print(fmt::format("  fastest of its first {}", count), judged(problems, present_, count));
        if (!others.empty()) print("  on the files held out", judged(others, present_));
        if (options_.candidates)
            for (const Problem& problem : problems) print_candidates(problem, print_features);
        if (options_.only_judge) return;
        Judgement unseen_by_fits;
        for (int part = 0; part < options_.parts; ++part) {
            std::vector<Problem> seen, unseen;
            for (std::size_t k = 0; k < problems.size(); ++k)
                (static_cast<int>(k) % options_.parts == part ? unseen : seen).push_back(problems[k]);
            if (!seen.empty() && !unseen.empty()) unseen_by_fits += judged(unseen, fitted(seen));
        }
        print(fmt::format("fitted, {} parts held out", options_.parts), unseen_by_fits);
        const Constants constants = fitted(problems);
        print("fitted", judged(problems, constants));
        if (!others.empty()) print("  on the files held out", judged(others, constants));
        for (const Constant<Constants>& constant : model_.constants)
            fmt::print("    double {} = {:.4g};\n", constant.name, constants.*constant.value);
    }

private:
    struct Judgement {
        std::vector<double> regrets, errors;
        Judgement& operator+=(const Judgement& other) {
            regrets.insert(regrets.end(), other.regrets.begin(), other.regrets.end());
            errors.insert(errors.end(), other.errors.begin(), other.errors.end());
            return *this;
        }
    };

    /// Robust squared error of the logarithm, per problem: mostly of candidates relative to each other, and mostly of
    /// those near the fastest.
    double error_of(std::span<const Problem> problems, const Constants& constants) const {
        constexpr double nearness = 3, of_ratio = 4, of_value = 0.25, scale = 0.2;
        const auto robust = [](double error) {
            return scale * scale * (std::sqrt(1 + error * error / (scale * scale)) - 1);
        };
        double sum = 0;
        std::vector<std::pair<double, double>> errors; // with weights
        for (const Problem& problem : problems) {
            errors.clear();
            const double least = problem.least();
            double mean = 0, weights = 0;
            for (const auto& candidate : problem.candidates) {
                const double weight = std::pow(least / candidate.seconds, nearness);
                errors.emplace_back(
                    std::log(model_.seconds(candidate.features, constants) / candidate.seconds), weight);
                mean += weight * errors.back().first;
                weights += weight;
            }
            mean /= weights;
            if (options_.regret > 0) sum += options_.regret * regret_of(problem, errors);
            for (const auto& [error, weight] : errors)
                sum += weight / weights * (of_ratio * robust(error - mean) + of_value * robust(error));
        }
        return sum / static_cast<double>(problems.size());
    }

    /// Logarithm of the regret, softened: candidates predicted nearly as fast as the best count, too. `errors` are the logarithms
    /// of predicted over measured times.
    static double regret_of(const Problem& problem, const std::vector<std::pair<double, double>>& errors) {
        constexpr double sharpness = 30;
        const double least = problem.least();
        double lowest = std::numeric_limits<double>::infinity(), sum = 0, weights = 0;
        const auto predicted = [&](std::size_t k) {
            return errors[k].first + std::log(problem.candidates[k].seconds);
        };
        for (std::size_t k = 0; k < errors.size(); ++k) lowest = std::min(lowest, predicted(k));
        for (std::size_t k = 0; k < errors.size(); ++k) {
            const double weight = std::exp(sharpness * (lowest - predicted(k)));
            sum += weight * std::log(problem.candidates[k].seconds / least);
            weights += weight;
        }
        return sum / weights;
    }

    /// The error, and a little for each constant that is far from where the fit starts: timings that say nothing about a
    /// constant leave it there.
    double objective(std::span<const Problem> problems, const Constants& constants) const {
        constexpr double of_distance = 2e-4;
        double distance = 0;
        for (const Constant<Constants>& constant : model_.constants)
            distance += std::pow(std::log(constants.*constant.value / (present_.*constant.value)), 2);
        return error_of(problems, constants) + of_distance * distance;
    }

    Constants fitted(std::span<const Problem> problems) const {
        Constants constants = present_;
        std::vector<double*> values;
        for (const Constant<Constants>& constant : model_.constants)
            values.push_back(&(constants.*constant.value));
        fit(values, 0.3, options_.sweeps, [&] { return objective(problems, constants); });
        return constants;
    }

    /// The fastest of the `count` candidates that the model predicts fastest: for several, what timing them when planning
    /// would choose. Candidates with equal predictions keep their order, as when planning.
    Judgement judged(std::span<const Problem> problems, const Constants& constants,
                     std::size_t count = 1) const {
        Judgement judgement;
        for (const Problem& problem : problems) {
            std::vector<std::pair<double, double>> all; // predicted, measured
            for (const auto& candidate : problem.candidates)
                all.emplace_back(model_.seconds(candidate.features, constants), candidate.seconds);
            std::stable_sort(all.begin(), all.end(),
                             [](const auto& a, const auto& b) { return a.first < b.first; });
            double least = all.front().second;
            for (std::size_t k = 0; k < std::min(count, all.size()); ++k)
                least = std::min(least, all[k].second);
            judgement.regrets.push_back(least / problem.least());
            for (const auto& [predicted, measured] : all)
                judgement.errors.push_back(std::log(predicted / measured));
        }
        return judgement;
    }

    /// Of the candidates that were chosen when the timings were made.
    static Judgement of_chosen(std::span<const Problem> problems) {
        Judgement judgement;
        for (const Problem& problem : problems)
            for (const auto& candidate : problem.candidates)
                if (candidate.chosen) judgement.regrets.push_back(candidate.seconds / problem.least());
        return judgement;
    }

    void print_candidates(const Problem& problem,
                          const std::function<void(const Features&)>& print_features) const {
        fmt::print("{}\n", problem.name);
        for (const auto& candidate : problem.candidates) {
            fmt::print("  {:.3e} s, model {:.3f}\n", candidate.seconds,
                       model_.seconds(candidate.features, present_) / candidate.seconds);
            print_features(candidate.features);
        }
    }

    static void print(const std::string& name, Judgement judgement) {
        std::vector<double>& regrets = judgement.regrets;
        if (regrets.empty()) return;
        std::sort(regrets.begin(), regrets.end());
        double squares = 0;
        for (const double error : judgement.errors) squares += error * error;
        fmt::print("{:<28}{:>9}{:>10.3f}{:>10.3f}{:>10.3f}", name, regrets.size(),
                   cli::geometric_mean(regrets),
                   regrets[std::min(regrets.size() - 1, regrets.size() * 19 / 20)], regrets.back());
        if (!judgement.errors.empty())
            fmt::print("{:>10.3f}", std::sqrt(squares / static_cast<double>(judgement.errors.size())));
        fmt::print("\n");
    }

    const Model& model_;
    const FitOptions& options_;
    Constants present_;
};

/// The problems of all files, by `read`.
template <class Read> auto read_all(const std::vector<std::string>& files, Read&& read) {
    decltype(read(std::string())) all;
    for (const std::string& file : files)
        for (auto& problem : read(file)) all.push_back(std::move(problem));
    return all;
}

/// Fits a model to the timings of the options' files, which `read` reads.
template <class Model, class Read>
void fit_to_files(const Model& model, const FitOptions& options, Read&& read,
                  const std::function<void(const typename Model::Features&)>& print_features) {
    const auto problems = read_all(options.files, read), others = read_all(options.held_out, read);
    if (problems.empty()) throw UserError("no timed candidates in these files");
    const auto present = model.present(problems.front().candidates.front().features);
    ModelFit(model, options, present).run(problems, others, print_features);
}

/// `main` of a program that does.
template <class Model, class Read>
int fit_program(const char* description, const Model& model, Read&& read,
                const std::function<void(const typename Model::Features&)>& print_features, int count,
                char** values) {
    FitOptions options;
    return main_of({.description = description,
                    .add_options = [&](CLI::App& program) { options.add_to(program); },
                    .run =
                        [&](const std::string&) {
                            fit_to_files(model, options, read, print_features);
                            return 0;
                        }},
                   count, values);
}

} // namespace swirl::bench
