#include <swirl/distributed.h>

#include <swirl/distributed/c.hpp>
#include <swirl/distributed/threads.hpp>
#include <swirl/error.hpp>
#include <swirl/plan.hpp>

#include "support/distributed_case.hpp"
#include "support/fake_gpus.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace swirl {
namespace c_distributed_test {

using support::GlobalArray;

/// Calls `body` as each rank, on a thread of its own.
void on_ranks(int ranks, const std::function<void(swirl_communicator*, int)>& body) {
    std::vector<swirl_communicator*> communicators(static_cast<std::size_t>(ranks));
    ASSERT_EQ(swirl_communicators_on_threads(ranks, communicators.data()), SWIRL_OK);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] { body(communicators[static_cast<std::size_t>(rank)], rank); });
    for (std::thread& thread : threads) thread.join();
    for (swirl_communicator* communicator : communicators) swirl_communicator_destroy(communicator);
}

distributed::Box box_from(const swirl_box& box) {
    distributed::Box result{{box.lower, box.lower + box.axes}, {box.upper, box.upper + box.axes}};
    if (box.order != nullptr) result.order.assign(box.order, box.order + box.axes);
    return result;
}

/// Elements of an array whose values say their positions.
GlobalArray drawn(const std::vector<Integer>& lengths, int components, unsigned seed) {
    GlobalArray array{lengths, components, {}};
    std::mt19937 draw(seed);
    std::uniform_real_distribution<double> values(-1, 1);
    for (Integer i = 0; i < array.size() * components; ++i) array.numbers.push_back(values(draw));
    return array;
}

