#include "fuzz/mutate.hpp"
#include "fuzz/transforms.hpp"

#include <swirl/error.hpp>
#include <swirl/expression.hpp>
#include <swirl/plan.hpp>

#include <fmt/format.h>

#include <optional>

namespace swirl::fuzz {
namespace {

void require_stable(const std::string& text, const std::string& written) {
    if (text != written) throw Failure("text", fmt::format("'{}' reads as '{}'", text, written));
}

void fuzz_problem_text(Random& random, const Setting& setting, Journal& journal) {
    const std::string text = mutated(to_text(draw_transform(random, setting.limits)), random);
    journal.doing("the problem's text " + text);
    try {
        const Problem problem = parse_problem(text);
        require_stable(to_text(problem), to_text(parse_problem(to_text(problem))));
        validate(problem);
    } catch (const UserError&) {
        journal.refused();
    }
}

void fuzz_expression_text(Random& random, Journal& journal) {
    const char* const examples[] = {"x * window[i]",
                                    "x * complex h[b, i] / 1024",
                                    "conj(x) - 2 * re(x) + im(x) * i / 1024",
                                    "i < 700 and not (b == 3) ? x : 0",
                                    "x where i0 < 700 and b >= 2",
                                    "float16: max(0, x + bias[i]) - gelu(tanh(sqrt(abs2(x))))",
                                    "complex(re(x), -im(x)) * s[] * complex bfloat16 w[i1]"};
    const std::string text = mutated(examples[random.integer(0, 6)], random);
    journal.doing("the expression " + text);
    try {
        const Expression expression(text);
        if (!expression.is_identity())
            require_stable(expression.text(), Expression(expression.text()).text());
    } catch (const UserError&) {
        journal.refused();
    }
}

/// A recipe that is accepted computes the transform.
void fuzz_recipe_text(Random& random, const Setting& setting, Journal& journal) {
    Limits limits = setting.limits;
    limits.points = std::min<Integer>(limits.points, 4096);
    limits.elements = std::min<Integer>(limits.elements, 8192);
    const Problem problem = draw_transform(random, limits);
    journal.doing(to_text(problem));
    if (!is_valid(problem)) return journal.refused();
    PlanOptions options{.use_wisdom = false, .check = false, .cpu = setting.cpu};
    options.recipe = mutated(plan(problem, options).recipe(), random);
    journal.doing(fmt::format("{} by the recipe {}", to_text(problem), options.recipe));
    std::optional<Plan> made;
    try {
        made = plan(problem, options);
    } catch (const UserError&) {
        return journal.refused();
    }
    TransformData data(problem, random);
    data.set(From::input, random_input(data.transform(), data.transforms(), random));
    const Values expected = expected_output(data, random);
    data.remember();
    execute(*made, data);
    data.require_unharmed();
    // Other algorithms are somewhat less accurate than those that are chosen.
    constexpr double slack = 8;
    require_close(problem, data.elements(From::output), expected, slack * setting.tolerance);
}

} // namespace

void fuzz_text(std::uint64_t seed, const Setting& setting, Journal& journal) {
    Random random(seed);
    switch (random.integer(0, 3)) {
    case 0: return fuzz_problem_text(random, setting, journal);
    case 1: return fuzz_expression_text(random, journal);
    default: return fuzz_recipe_text(random, setting, journal);
    }
}

} // namespace swirl::fuzz
