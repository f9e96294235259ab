#include "ir/builder.hpp"
#include "passes/pipeline.hpp"
#include "passes/random_program.hpp"
#include "run.hpp"

namespace swirl::jit::test {
namespace fuzz_test {

using ir::Builder;
using ir::Value;

/// StraightLineBlock-line programs whose operations draw from all values so far, so that hundreds are alive at once: vectors,
/// scalars, splats, constants, table loads, loads from and stores to a buffer that is changed in place.
class Pressure {
public:
    Pressure(unsigned seed, const target::Cpu& cpu, DataType scalar, int operations)
        : random_(seed),
          cpu_(cpu),
          scalar_(scalar),
          lanes_(target::lanes(cpu, scalar)),
          operations_(operations),
          builder_(fmt::format("pressure_{}", seed)) {}

    ir::Program make() {
        in_ = builder_.input("in", scalar_, size);
        out_ = builder_.output("out", scalar_, size);
        data_ = builder_.output("data", scalar_, size);
        std::vector<long double> contents;
        for (int i = 0; i < 64; ++i)
            contents.push_back(std::uniform_real_distribution<double>(-1, 1)(random_));
        table_ = builder_.table("table", scalar_, contents);
        builder_.for_loop("i", 3, [&](const Affine& i) {
            vectors_.clear();
            scalars_.clear();
            for (int k = 0; k < 4; ++k) {
                vectors_.push_back(builder_.load(in_, i * 16 + offset(), {.lanes = lanes_}));
                scalars_.push_back(builder_.load(in_, offset()));
            }
            for (int k = 0; k < operations_; ++k) append_operation(i);
            Value sum = vectors_.front();
            for (const Value v : vectors_) sum = builder_.add(sum, v);
            builder_.store(out_, i * lanes_, sum, {.lanes = lanes_});
        });
        return builder_.finish();
    }

private:
    static constexpr Integer size = 256;

    int random_int(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    Integer offset() { return random_int(0, 150); }
    Value any(const std::vector<Value>& values) {
        return values[static_cast<std::size_t>(random_int(0, static_cast<int>(values.size()) - 1))];
    }
    /// Keeps values near 1, so that none become infinite.
    Value shrunk(Value v) { return builder_.multiply(v, builder_.constant(builder_.type(v), 0.25L)); }

    void append_operation(const Affine& i) {
        const bool is_scalar = random_int(0, 4) == 0;
        std::vector<Value>& values = is_scalar ? scalars_ : vectors_;
        const int lanes = is_scalar ? 1 : lanes_;
        const Value a = any(values), b = any(values), c = any(values);
        switch (random_int(0, 12)) {
        case 0: values.push_back(builder_.add(a, b)); break;
        case 1: values.push_back(builder_.subtract(a, b)); break;
        case 2: values.push_back(builder_.multiply(shrunk(a), b)); break;
        case 3: values.push_back(builder_.negate(a)); break;
        case 4: values.push_back(builder_.load(in_, i * 16 + offset(), {.lanes = lanes})); break;
        case 5: values.push_back(builder_.load(data_, i + offset(), {.lanes = lanes})); break;
        case 6: values.push_back(builder_.load(table_, random_int(0, 40), {.lanes = lanes})); break;
        case 7: builder_.store(data_, i + offset(), shrunk(a), {.lanes = lanes}); break;
        case 8: builder_.store(out_, i * 2 + offset(), a, {.lanes = lanes}); break;
        case 9: vectors_.push_back(builder_.splat(any(scalars_), lanes_)); break;
        case 10: shuffle(); break;
        default:
            if (!cpu_.has_fma)
                values.push_back(builder_.add(a, c));
            else if (random_int(0, 2) == 0)
                values.push_back(builder_.fma(shrunk(a), b, c));
            else if (random_int(0, 1) == 0)
                values.push_back(builder_.fms(shrunk(a), b, c));
            else
                values.push_back(builder_.fnma(shrunk(a), b, c));
        }
    }

    void shuffle() {
        std::vector<std::int8_t> map;
        for (int lane = 0; lane < lanes_; ++lane)
            map.push_back(static_cast<std::int8_t>(random_int(0, 2 * lanes_ - 1)));
        vectors_.push_back(builder_.shuffle(any(vectors_), any(vectors_), map));
    }

    std::mt19937 random_;
    const target::Cpu& cpu_;
    DataType scalar_;
    int lanes_;
    int operations_;
    Builder builder_;
    ir::Buffer in_ = 0, out_ = 0, data_ = 0, table_ = 0;
    std::vector<Value> vectors_, scalars_;
};

TEST(Fuzz, ProgramsUnderRegisterPressureEqualTheInterpreter) {
    for (const target::Cpu* cpu : runnable_cpus())
        for (const DataType scalar : {DataType::float32, DataType::float64})
            for (unsigned seed = 0; seed < 40; ++seed) {
                SCOPED_TRACE(fmt::format("seed {}", seed));
                const int operations = seed % 4 == 0 ? 600 : 60;
                const ir::Program program = Pressure(seed, *cpu, scalar, operations).make();
                RunOptions options{.in_place = seed % 2 == 1, .seed = seed};
                options.print_on_failure = operations < 100;
                const CodeStatistics statistics = expect_same(program, *cpu, options);
                EXPECT_TRUE(operations < 100 || statistics.spills > 10) << statistics.spills;
                if (testing::Test::HasFailure()) return;
            }
}

TEST(Fuzz, ProgramsThroughAllPassesEqualTheInterpreter) {
    for (const target::Cpu* cpu : runnable_cpus())
        for (const DataType scalar : {DataType::float32, DataType::float64})
            for (unsigned seed = 0; seed < 60; ++seed) {
                SCOPED_TRACE(fmt::format("seed {}", seed));
                passes::RandomProgram::Shape shape;
                shape.scalar = scalar;
                shape.trips = seed % 5 == 0 ? std::max(1, target::lanes(*cpu, scalar) - 1)
                                            : target::lanes(*cpu, scalar);
                const ir::Program program =
                    passes::run_for_cpu(passes::RandomProgram(seed, shape).make(), *cpu);
                expect_same(program, *cpu, {.integers = true, .seed = seed});
                if (testing::Test::HasFailure()) return;
            }
}

} // namespace fuzz_test
} // namespace swirl::jit::test
