#include "gemm/cpu/lane_sums.hpp"

#include "gemm/scalar.hpp"
#include "ir/interpreter.hpp"
#include "ir/verify.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace swirl::gemm::test {
namespace lane_sums_test {

TEST(LaneSums, AreTheSumsOrDifferencesOfEveryNumberOfVectors) {
    for (const DataType type : {DataType::float32, DataType::float64})
        for (const int lanes : {2, 4, 8, 16})
            for (int count = 1; count <= lanes; ++count)
                for (const LanePair pair :
                     {LanePair::sum, LanePair::difference, LanePair::reversed_difference}) {
                    if (lanes * bytes_of(type) < 16 || lanes * bytes_of(type) > 64) continue;
                    ir::Builder builder("sums");
                    const ir::Buffer from = builder.input("from", type, Integer{lanes} * count),
                                     to = builder.output("to", type, count);
                    std::vector<ir::Value> vectors;
                    for (int at = 0; at < count; ++at)
                        vectors.push_back(builder.load(from, at * lanes, {.lanes = lanes}));
                    builder.store(to, 0, lane_sums(builder, vectors, pair),
                                  {.lanes = lanes, .active = count});
                    const ir::Program program = builder.finish();
                    ir::verify(program, ir::VerificationLevel::vectorized);
                    ir::Arguments arguments(program);
                    for (Integer at = 0; at < Integer{lanes} * count; ++at)
                        arguments["from"].set(at, static_cast<long double>(at * at % 101));
                    ir::interpret(program, arguments);
                    for (int at = 0; at < count; ++at) {
                        long double even = 0, odd = 0;
                        for (Integer lane = 0; lane < lanes; ++lane)
                            (lane % 2 == 0 ? even : odd) += arguments["from"][at * lanes + lane];
                        EXPECT_EQ(arguments["to"][at], pair == LanePair::sum          ? even + odd
                                                       : pair == LanePair::difference ? even - odd
                                                                                      : odd - even)
                            << lanes << " lanes, " << count << " vectors, " << at;
                    }
                }
}

} // namespace lane_sums_test
} // namespace swirl::gemm::test
