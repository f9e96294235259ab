#include "bench/cpu_transforms/groups.hpp"

#include "base/integer.hpp"
#include "bench/support/words.hpp"

#include <fmt/ranges.h>

namespace swirl::bench {
namespace {

using Problems = std::vector<std::string>;

std::vector<Integer> powers(int from, int to) {
    std::vector<Integer> sizes;
    for (int k = from; k <= to; ++k) sizes.push_back(Integer{1} << k);
    return sizes;
}

/// `pattern` with each size in place of its {}.
Problems each(fmt::string_view pattern, const std::vector<Integer>& sizes) {
    Problems problems;
    for (const Integer size : sizes) problems.push_back(fmt::format(fmt::runtime(pattern), size));
    return problems;
}

Problems operator+(Problems a, const Problems& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

Problems columns(Integer count) {
    Problems problems;
    for (const Integer n : powers(3, 10))
        problems.push_back(fmt::format("dft {} strides={} batch={}:1", n, count, count));
    return problems;
}

} // namespace

const std::vector<Opponent>& opponents() {
    static const std::vector<Opponent> all{
        {"FFTW", {"fftw"}}, {"best of AVX-512 FFTW and KFR", {"fftw-avx512", "kfr"}}, {"MKL", {"mkl"}}};
    return all;
}

const std::vector<Group>& groups() {
    const auto both_placements = [](const Problems& problems) {
        Problems all = problems;
        for (const std::string& problem : problems) all.push_back(problem + " inplace");
        return all;
    };
    static const std::vector<Group> all{
        {"powers",
         "2^4 … 2^16 points",
         "",
         {{"powers", both_placements(each("dft {}", powers(4, 16))), {{1.6, 1.3}, {1.2, 1.0}, {1.1, 0.95}}}}},
        {"large",
         "2^17 … 2^24 points",
         "",
         {{"large", each("dft {}", powers(17, 24)), {{2.5}, {1.7}, {1.2}}}}},
        {"multidimensional",
         "two and three dimensions",
         "",
         {{"256², 1024², 64³", {"dft 256x256", "dft 1024x1024", "dft 64x64x64"}, {{2}, {1.2}, {1.1}}},
          {"4096²", {"dft 4096x4096"}, {{2}, {2}, {1.1}}},
          {"128³, 256³", {"dft 128x128x128", "dft 256x256x256"}, {{2}, {2.5}, {1.1}}}}},
        {"columns",
         "64 or 1000 interleaved transforms: stride = howmany",
         "",
         {{"columns", columns(64) + columns(1000), {{3}, {3}, {1.2}}}}},
        {"batched",
         "64 or 1000 transforms one after the other",
         "",
         {{"batched",
           each("dft {} batch=64", powers(3, 8)) + each("dft {} batch=1000", powers(3, 8)),
           {{1.6}, {1.3}, {1.1}}}}},
        {"smooth",
         "sizes of small prime factors",
         "",
         {{"smooth",
           each("dft {}", {12, 60, 100, 384, 1000, 1536, 2187, 3125, 10000, 100000, 1000000}),
           {{1.5}, {1.25}, {1.1}}}}},
        {"rough",
         "sizes of larger prime factors, and primes",
         "",
         {{"rough",
           each("dft {}", {1155, 2431, 4725, 165375, 17, 127, 1021, 10007, 65537, 1000003}),
           {{1.8}, {1.5}, {1.2}}}}},
        {"real",
         "real data, forward and backward",
         "",
         {{"real",
           each("rdft {}", {64, 256, 1024, 4096, 65536, 1048576}) +
               each("rdft {} backward", {64, 256, 1024, 4096, 65536, 1048576}),
           {{1.5}, {1.2}, {1.1}}}}},
        {"avx2",
         "2^4 … 2^16 points with AVX2 only",
         "avx2",
         {{"avx2", each("dft {}", powers(4, 16)), {{1.25}, {}, {0.95}}}}},
    };
    return all;
}

std::vector<const Group*> parse_groups(const std::string& option, const std::string& list) {
    return groups_of(groups(), option, list);
}

} // namespace swirl::bench
