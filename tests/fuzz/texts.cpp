#include "fuzz/mutate.hpp"
#include "fuzz/product_data.hpp"
#include "fuzz/product_types.hpp"
#include "fuzz/transforms.hpp"
#include "fuzz/words.hpp"

#include <swirl/error.hpp>
#include <swirl/expression.hpp>
#include <swirl/plan.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace swirl::fuzz {
namespace {

void require_stable(const std::string& text, const std::string& written) {
    if (text != written) throw Failure("text", fmt::format("'{}' reads as '{}'", text, written));
}

std::string perhaps_mutated(const std::string& text, Random& random) {
    return random.chance(30) ? text : mutated(text, random);
}

void fuzz_problem_text(Random& random, const Setting& setting, Journal& journal) {
    const std::string text = mutated(to_text(draw_transform(random, setting.limits)), random);
    journal.doing("the problem's text " + text);
    try {
        const Transform problem = parse_transform(text);
        require_stable(to_text(problem), to_text(parse_transform(to_text(problem))));
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

/// What an expression that a transform accepts says is read back; a CPU plans it, or refuses it in words.
void fuzz_load_text(Random& random, const Setting& setting, Journal& journal) {
    Transform problem = draw_transform(random, setting.limits);
    const std::string text = perhaps_mutated(
        random.one_of<std::string>({"x * w[i]", "x * complex h[b, i] / 2", "x where i < 7",
                                    "i0 < 5 ? x : w[i1, i0]", "float16: re(x) * s[]", "real: abs2(x)",
                                    "real float32: im(x) where i > 2", "x * (b0 + 1) - w[b1, i]"}),
        random);
    journal.doing(fmt::format("{} with the expression {}", to_text(problem), text));
    try {
        (random.chance(50) ? problem.load : problem.store) = Expression(text);
        validate(problem);
    } catch (const UserError&) {
        return journal.refused();
    }
    if (parse_transform(to_text(problem)) != problem)
        throw Failure("text", "the text of the problem reads as another one");
    for (const AuxiliaryArray& array : arrays_of(problem))
        if (array.elements < 1) throw Failure("text", fmt::format("array {} has no elements", array.name));
    try {
        static_cast<void>(plan(problem, {.cpu = setting.cpu, .use_wisdom = false}));
    } catch (const Unsupported&) {
        return journal.refused();
    }
}

/// An epilogue that is accepted reads within its arrays, which end at pages that cannot be read, and gives the same bits on
/// several threads.
template <class T> void run_epilogue(const MatrixProduct& product, Random& random) {
    ProductData data(product, {1, 0}, random);
    std::vector<GuardedMemory> arrays;
    for (const AuxiliaryArray& array : arrays_of(product)) {
        const Integer scalars = array.elements * (array.is_complex ? 2 : 1);
        GuardedMemory& memory =
            arrays.emplace_back(array.name, 0, scalars * static_cast<Integer>(sizeof(T)), 0,
                                random.one_of({GuardedMemory::Fence::before, GuardedMemory::Fence::behind}));
        for (Integer k = 0; k < scalars; ++k)
            reinterpret_cast<T*>(memory.origin())[k] = static_cast<T>(random.uniform());
        memory.save();
    }
    const auto bits_of = [&](int threads) {
        Plan plan = swirl::plan(product, {.threads = threads});
        std::size_t next = 0;
        for (const AuxiliaryArray& array : arrays_of(product)) {
            const auto* const values = reinterpret_cast<const T*>(arrays[next++].origin());
            plan = array.is_complex ? plan.with(array.name, reinterpret_cast<const std::complex<T>*>(values))
                                    : plan.with(array.name, values);
        }
        data.restore();
        data.save();
        with_type(product.data_type, Types<float, double, std::complex<float>, std::complex<double>>{},
                  [&](auto of) {
                      using N = typename decltype(of)::type;
                      plan.execute(N(1), reinterpret_cast<const N*>(data.a().origin()),
                                   reinterpret_cast<const N*>(data.b().origin()), N(0),
                                   reinterpret_cast<N*>(data.c().origin()));
                  });
        data.require_unharmed();
        for (const GuardedMemory& array : arrays) array.require_unharmed();
        return std::vector<std::byte>(data.c().data(), data.c().data() + data.c().bytes());
    };
    if (bits_of(1) != bits_of(3)) throw Failure("other bits", "with other threads C has other bits");
}

void fuzz_epilogue_text(Random& random, Journal& journal) {
    using enum DataType;
    MatrixProduct product = MatrixProduct::column_major(
        random.one_of({float32, float64, complex64, complex128}), random.logarithmic(1, 150),
        random.logarithmic(1, 150), random.logarithmic(1, 60));
    if (random.chance(50)) {
        product.batch = random.integer(1, 4);
        product.a.batch_stride = product.rows * product.k;
        product.c.batch_stride = product.rows * product.columns;
    }
    const std::string text = perhaps_mutated(
        random.one_of<std::string>({"max(0, x + v[i])", "x * s[j] + t[b, i]", "i < 3 ? x : w[i, j]",
                                    "gelu(x) + v[b, j, i]", "x * c[] - tanh(v[j]) * v[j]",
                                    "j == 2 and i > 1 ? abs(x) : x * u[j, i]", "conj(x) * complex h[j]"}),
        random);
    journal.doing(fmt::format("{} with the epilogue {}", in_words(product, {1, 0}), text));
    try {
        product.epilogue = Expression(text);
        validate(product);
    } catch (const UserError&) {
        return journal.refused();
    }
    if (product.data_type == float32 || product.data_type == complex64)
        run_epilogue<float>(product, random);
    else
        run_epilogue<double>(product, random);
}

/// A schedule that is accepted computes the transform.
void fuzz_schedule_text(Random& random, const Setting& setting, Journal& journal) {
    Limits limits = setting.limits;
    limits.points = std::min<Integer>(limits.points, 4096);
    limits.elements = std::min<Integer>(limits.elements, 8192);
    const Transform problem = draw_transform(random, limits);
    journal.doing(to_text(problem));
    if (!is_valid(problem)) return journal.refused();
    Options options{.cpu = setting.cpu, .check = false, .use_wisdom = false};
    options.schedule = mutated(plan(problem, options).schedule(), random);
    journal.doing(fmt::format("{} by the schedule {}", to_text(problem), options.schedule));
    std::optional<Plan> made;
    try {
        made = plan(problem, options);
    } catch (const UserError&) {
        return journal.refused();
    } catch (const Unavailable&) { // of a CPU that this machine is not
        return journal.refused();
    }
    TransformData data(problem, random);
    data.set(From::input, random_input(data.transform(), data.transforms(), random));
    const Expected expected = expected_output(data, random);
    data.save();
    execute(*made, data);
    data.require_unharmed();
    // Other algorithms are somewhat less accurate than those that are chosen.
    constexpr double slack = 8;
    require_close(problem, data.elements(From::output), expected, slack * setting.tolerance);
}

} // namespace

void fuzz_text(std::uint64_t seed, const Setting& setting, Journal& journal) {
    Random random(seed);
    switch (random.integer(0, 6)) {
    case 0: return fuzz_problem_text(random, setting, journal);
    case 1: return fuzz_expression_text(random, journal);
    case 2: return fuzz_load_text(random, setting, journal);
    case 3: return fuzz_epilogue_text(random, journal);
    default: return fuzz_schedule_text(random, setting, journal);
    }
}

} // namespace swirl::fuzz
