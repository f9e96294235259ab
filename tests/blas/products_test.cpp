#include "calls.hpp"
#include "matrices.hpp"

#include <fmt/format.h>

/// gemm, gemmt and their batches, through all interfaces, against the definition.
namespace swirl::test {
namespace products_test {

template <class T> class Products : public testing::Test {};
using ElementTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Products, ElementTypes);

const std::vector<Index> sizes = {0, 1, 2, 3, 5, 8, 17, 31, 33, 64, 70};
const std::vector<Wide> scalars = {0, 1, -1, Wide(0.7L, -0.9L)};

template <class T> T scalar(Wide x) {
    return scalar_of<T>(static_cast<double>(x.real()), static_cast<double>(x.imag()));
}
template <class T> struct Operands {
    Stored<T> a, b, c;
    T alpha, beta;
    Operands(Random& random, const Interface& way, char ta, char tb, Index m, Index n, Index k)
        : Operands(random, way, ta, tb, m, n, k, scalar<T>(one_of(random, scalars)),
                   scalar<T>(one_of(random, scalars))) {}
    Operands(Random& random, const Interface& way, char ta, char tb, Index m, Index n, Index k, T x, T y)
        : a(random, way.by_rows, ta == 'N' ? m : k, ta == 'N' ? k : m),
          b(random, way.by_rows, tb == 'N' ? k : n, tb == 'N' ? n : k),
          c(random, way.by_rows, m, n),
          alpha(x),
          beta(y) {
        if (beta == T(0)) c.fill([](Index, Index) { return quiet_nan<T>(); });
        if (alpha == T(0)) {
            a.fill([](Index, Index) { return quiet_nan<T>(); });
            b.fill([](Index, Index) { return quiet_nan<T>(); });
        }
    }
    void check(const Stored<T>& before, char ta, char tb, Region region, const std::string& what) const {
        const Dense x = op(ta, dense(a)), y = op(tb, dense(b));
        const Wide al = wide(alpha), be = wide(beta);
        const Dense expected = combined(al, product(x, y), be, dense(before));
        const Dense bound = combined(std::abs(al), product(magnitudes(x), magnitudes(y)), std::abs(be),
                                     magnitudes(dense(before)));
        expect_near(c, before, expected, bound, 4.0L * static_cast<long double>(x.columns + 3), region, what);
    }
};

TYPED_TEST(Products, OfGeneralMatricesAreAsDefined) {
    using T = TypeParam;
    Random random(1);
    for (const Interface& way : interfaces)
        for (const char ta : {'N', 'T', 'C'})
            for (const char tb : {'N', 'T', 'C'})
                for (int round = 0; round < 3; ++round) {
                    const Index m = one_of(random, sizes), n = one_of(random, sizes),
                                k = one_of(random, sizes);
                    Operands<T> x(random, way, ta, tb, m, n, k);
                    const Stored<T> before = x.c;
                    call_gemm<T>(way, ta, tb, m, n, k, x.alpha, x.a.data.data(), x.a.leading, x.b.data.data(),
                                 x.b.leading, x.beta, x.c.data.data(), x.c.leading);
                    x.check(before, ta, tb, Region::all,
                            fmt::format("{} {}{} {}x{}x{}", way.name_of("gemm"), ta, tb, m, n, k));
                }
}

TYPED_TEST(Products, TriangularUpdatesWriteOneTriangle) {
    using T = TypeParam;
    Random random(2);
    for (const char* routine : {"gemmt", "gemmtr"})
        for (const Interface& way : interfaces)
            for (const char uplo : {'U', 'L'})
                for (const char ta : {'N', 'T', 'C'})
                    for (const char tb : {'N', 'T', 'C'}) {
                        if (std::string(routine) == "gemmtr" && (ta != 'N' || tb != 'T'))
                            continue; // the same code
                        const Index n = one_of<Index>(random, {0, 1, 5, 63, 64, 65, 130, 200, 260}),
                                    k = one_of(random, sizes);
                        Operands<T> x(random, way, ta, tb, n, n, k);
                        const Stored<T> before = x.c;
                        call_gemmt<T>(way, routine, uplo, ta, tb, n, k, x.alpha, x.a.data.data(), x.a.leading,
                                      x.b.data.data(), x.b.leading, x.beta, x.c.data.data(), x.c.leading);
                        x.check(before, ta, tb, region_of(uplo),
                                fmt::format("{} {}{}{} {}x{}", way.name_of(routine), uplo, ta, tb, n, k));
                    }
}

/// All operands of several products of one shape, in one array each.
template <class T> struct Several {
    std::vector<Operands<T>> each;
    std::vector<Stored<T>> before;
    Several(Random& random, const Interface& way, char ta, char tb, Index m, Index n, Index k, int count) {
        each.reserve(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) {
            if (i == 0) {
                each.emplace_back(random, way, ta, tb, m, n, k);
                continue;
            }
            const Operands<T>& first = each.front();
            Operands<T>& x = each.emplace_back(random, way, ta, tb, m, n, k, first.alpha, first.beta);
            for (auto [mine, its] : {std::pair(&x.a, &first.a), {&x.b, &first.b}, {&x.c, &first.c}}) {
                const Stored<T> values = *mine; // in the leading dimension of the first
                *mine = *its;
                mine->fill([&](Index r, Index c) { return values.at(r, c); });
            }
        }
        for (const Operands<T>& x : each) before.push_back(x.c);
    }
};

TYPED_TEST(Products, InStridedBatchesAreAsEachAlone) {
    using T = TypeParam;
    Random random(3);
    for (const Interface& way : interfaces)
        for (int round = 0; round < 8; ++round) {
            const char ta = one_of<char>(random, {'N', 'T', 'C'}), tb = one_of<char>(random, {'N', 'T', 'C'});
            const Index m = one_of(random, sizes), n = one_of(random, sizes), k = one_of(random, sizes);
            const int count = one_of<int>(random, {0, 1, 3, 7});
            Several<T> all(random, way, ta, tb, m, n, k, std::max(1, count));
            const auto joined = [&](auto member) {
                std::vector<T> data;
                for (const Operands<T>& x : all.each)
                    data.insert(data.end(), (x.*member).data.begin(), (x.*member).data.end());
                return data;
            };
            const auto a = joined(&Operands<T>::a), b = joined(&Operands<T>::b);
            auto c = joined(&Operands<T>::c);
            Operands<T>& x = all.each.front();
            with_integers(way, [&]<class I>(I) {
                const I im = static_cast<I>(m), in = static_cast<I>(n), ik = static_cast<I>(k), size = count,
                        ia = static_cast<I>(x.a.leading), ib = static_cast<I>(x.b.leading),
                        ic = static_cast<I>(x.c.leading), sa = static_cast<I>(x.a.data.size()),
                        sb = static_cast<I>(x.b.data.size()), sc = static_cast<I>(x.c.data.size());
                const std::string name = routine_of<T>("gemm_batch_strided");
                if (way.c)
                    call(way, name, layout_of(way), enumerator_of_transpose(ta), enumerator_of_transpose(tb),
                         im, in, ik, as_c(x.alpha), a.data(), ia, sa, b.data(), ib, sb, as_c(x.beta),
                         c.data(), ic, sc, size);
                else
                    call(way, name, &ta, &tb, &im, &in, &ik, &x.alpha, a.data(), &ia, &sa, b.data(), &ib, &sb,
                         &x.beta, c.data(), &ic, &sc, &size);
            });
            for (int i = 0; i < count; ++i) {
                Operands<T>& y = all.each[static_cast<std::size_t>(i)];
                const auto each = static_cast<std::ptrdiff_t>(y.c.data.size());
                std::copy_n(c.begin() + i * each, each, y.c.data.begin());
                y.check(all.before[static_cast<std::size_t>(i)], ta, tb, Region::all,
                        fmt::format("{} {}{} {}x{}x{} number {}", way.name_of("gemm_batch_strided"), ta, tb,
                                    m, n, k, i));
            }
        }
}

TYPED_TEST(Products, InGroupsAreAsEachAlone) {
    using T = TypeParam;
    Random random(4);
    for (const Interface& way : interfaces)
        for (int round = 0; round < 4; ++round)
            with_integers(way, [&]<class I>(I) {
                std::vector<char> ta, tb;
                std::vector<int> cta, ctb;
                std::vector<I> m, n, k, lda, ldb, ldc, counts;
                std::vector<T> alpha, beta;
                std::vector<const T*> a, b;
                std::vector<T*> c;
                std::vector<Several<T>> groups;
                const I group_count = one_of<I>(random, {0, 1, 4});
                groups.reserve(static_cast<std::size_t>(group_count));
                for (I g = 0; g < group_count; ++g) {
                    ta.push_back(one_of<char>(random, {'N', 'T', 'C'}));
                    tb.push_back(one_of<char>(random, {'N', 'T', 'C'}));
                    cta.push_back(enumerator_of_transpose(ta.back()));
                    ctb.push_back(enumerator_of_transpose(tb.back()));
                    for (auto* list : {&m, &n, &k}) list->push_back(static_cast<I>(one_of(random, sizes)));
                    const int count = one_of<int>(random, {1, 2, 9});
                    Several<T>& group = groups.emplace_back(random, way, ta.back(), tb.back(), m.back(),
                                                            n.back(), k.back(), count);
                    counts.push_back(count);
                    lda.push_back(static_cast<I>(group.each.front().a.leading));
                    ldb.push_back(static_cast<I>(group.each.front().b.leading));
                    ldc.push_back(static_cast<I>(group.each.front().c.leading));
                    alpha.push_back(group.each.front().alpha);
                    beta.push_back(group.each.front().beta);
                    for (Operands<T>& x : group.each) {
                        a.push_back(x.a.data.data());
                        b.push_back(x.b.data.data());
                        c.push_back(x.c.data.data());
                    }
                }
                const std::string name = routine_of<T>("gemm_batch");
                if (way.c)
                    call(way, name, layout_of(way), cta.data(), ctb.data(), m.data(), n.data(), k.data(),
                         alpha.data(), a.data(), lda.data(), b.data(), ldb.data(), beta.data(), c.data(),
                         ldc.data(), group_count, counts.data());
                else
                    call(way, name, ta.data(), tb.data(), m.data(), n.data(), k.data(), alpha.data(),
                         a.data(), lda.data(), b.data(), ldb.data(), beta.data(), c.data(), ldc.data(),
                         &group_count, counts.data());
                for (std::size_t g = 0; g < groups.size(); ++g)
                    for (std::size_t i = 0; i < groups[g].each.size(); ++i)
                        groups[g].each[i].check(
                            groups[g].before[i], ta[g], tb[g], Region::all,
                            fmt::format("{} group {} number {}", way.name_of("gemm_batch"), g, i));
            });
}

} // namespace products_test
} // namespace swirl::test