TEST(CDistributed, TransformsAsOnePlanDoes) {
    const std::int64_t lengths[] = {12, 10, 9};
    const GlobalArray x = drawn({12, 10, 9}, 2, 7);
    std::vector<std::complex<double>> all(12 * 10 * 9), expected(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = {x.numbers[2 * i], x.numbers[2 * i + 1]};
    swirl::plan("dft 12x10x9").execute(all, expected);
    on_ranks(4, [&](swirl_communicator* ranks, int rank) {
        EXPECT_EQ(swirl_communicator_rank(ranks), rank);
        EXPECT_EQ(swirl_communicator_size(ranks), 4);
        char engine[8];
        EXPECT_EQ(swirl_communicator_engine(ranks, engine, sizeof engine, nullptr), SWIRL_OK);
        EXPECT_STREQ(engine, "threads");
        std::int64_t lower[3], upper[3];
        ASSERT_EQ(swirl_pencil_box(3, lengths, 4, rank, 2, lower, upper), SWIRL_OK);
        const int order[] = {1, 0, 2};
        const swirl_box mine = {3, lower, upper, order};
        swirl_distributed_plan* plan = nullptr;
        ASSERT_EQ(swirl_distributed_plan_from_text("dft 12x10x9", ranks, &mine, nullptr, nullptr, &plan),
                  SWIRL_OK)
            << swirl_last_error();
        swirl_box output;
        ASSERT_EQ(swirl_distributed_plan_box(plan, SWIRL_OUTPUT, &output), SWIRL_OK);
        const std::vector<double> input = x.local<double>(box_from(mine));
        std::vector<std::complex<double>> result(static_cast<std::size_t>(swirl_box_elements(&output)));
        EXPECT_EQ(swirl_distributed_execute(plan, input.data(), result.data()), SWIRL_OK)
            << swirl_last_error();
        x.for_each(box_from(output), [&](Integer at, Integer position) {
            EXPECT_LT(
                std::abs(result[static_cast<std::size_t>(at)] - expected[static_cast<std::size_t>(position)]),
                1e-12);
        });
        EXPECT_GT(swirl_distributed_plan_exchanges(plan), 0);
        EXPECT_GT(swirl_distributed_plan_bytes_sent(plan), 0);
        EXPECT_GT(swirl_distributed_plan_messages_sent(plan), 0);
        EXPECT_GT(swirl_distributed_plan_seconds(plan), 0);
        EXPECT_NE(std::string(swirl_distributed_plan_description(plan)).find("schedule"), std::string::npos);
        EXPECT_NE(std::string(swirl_distributed_plan_derivation(plan)), "");
        // the schedule is an option, and a plan may outlive its communicator's handle
        swirl_distributed_options options = SWIRL_DISTRIBUTED_OPTIONS_INIT;
        options.schedule = swirl_distributed_plan_schedule(plan);
        swirl_distributed_plan* same = nullptr;
        EXPECT_EQ(swirl_distributed_plan_from_text("dft 12x10x9", ranks, &mine, nullptr, &options, &same),
                  SWIRL_OK);
        EXPECT_STREQ(swirl_distributed_plan_schedule(same), options.schedule);
        swirl_distributed_plan_destroy(same);
        swirl_distributed_plan_destroy(plan);
    });
}

TEST(CDistributed, MultipliesAsOnePlanDoes) {
    swirl_problem* problem = nullptr;
    ASSERT_EQ(swirl_problem_create_product(SWIRL_FLOAT64, 30, 21, 17, &problem), SWIRL_OK);
    const GlobalArray a = drawn({30, 17}, 1, 1), b = drawn({17, 21}, 1, 2), c = drawn({30, 21}, 1, 3);
    std::vector<double> expected = c.numbers;
    swirl::plan(MatrixProduct::row_major(DataType::float64, 30, 21, 17))
        .execute(2.0, a.numbers, b.numbers, -0.5, expected);
    on_ranks(3, [&](swirl_communicator* ranks, int rank) {
        swirl_product_boxes* division = nullptr;
        ASSERT_EQ(swirl_product_boxes_create(problem, 3, nullptr, &division), SWIRL_OK) << swirl_last_error();
        swirl_matrix_boxes mine;
        ASSERT_EQ(swirl_product_boxes_of(division, rank, &mine), SWIRL_OK);
        swirl_distributed_product* product = nullptr;
        ASSERT_EQ(swirl_distributed_product_create(problem, ranks, &mine, nullptr, &product), SWIRL_OK)
            << swirl_last_error();
        const auto local = [](const GlobalArray& matrix, const swirl_box* boxes, std::size_t count) {
            std::vector<double> result;
            for (std::size_t i = 0; i < count; ++i)
                for (const double value : matrix.local<double>(box_from(boxes[i]))) result.push_back(value);
            return result;
        };
        const std::vector<double> own_a = local(a, mine.a, mine.a_count),
                                  own_b = local(b, mine.b, mine.b_count);
        std::vector<double> own_c = local(c, mine.c, mine.c_count);
        const double alpha = 2, beta = -0.5;
        EXPECT_EQ(swirl_distributed_product_execute(product, &alpha, own_a.data(), own_b.data(), &beta,
                                                    own_c.data()),
                  SWIRL_OK)
            << swirl_last_error();
        Integer first = 0;
        for (std::size_t i = 0; i < mine.c_count; ++i) {
            c.for_each(box_from(mine.c[i]), [&](Integer at, Integer position) {
                EXPECT_NEAR(own_c[static_cast<std::size_t>(first + at)],
                            expected[static_cast<std::size_t>(position)], 1e-12);
            });
            first += swirl_box_elements(&mine.c[i]);
        }
        EXPECT_NE(std::string(swirl_distributed_product_description(product)).find("grid"),
                  std::string::npos);
        swirl_distributed_product_destroy(product);
        swirl_product_boxes_destroy(division);
    });
    swirl_problem_destroy(problem);
}

TEST(CDistributed, PlanningFailsOnAllRanksWithOneMessage) {
    const std::int64_t lengths[] = {6, 5};
    const auto messages = [&](const std::function<void(int, swirl_box&, const char*&)>& spoil) {
        std::vector<std::string> all(3);
        on_ranks(3, [&](swirl_communicator* ranks, int rank) {
            std::int64_t lower[2], upper[2];
            EXPECT_EQ(swirl_slab_box(2, lengths, 3, rank, 0, lower, upper), SWIRL_OK);
            swirl_box mine = {2, lower, upper, nullptr};
            const char* problem = "dft 6x5";
            spoil(rank, mine, problem);
            swirl_distributed_plan* plan = nullptr;
            EXPECT_EQ(swirl_distributed_plan_from_text(problem, ranks, &mine, nullptr, nullptr, &plan),
                      SWIRL_USER_ERROR);
            EXPECT_EQ(plan, nullptr);
            all[static_cast<std::size_t>(rank)] = swirl_last_error();
            EXPECT_EQ(swirl_communicator_barrier(ranks), SWIRL_OK); // the group still works
        });
        EXPECT_EQ(all[0], all[1]);
        EXPECT_EQ(all[0], all[2]);
        return all[0];
    };
    EXPECT_NE(messages([](int rank, swirl_box& box, const char*&) {
                  if (rank == 1) box.lower = nullptr;
              }).find("rank 1: member 'lower' of argument 'input' is a null pointer"),
              std::string::npos);
    EXPECT_NE(messages([](int rank, swirl_box&, const char*& problem) {
                  if (rank == 2) problem = nullptr;
              }).find("rank 2: argument 'problem' is a null pointer"),
              std::string::npos);
    EXPECT_NE(messages([](int rank, swirl_box&, const char*& problem) {
                  if (rank == 2) problem = "dft 6x7";
              }).find("rank 2: its problem or options are not those of rank 0"),
              std::string::npos);
    EXPECT_NE(messages([](int rank, swirl_box& box, const char*&) {
                  if (rank == 0) box.axes = 0;
              }).find("hold 20 of 30 elements"),
              std::string::npos);
}

TEST(CDistributed, AnErrorOfOneExecutionEndsTheOthers) {
    const std::int64_t lengths[] = {8, 8};
    on_ranks(2, [&](swirl_communicator* ranks, int rank) {
        std::int64_t lower[2], upper[2];
        EXPECT_EQ(swirl_fftw_block_box(2, lengths, 2, rank, 0, lower, upper), SWIRL_OK);
        const swirl_box mine = {2, lower, upper, nullptr};
        swirl_distributed_plan* plan = nullptr;
        ASSERT_EQ(swirl_distributed_plan_from_text("dft 8x8", ranks, &mine, &mine, nullptr, &plan), SWIRL_OK);
        std::vector<std::complex<double>> x(32), y(32);
        const swirl_status status = swirl_distributed_execute(plan, rank == 1 ? nullptr : x.data(), y.data());
        EXPECT_EQ(status, rank == 1 ? SWIRL_USER_ERROR : SWIRL_SYSTEM_ERROR);
        if (rank == 0) {
            EXPECT_STREQ(swirl_last_error(), "rank 1 failed: argument 'input' is a null pointer");
        }
        swirl_distributed_plan_destroy(plan);
    });
}

TEST(CDistributed, SplitsAndTakesEnginesOfCxx) {
    on_ranks(4, [](swirl_communicator* ranks, int rank) {
        swirl_communicator* part = nullptr;
        ASSERT_EQ(swirl_communicator_split(ranks, rank == 3 ? -1 : rank % 2, -rank, &part), SWIRL_OK);
        EXPECT_EQ(swirl_communicator_size(part), rank == 3 ? 0 : rank == 1 ? 1 : 2);
        EXPECT_EQ(swirl_communicator_rank(part), rank == 3 ? -1 : rank == 0 ? 1 : 0);
        swirl_communicator_destroy(part);
    });
    swirl_communicator* one = nullptr;
    EXPECT_EQ(
        distributed::communicator_for_c([] { return std::move(distributed::on_threads(1).front()); }, &one),
        SWIRL_OK);
    EXPECT_EQ(swirl_communicator_size(one), 1);
    swirl_communicator_destroy(one);
    EXPECT_EQ(distributed::communicator_for_c(
                  []() -> std::unique_ptr<distributed::Communicator> { throw UserError("no engine"); }, &one),
              SWIRL_USER_ERROR);
    EXPECT_STREQ(swirl_last_error(), "no engine");
}

using CNccl = support::WithFakeGpus;

TEST_F(CNccl, GroupsAreMadeOfAnId) {
    swirl_nccl_id id;
    ASSERT_EQ(swirl_nccl_id_make(&id), SWIRL_OK) << swirl_last_error();
    std::vector<std::thread> threads;
    for (int rank = 0; rank < 3; ++rank)
        threads.emplace_back([&id, rank] {
            swirl_communicator* ranks = nullptr;
            ASSERT_EQ(swirl_communicator_on_nccl(&id, rank, 3, rank, &ranks), SWIRL_OK) << swirl_last_error();
            char engine[5];
            EXPECT_EQ(swirl_communicator_engine(ranks, engine, sizeof engine, nullptr), SWIRL_OK);
            EXPECT_STREQ(engine, "nccl");
            EXPECT_EQ(swirl_communicator_rank(ranks), rank);
            EXPECT_EQ(swirl_communicator_barrier(ranks), SWIRL_OK);
            swirl_communicator_destroy(ranks);
        });
    for (std::thread& thread : threads) thread.join();
    swirl_communicator* none = nullptr;
    EXPECT_EQ(swirl_communicator_on_nccl(nullptr, 0, 1, 0, &none), SWIRL_USER_ERROR);
}

TEST(CDistributed, BoxesAreThoseOfCxx) {
    const std::int64_t lengths[] = {7, 11, 6}, parts[] = {2, 1, 3};
    const std::vector<Integer> all(lengths, lengths + 3);
    for (int rank = 0; rank < 7; ++rank) {
        std::int64_t lower[3], upper[3];
        const auto expect = [&](swirl_status status, const std::vector<distributed::Box>& boxes) {
            EXPECT_EQ(status, SWIRL_OK) << swirl_last_error();
            const distributed::Box& box = boxes[static_cast<std::size_t>(rank)];
            const swirl_box same = {3, lower, upper, nullptr};
            EXPECT_EQ(swirl_box_elements(&same), elements(box));
            if (elements(box) > 0) {
                EXPECT_EQ(box_from(same), box);
            }
        };
        expect(swirl_slab_box(3, lengths, 7, rank, 1, lower, upper), distributed::slabs(all, 7, 1));
        expect(swirl_pencil_box(3, lengths, 7, rank, 0, lower, upper), distributed::pencils(all, 7, 0));
        expect(swirl_brick_box(3, lengths, 7, rank, lower, upper), distributed::bricks(all, 7));
        expect(swirl_grid_box(3, lengths, parts, 7, rank, lower, upper),
               distributed::divide(all, {{2, 1, 3}}, 7));
        expect(swirl_fftw_block_box(3, lengths, 7, rank, 2, lower, upper),
               distributed::fftw_blocks(all, 7, 2));
        EXPECT_EQ(swirl_slab_box(3, lengths, 7, rank, 3, lower, upper), SWIRL_USER_ERROR);
        EXPECT_EQ(swirl_slab_box(3, lengths, 7, 7, 0, lower, upper), SWIRL_USER_ERROR);
    }
}

} // namespace c_distributed_test
} // namespace swirl
