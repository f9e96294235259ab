#include "bench/gpu_products/rows.hpp"

#include "bench/support/words.hpp"

#include <initializer_list>

namespace swirl::bench {
namespace {

using peers::GpuArithmetic;
using peers::GpuMatrixCall;

enum class Letters { nn, nt, tn };

GpuMatrixCall cube(GpuArithmetic arithmetic, Integer n, Letters letters = Letters::nn) {
    return {arithmetic, letters == Letters::tn, letters == Letters::nt, n, n, n, 1};
}

std::vector<Row> cubes(GpuArithmetic arithmetic, std::initializer_list<Integer> sizes, double goal,
                       Letters letters = Letters::nn) {
    std::vector<Row> rows;
    for (const Integer n : sizes) rows.push_back({cube(arithmetic, n, letters), goal});
    return rows;
}

std::vector<Row> operator+(std::vector<Row> a, const std::vector<Row>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

std::vector<Row> square() {
    std::vector<Row> rows;
    for (const Letters letters : {Letters::nn, Letters::nt, Letters::tn})
        rows = rows + cubes(GpuArithmetic::float32, {2048, 4096, 8192}, 1.02, letters);
    return rows;
}

/// Main loops that are reordered after the driver's compiler.
std::vector<Row> machine() {
    std::vector<Row> rows = square();
    for (Row& row : rows) {
        row.goal = 1.06;
        row.decisions = "reorder_sass=1";
    }
    return rows;
}

/// Low arithmetic intensity. A thin dimension below 64 makes moving the large operand the bottleneck; so does a large K
/// with a small result.
std::vector<Row> skinny() {
    constexpr Integer wide = 4096;
    constexpr double goal = 1.2, copy_goal = 0.85;
    const auto row = [=](Integer rows, Integer columns, Integer depth, bool is_bound_by_memory) {
        return Row{{GpuArithmetic::float32, false, false, rows, columns, depth, 1},
                   goal,
                   is_bound_by_memory ? copy_goal : 0,
                   true};
    };
    std::vector<Row> rows;
    for (const Integer thin : {1, 16, 32, 64}) rows.push_back(row(wide, thin, wide, thin < 64));
    for (const Integer thin : {1, 16, 32, 64}) rows.push_back(row(thin, wide, wide, thin < 64));
    rows.push_back(row(wide, wide, 64, false));
    rows.push_back(row(64, 64, 262144, true));
    return rows;
}

std::vector<Row> batched() {
    std::vector<Row> rows;
    const auto add = [&](Integer n, Integer batch, double goal) {
        GpuMatrixCall call = cube(GpuArithmetic::float32, n);
        call.batch = batch;
        rows.push_back({call, goal, 0, true});
    };
    for (const Integer n : {4, 8}) add(n, 40000, 2000);
    add(16, 10000, 2000);
    for (const Integer n : {32, 64}) add(n, 10000, 2400);
    return rows;
}

std::vector<Group> all_groups() {
    const auto with_nt = [](GpuArithmetic arithmetic) {
        return cubes(arithmetic, {2048, 4096, 8192}, 0.97) + cubes(arithmetic, {8192}, 0.97, Letters::nt);
    };
    const double sgemm_small = 1.25, sgemm_odd = 1.15, of_tensors = 90;
    return {
        {"square", "float32, large squares", Measure::ratio, square()},
        {"machine", "float32, large squares, main loops in machine code", Measure::ratio, machine()},
        {"small", "float32, small squares", Measure::ratio,
         cubes(GpuArithmetic::float32, {64, 128, 256, 512, 1024}, sgemm_small)},
        {"odd", "float32, squares that are no powers of two", Measure::ratio,
         cubes(GpuArithmetic::float32, {1000, 1536, 3000, 4100}, sgemm_odd)},
        {"skinny", "float32, one or two sides small", Measure::ratio, skinny()},
        {"batched", "float32, many small squares", Measure::gigabytes, batched()},
        {"tensors", "float32's accuracy from tensor cores", Measure::teraflops,
         cubes(GpuArithmetic::float32_tensors, {2048, 4096, 8192}, of_tensors)},
        {"bfloat16", "bfloat16 with sums in float32", Measure::ratio, with_nt(GpuArithmetic::bfloat16)},
        {"float16", "float16 with sums in float32", Measure::ratio, with_nt(GpuArithmetic::float16)},
        {"tf32", "float32 with 11 significant bits", Measure::ratio,
         cubes(GpuArithmetic::tf32, {2048, 4096, 8192}, 0.97) +
             cubes(GpuArithmetic::tf32, {4096, 8192}, 0.97, Letters::tn) +
             cubes(GpuArithmetic::tf32, {8192}, 0.97, Letters::nt)},
        {"float8", "E4M3 with sums in float32", Measure::ratio,
         cubes(GpuArithmetic::e4m3, {8192}, 0.9, Letters::tn)}, // cuBLAS supports only TN
        {"float64", "float64", Measure::ratio, cubes(GpuArithmetic::float64, {1024, 4096, 8192}, 0.95)},
    };
}

} // namespace

std::string_view word(Measure measure) {
    switch (measure) {
    case Measure::ratio: return "over cuBLAS";
    case Measure::teraflops: return "TFLOP/s";
    case Measure::gigabytes: return "GB/s";
    }
    return "";
}

const std::vector<Group>& groups() {
    static const std::vector<Group> all = all_groups();
    return all;
}

std::vector<Group> parse_groups(const std::string& option, const std::string& list) {
    if (list.empty()) return groups();
    const std::vector<const Group*> wanted = groups_of(groups(), option, list);
    std::vector<Group> chosen;
    for (const Group& group : groups())
        if (std::find(wanted.begin(), wanted.end(), &group) != wanted.end()) chosen.push_back(group);
    return chosen;
}

} // namespace swirl::bench
