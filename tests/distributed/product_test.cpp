#include "support/distributed_case.hpp"

#include <swirl/distributed/matrix_product.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

namespace {

using namespace swirl;
using namespace swirl::distributed;

template <class Element>
std::vector<Element> local(const support::GlobalArray& global, const std::vector<Box>& boxes) {
    std::vector<Element> result;
    for (const Box& box : boxes) {
        const auto part = global.local<double>(box);
        for (std::size_t i = 0; i < part.size(); i += static_cast<std::size_t>(global.components)) {
            if constexpr (std::is_floating_point_v<Element>)
                result.push_back(static_cast<Element>(part[i]));
            else
                result.emplace_back(static_cast<typename Element::value_type>(part[i]),
                                    static_cast<typename Element::value_type>(part[i + 1]));
        }
    }
    return result;
}

support::GlobalArray random_matrix(Integer rows, Integer columns, int components, std::mt19937_64& random) {
    support::GlobalArray matrix{{rows, columns}, components, {}};
    std::uniform_real_distribution<double> number(-1, 1);
    matrix.numbers.resize(static_cast<std::size_t>(matrix.size() * components));
    for (double& value : matrix.numbers) value = static_cast<float>(number(random));
    return matrix;
}

struct Counted {
    Integer bytes = 0, messages = 0, promised_bytes = 0, most_received = 0;
    ProductGrid grid;
};

/// Multiplies matrices in these boxes and compares with sums in double; β = 0.5 reads C.
template <class Element>
Counted multiply(const MatrixProduct& product, const std::vector<MatrixBoxes>& boxes, double beta,
                 double epsilon, std::uint64_t seed, const DistributedOptions& options = {}) {
    constexpr int components = std::is_floating_point_v<Element> ? 1 : 2;
    std::mt19937_64 random(seed);
    const auto a = random_matrix(product.rows, product.k, components, random);
    const auto b = random_matrix(product.k, product.columns, components, random);
    const auto c = random_matrix(product.rows, product.columns, components, random);
    const auto entry = [](const support::GlobalArray& m, Integer i, Integer j) {
        const auto at = static_cast<std::size_t>((i * m.lengths[1] + j) * m.components);
        return std::complex<double>(m.numbers[at], m.components == 2 ? m.numbers[at + 1] : 0);
    };
    std::mutex mutex;
    auto instruments = std::make_shared<support::Instruments>();
    Counted counted;
    run_ranks(static_cast<int>(boxes.size()), [&](Communicator& inner) {
        support::InstrumentedCommunicator communicator(inner, instruments);
        const MatrixBoxes& own = boxes[static_cast<std::size_t>(communicator.rank())];
        const DistributedProduct plan = distributed::plan(product, communicator, own, options);
        const auto local_a = local<Element>(a, own.a), local_b = local<Element>(b, own.b);
        auto local_c = local<Element>(c, own.c);
        if (beta == 0) std::fill(local_c.begin(), local_c.end(), Element(std::nan("")));
        plan.execute(2, local_a, local_b, beta, local_c);
        const std::lock_guard lock(mutex);
        std::size_t offset = 0;
        for (const Box& box : own.c)
            c.for_each(box, [&](Integer, Integer position) {
                const Integer i = position / product.columns, j = position % product.columns;
                std::complex<double> expected = beta * entry(c, i, j);
                for (Integer l = 0; l < product.k; ++l) {
                    std::complex<double> x = entry(a, i, l), y = entry(b, l, j);
                    if (product.a.conjugated) x = std::conj(x);
                    if (product.b.conjugated) y = std::conj(y);
                    expected += 2.0 * x * y;
                }
                const std::complex<double> value(local_c[offset++]);
                EXPECT_LE(std::abs(value - expected), epsilon * static_cast<double>(4 * product.k + 8))
                    << "C(" << i << ", " << j << "), " << plan.description();
            });
        counted.promised_bytes += plan.bytes_sent();
        counted.most_received = std::max(counted.most_received, plan.bytes_received());
        counted.grid = plan.grid();
    });
    counted.bytes = instruments->bytes;
    counted.messages = instruments->messages;
    EXPECT_EQ(counted.bytes, counted.promised_bytes);
    return counted;
}

std::vector<MatrixBoxes> random_product_boxes(const MatrixProduct& p, int ranks, std::mt19937_64& random) {
    const auto a = support::random_boxes({p.rows, p.k}, ranks, random);
    const auto b = support::random_boxes({p.k, p.columns}, ranks, random);
    const auto c = support::random_boxes({p.rows, p.columns}, ranks, random);
    std::vector<MatrixBoxes> boxes;
    for (std::size_t r = 0; r < a.size(); ++r) boxes.push_back({{a[r]}, {b[r]}, {c[r]}});
    // some boxes belong to a rank that has another
    for (std::vector<Box> MatrixBoxes::*matrix : {&MatrixBoxes::a, &MatrixBoxes::b, &MatrixBoxes::c}) {
        std::vector<Box>& from = boxes[random() % boxes.size()].*matrix;
        std::vector<Box>& to = boxes[random() % boxes.size()].*matrix;
        if (&from == &to) continue;
        to.insert(to.end(), from.begin(), from.end());
        from.clear();
    }
    return boxes;
}

TEST(DistributedProducts, AreRightForRandomBoxes) {
    for (std::uint64_t seed = 1; seed <= 120 && !HasFailure(); ++seed) {
        std::mt19937_64 random(seed);
        const auto draw = [&](Integer n) {
            return 1 + static_cast<Integer>(random() % static_cast<std::uint64_t>(n));
        };
        const int ranks = static_cast<int>(draw(9));
        const Integer rows = draw(40), columns = draw(40), k = draw(40);
        SCOPED_TRACE(fmt::format("seed {}: {}x{}x{} on {} ranks", seed, rows, columns, k, ranks));
        MatrixProduct product = MatrixProduct::row_major(DataType::float64, rows, columns, k);
        const double beta = draw(2) == 1 ? 0 : 0.5;
        switch (draw(4)) {
        case 1:
            product.data_type = DataType::float32;
            multiply<float>(product, random_product_boxes(product, ranks, random), beta, 1.2e-7, seed);
            break;
        case 2:
            product.data_type = DataType::complex128;
            product.a.conjugated = draw(2) == 1;
            multiply<std::complex<double>>(product, random_product_boxes(product, ranks, random), beta,
                                           2.3e-16, seed);
            break;
        default: multiply<double>(product, random_product_boxes(product, ranks, random), beta, 2.3e-16, seed);
        }
    }
}

TEST(DistributedProducts, TakeEveryGrid) {
    const MatrixProduct product = MatrixProduct::row_major(DataType::float64, 17, 13, 19);
    for (const char* const grid : {"1x1x1", "6x1x1", "1x6x1", "1x1x6", "3x2x1", "1x2x3", "2x1x3", "2x2x1"})
        for (const double beta : {0.0, 0.5}) {
            DistributedOptions options;
            options.schedule = grid;
            const Counted counted =
                multiply<double>(product, product_boxes(product, 6, options), beta, 2.3e-16, 3, options);
            EXPECT_EQ(fmt::format("{}x{}x{}", counted.grid.rows, counted.grid.columns, counted.grid.k), grid);
        }
}

/// Elements that a rank of p must receive, Kwasniewski et al. (2019), with enough memory: 3·(mnk/p)^(2/3).
double cosma_bound(const MatrixProduct& p, int ranks) {
    const double volume =
        static_cast<double>(p.rows) * static_cast<double>(p.columns) * static_cast<double>(p.k);
    return 3 * std::pow(volume / ranks, 2.0 / 3);
}

TEST(DistributedProducts, SendNoMoreThanCosmasBound) {
    std::mt19937_64 random(50);
    for (int shape = 0; shape < 50; ++shape) {
        const auto length = [&] {
            return static_cast<Integer>(std::exp2(3 + 5.0 * static_cast<double>(random() % 1000) / 1000));
        };
        const MatrixProduct product =
            MatrixProduct::row_major(DataType::float64, length(), length(), length());
        const int ranks = static_cast<int>(1 + random() % 64);
        SCOPED_TRACE(fmt::format("{} on {} ranks", to_text(product), ranks));
        // the time of a machine where only bytes cost; counted by plans, which the other tests execute
        DistributedOptions options;
        options.local.check = false;
        options.machine.node_latency = 0;
        options.machine.flops = options.machine.memory_bandwidth = 1e18;
        const std::vector<MatrixBoxes> boxes = product_boxes(product, ranks, options);
        Integer most = 0;
        std::mutex mutex;
        run_ranks(ranks, [&](Communicator& communicator) {
            const DistributedProduct plan = distributed::plan(
                product, communicator, boxes[static_cast<std::size_t>(communicator.rank())], options);
            const std::lock_guard lock(mutex);
            most = std::max(most, plan.bytes_received());
        });
        EXPECT_LE(static_cast<double>(most) / 8, 1.05 * cosma_bound(product, ranks));
    }
}

} // namespace
