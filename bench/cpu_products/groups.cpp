#include "bench/cpu_products/groups.hpp"

#include "bench/support/words.hpp"
#include "problem/matrix_product.hpp"

#include <fmt/ranges.h>

namespace swirl::bench {
namespace {

using peers::MatrixCall;
using peers::MatrixRoutine;
using Calls = std::vector<MatrixCall>;
using Names = std::vector<std::string_view>;

const Names libraries{"openblas", "openblas-avx512", "blis", "mkl", "onednn"};
const Names makers{"libxsmm", "mkl-jit"};

Calls squares(DataType number, const std::vector<Integer>& sizes,
              MatrixRoutine routine = MatrixRoutine::gemm) {
    Calls calls;
    for (const Integer n : sizes)
        calls.push_back({.routine = routine, .number = number, .rows = n, .columns = n, .depth = n});
    return calls;
}

Calls transposed(DataType number, Integer n) {
    Calls calls;
    for (const auto& [a, b] : {std::pair(false, true), std::pair(true, false), std::pair(true, true)})
        calls.push_back(
            {.number = number, .rows = n, .columns = n, .depth = n, .transposed_a = a, .transposed_b = b});
    return calls;
}

Calls skinny(DataType number) {
    Calls calls;
    for (const auto& [m, n, k] : {std::array<Integer, 3>{1000, 1000, 16},
                                  {16, 2000, 2000},
                                  {2000, 16, 2000},
                                  {64, 64, 4096},
                                  {10000, 32, 32}})
        calls.push_back({.number = number, .rows = m, .columns = n, .depth = k});
    return calls;
}

constexpr DataType reals[] = {DataType::float64, DataType::float32};

/// One part per real data type.
template <class MakeCalls> std::vector<Part> for_reals(const Part& like, MakeCalls make_calls) {
    std::vector<Part> parts;
    for (const DataType number : reals) {
        Part part = like;
        const std::string_view word = name_of(number);
        part.name = like.name.empty() ? std::string(word) : fmt::format("{}, {}", like.name, word);
        part.calls = make_calls(number);
        parts.push_back(std::move(part));
    }
    return parts;
}

std::vector<Part> operator+(std::vector<Part> a, const std::vector<Part>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

const std::vector<Integer> tiny{4, 5, 7, 8, 13, 16, 20, 23, 24, 32}, not_tiny{40, 48, 64, 96, 128};

std::vector<Integer> joined(std::vector<Integer> a, const std::vector<Integer>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

Group square_group() {
    const std::vector<Requirement> best{{"best", libraries, 1.15, 1}};
    Group group{.name = "square", .what = "square matrices, 256 … 4100", .peers = libraries, .parts = {}};
    group.parts =
        for_reals({.name = "", .calls = {}, .requirements = best, .of_peak = 0.88}, [](DataType number) {
            return squares(number, {256, 384, 512, 768, 1000, 1024, 1536, 2000, 2048, 3000, 4096, 4100});
        });
    for (const DataType number : {DataType::complex128, DataType::complex64})
        group.parts.push_back({.name = std::string(name_of(number)),
                               .calls = squares(number, {256, 1000}),
                               .requirements = best});
    return group;
}

Group small_group() {
    Group group{.name = "small", .what = "4 … 128, planned for the shape", .peers = makers, .parts = {}};
    group.parts =
        for_reals({.name = "",
                   .calls = {},
                   .requirements = {{"LIBXSMM", {"libxsmm"}, 1.1, 1}, {"MKL JIT", {"mkl-jit"}, 1, 0}}},
                  [](DataType number) { return squares(number, joined(tiny, not_tiny)); });
    return group;
}

Group blas_group() {
    Group group{.name = "blas",
                .what = "4 … 128 through the entry points of the BLAS",
                .peers = libraries,
                .through_blas = true,
                .parts = {}};
    // With the library's own kernel selection, and with AVX-512 kernels forced where it would not select them.
    const auto ahead = [](double each) {
        return std::vector<Requirement>{{"OpenBLAS", {"openblas"}, 0, each},
                                        {"OpenBLAS, AVX-512", {"openblas-avx512"}, 0, each}};
    };
    group.parts = for_reals({.name = "to 32", .calls = {}, .requirements = ahead(1.5)},
                            [](DataType number) { return squares(number, tiny); }) +
                  for_reals({.name = "to 128", .calls = {}, .requirements = ahead(1.15)},
                            [](DataType number) { return squares(number, not_tiny); });
    return group;
}

Group cold_group() {
    Group group{
        .name = "cold", .what = "8 … 128, operands in memory", .peers = makers, .cold = true, .parts = {}};
    group.parts = for_reals({.name = "", .calls = {}}, [](DataType number) {
        return squares(number, {8, 16, 32, 64, 128});
    });
    return group;
}

Group level3_group() {
    Group group{.name = "level3",
                .what = "the level 3 of the BLAS beside swirl's own product",
                .peers = {"openblas", "openblas-avx512", "blis", "mkl"},
                .through_blas = true,
                .parts = {}};
    Calls calls;
    for (const MatrixRoutine routine :
         {MatrixRoutine::syrk, MatrixRoutine::trsm, MatrixRoutine::trmm, MatrixRoutine::symm})
        for (const MatrixCall& call : squares(DataType::float64, {1000, 2000}, routine))
            calls.push_back(call);
    for (const MatrixCall& call : squares(DataType::complex128, {1000, 2000})) calls.push_back(call);
    group.parts = {{.name = "1000 and 2000",
                    .calls = calls,
                    .requirements = {{"best", libraries, 0, 0}},
                    .of_own_gemm = 0.9}};
    return group;
}

Group bfloat16_group() {
    Part part{.name = "bfloat16", .calls = squares(DataType::float32, {256, 1024, 4096})};
    for (MatrixCall& call : part.calls) call.from_bfloat16 = true;
    const Names peers{"mkl", "onednn", "onednn-matmul", "onednn-packed"};
    part.requirements = {{"best", peers, 1.1, 0}};
    return {
        .name = "bfloat16", .what = "operands of bfloat16, sums of float32", .peers = peers, .parts = {part}};
}

Group int8_group() {
    Part part{.name = "int8", .calls = squares(DataType::int32, {256, 1024, 4096})};
    const Names peers{"onednn", "onednn-matmul", "onednn-packed"};
    part.requirements = {{"best", peers, 1.0, 0}};
    return {.name = "int8", .what = "operands of int8, sums of int32", .peers = peers, .parts = {part}};
}

/// For CPUs where GEMM uses bf16 splits; elsewhere swirl's accuracy is ordinary, too.
Group reduced_group() {
    return {.name = "reduced",
            .what = "square matrices of float32, errors of swirl's about 2^-17",
            .peers = libraries,
            .accuracy = Accuracy::reduced,
            .parts = {{.name = "float32",
                       .calls = squares(DataType::float32, {256, 512, 1024, 2048, 4096}),
                       .requirements = {{"best", libraries, 2.5, 0}}}}};
}

std::vector<Group> make_groups() {
    std::vector<Group> all{square_group(), small_group(), blas_group(), cold_group()};
    all.push_back({.name = "skinny",
                   .what = "one or two short sides",
                   .peers = libraries,
                   .parts = for_reals(
                       {.name = "", .calls = {}, .requirements = {{"best", libraries, 1.25, 0}}}, skinny)});
    all.push_back(
        {.name = "transposed",
         .what = "transposed operands",
         .peers = libraries,
         .parts = for_reals({.name = "", .calls = {}, .requirements = {{"best", libraries, 1.15, 1}}},
                            [](DataType number) { return transposed(number, 1000); })});
    all.push_back(level3_group());
    all.push_back(bfloat16_group());
    all.push_back(int8_group());
    all.push_back(reduced_group());
    all.push_back(
        {.name = "avx2",
         .what = "square matrices with AVX2 only",
         .cpu = "avx2",
         .peers = libraries,
         .parts = for_reals(
             {.name = "", .calls = {}, .requirements = {{"best", libraries, 0, 0}}, .of_peak = 0.88},
             [](DataType number) {
                 return squares(number, {512, 768, 1000, 1024, 1536, 2048});
             })});
    return all;
}

} // namespace

const std::vector<Group>& groups() {
    static const std::vector<Group> all = make_groups();
    return all;
}

std::vector<const Group*> parse_groups(const std::string& option, const std::string& list) {
    return groups_of(groups(), option, list);
}

} // namespace swirl::bench
