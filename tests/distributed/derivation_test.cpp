#include "distributed/derivation.hpp"

#include "base/error.hpp"
#include "distributed/program.hpp"
#include "distributed/scheduled.hpp"
#include "formula/parse.hpp"
#include "formula/print.hpp"
#include "support/distributed_case.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

namespace {

using namespace swirl;
using namespace swirl::distributed;
using formula::Complex;
using formula::DenseMatrix;
using formula::Formula;

struct Derived {
    Scheduled scheduled;
    Derivation derivation;
};

Derived derive_for(const Transform& problem, const AllBoxes& boxes, const std::string& schedule = "") {
    AllBoxes all = boxes;
    check_boxes(problem, all);
    const Schedule chosen =
        schedule.empty() ? choose(problem, all, Model{}).schedule : parse_schedule(schedule);
    Scheduled made = scheduled(problem, all, chosen);
    Derivation derivation = derive(made.factors, made.schedule, made.stages, made.output);
    return {std::move(made), std::move(derivation)};
}

double largest_difference(const DenseMatrix& a, const DenseMatrix& b) {
    EXPECT_EQ(a.size(), b.size());
    long double most = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        most = std::max(most, std::abs(a[i] - b[i]));
    return static_cast<double>(most);
}

/// The matrix from the arrays of all ranks to the arrays of all ranks, by the definition of the transform: of a complex one.
DenseMatrix defined(const Transform& problem, const AllBoxes& boxes) {
    const std::vector<Integer> lengths = input_lengths(problem);
    const std::size_t batches = problem.batches.size();
    const support::GlobalArray array{lengths, 1, {}};
    const auto positions = [&](const std::vector<Box>& of) {
        std::vector<Integer> result;
        for (const Box& box : of)
            array.for_each(box, [&](Integer, Integer position) { result.push_back(position); });
        return result;
    };
    const std::vector<Integer> rows = positions(*boxes.output), columns = positions(boxes.input);
    DenseMatrix matrix;
    for (const Integer row : rows)
        for (const Integer column : columns) {
            Complex entry = 1;
            Integer k = row, j = column;
            for (std::size_t axis = lengths.size(); axis-- > 0; k /= lengths[axis], j /= lengths[axis]) {
                const Integer n = lengths[axis];
                if (axis >= batches)
                    entry *= formula::root_of_unity(n, (k % n) * (j % n) % n, problem.direction);
                else if (k % n != j % n)
                    entry = 0;
            }
            matrix.push_back(entry);
        }
    return matrix;
}

void expect_tags_only_of_ranks_and_exchanges(const Formula& f) {
    EXPECT_TRUE(f.is<formula::Product>() || f.is<formula::DirectSum>() || f.is<formula::Tagged>())
        << to_text(f);
    const std::vector<Formula> factors = f.is<formula::Product>() ? f.children() : std::vector{f};
    for (const Formula& factor : factors)
        for (const Formula& term :
             factor.is<formula::DirectSum>() ? factor.children() : std::vector{factor}) {
            const auto* tag = term.get_if<formula::Tagged>();
            ASSERT_NE(tag, nullptr) << to_text(term);
            EXPECT_NE(tag->tag, formula::Tag::par) << to_text(term);
        }
}

AllBoxes random_problem(const Transform& problem, std::mt19937_64& random) {
    const int ranks = static_cast<int>(1 + random() % 6);
    return {support::random_boxes(input_lengths(problem), ranks, random),
            support::random_boxes(output_lengths(problem), ranks, random)};
}

TEST(Derivations, MeanTheTransform) {
    std::mt19937_64 random(20261127);
    for (int trial = 0; trial < 60; ++trial) {
        const char* const texts[] = {"dft 4x6",         "dft 3x4x5",       "dft 24",
                                     "dft 36 backward", "dft 5x2 batch=3", "dft 13"};
        const Transform problem = swirl::problem(texts[trial % 6]);
        const AllBoxes boxes = random_problem(problem, random);
        const Derived derived = derive_for(problem, boxes);
        SCOPED_TRACE(to_text(problem) + ": " + to_text(derived.scheduled.schedule));
        const DenseMatrix expected = defined(problem, boxes);
        EXPECT_LE(largest_difference(formula::dense(derived.derivation.transform), expected), 1e-15);
        EXPECT_LE(largest_difference(formula::dense(derived.derivation.result), expected), 1e-15);
        expect_tags_only_of_ranks_and_exchanges(derived.derivation.result);
    }
}

TEST(Derivations, OfRealTransformsMeanTheSame) {
    std::mt19937_64 random(7);
    for (int trial = 0; trial < 40; ++trial) {
        const char* const texts[] = {"rdft 4x6", "rdft 3x4x5", "rdft 4x5 backward", "rdft 3x2x4 backward",
                                     "dct2 4x5"};
        const Transform problem = swirl::problem(texts[trial % 5]);
        const Derived derived = derive_for(problem, random_problem(problem, random));
        SCOPED_TRACE(to_text(problem) + ": " + to_text(derived.scheduled.schedule));
        EXPECT_LE(largest_difference(formula::dense(derived.derivation.transform),
                                     formula::dense(derived.derivation.result)),
                  1e-15);
        expect_tags_only_of_ranks_and_exchanges(derived.derivation.result);
    }
}

/// The factors of a derived formula, the first one applied first.
std::vector<Formula> factors_of_product(const Formula& f) {
    std::vector<Formula> factors = f.is<formula::Product>() ? f.children() : std::vector{f};
    std::reverse(factors.begin(), factors.end());
    return factors;
}

TEST(Derivations, AreWhatRuns) {
    std::mt19937_64 random(11);
    for (int trial = 0; trial < 60; ++trial) {
        const char* const texts[] = {"dft 4x6", "dft 3x4x5", "dft 24", "rdft 4x6", "rdft 4x6 backward"};
        const Transform problem = swirl::problem(texts[trial % 5]);
        const Derived derived = derive_for(problem, random_problem(problem, random));
        const Scheduled& s = derived.scheduled;
        std::string trace = to_text(problem) + ": " + to_text(s.schedule);
        for (std::size_t rank = 0; rank < s.input.ranks.size(); ++rank) {
            for (const Box& box : s.input.ranks[rank]) trace += " in " + to_text(box);
            trace += ";";
            for (const Box& box : s.output.ranks[rank]) trace += " out " + to_text(box);
        }
        SCOPED_TRACE(trace);
        const std::vector<Formula> factors = factors_of_product(derived.derivation.result);
        ASSERT_EQ(factors.size(), 2 * s.stages.size() - 1) << to_text(derived.derivation.result);
        for (std::size_t rank = 0; rank < s.input.ranks.size(); ++rank) {
            const RankFactors own =
                factors_of_rank(s.factors, s.schedule, s.stages, s.output, static_cast<int>(rank));
            for (std::size_t stage = 0; stage < s.stages.size(); ++stage) {
                const Formula& factor = factors[2 * stage];
                for (const Formula& term :
                     factor.is<formula::DirectSum>() ? factor.children() : std::vector{factor}) {
                    const auto* tag = term.get_if<formula::Tagged>();
                    ASSERT_TRUE(tag != nullptr && tag->tag == formula::Tag::rank) << to_text(factor);
                    const LocalFactor& local = own.local[stage];
                    if (tag->parameter != static_cast<Integer>(rank) || local.transforms.empty()) continue;
                    const Formula runs =
                        formula_of(local, s.factors, order_of(Box{local.before.lower, local.before.upper}),
                                   has_reals(s.factors));
                    EXPECT_LE(largest_difference(formula::dense(runs), formula::dense(term)), 1e-15);
                }
            }
        }
        // the permutations between are what the messages do
        for (std::size_t stage = 0; stage + 1 < s.stages.size(); ++stage) {
            const auto* tag = factors[2 * stage + 1].get_if<formula::Tagged>();
            ASSERT_TRUE(tag != nullptr && tag->tag == formula::Tag::exchange);
            const auto order = message_order(s.factors, s.schedule, s.stages, stage);
            std::vector<Messages> messages;
            std::vector<Integer> begins{0};
            for (std::size_t rank = 0; rank < s.input.ranks.size(); ++rank) {
                messages.push_back(messages_of(s.stages[stage].after, s.stages[stage + 1].before,
                                               static_cast<int>(rank), order));
                begins.push_back(begins.back() + elements(s.stages[stage].after.ranks[rank]));
            }
            std::vector<Complex> sent;
            for (Integer i = 0; i < begins.back(); ++i) sent.emplace_back(static_cast<long double>(i));
            std::vector<Complex> received(sent.size());
            Integer at = 0;
            for (std::size_t rank = 0; rank < messages.size(); ++rank) {
                Integer count = 0;
                for (std::size_t from = 0; from < messages.size(); ++from) {
                    EXPECT_EQ(messages[rank].receive_counts[from], messages[from].send_counts[rank]);
                    for (Integer i = 0; i < messages[rank].receive_counts[from]; ++i)
                        received[static_cast<std::size_t>(at + messages[rank].receive_offsets[from] + i)] =
                            sent[static_cast<std::size_t>(begins[from] + messages[from].send_offsets[rank] +
                                                          i)];
                    count += messages[rank].receive_counts[from];
                }
                at += count;
            }
            const Formula& f = factors[2 * stage + 1].children().front();
            const Formula permutation = f.is<formula::RealOf>() ? f.children().front() : f;
            EXPECT_EQ(formula::apply(permutation, sent), received);
        }
    }
}

TEST(Derivations, ArePrintedAndParsed) {
    const Transform problem = swirl::problem("dft 4x6");
    const Derived derived = derive_for(problem, {slabs({4, 6}, 2), slabs({4, 6}, 2)});
    const Formula result = derived.derivation.result;
    EXPECT_EQ(formula::parse(formula::to_text(result)), result);
    const std::string text = to_text(derived.derivation);
    EXPECT_NE(text.find("exchange["), std::string::npos) << text;
    EXPECT_NE(text.find("par(p)[A B] → par(p)[A] par(p)[B]"), std::string::npos) << text;
}

} // namespace
