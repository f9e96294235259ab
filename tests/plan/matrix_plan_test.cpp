#include "plan/gemm/cpu/plan.hpp"

#include "base/error.hpp"
#include "gemm/cpu/small_gemm.hpp"
#include "plan/gemm/cpu/code.hpp"
#include "support/error_of.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace swirl::planning {
namespace matrix_plan_test {

std::vector<double> elements(Integer count) {
    std::mt19937 random(static_cast<unsigned>(count));
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) value = uniform(random);
    return values;
}

class MatrixPlans : public testing::Test {
protected:
    void SetUp() override {
        if (cpu_for_products().set == target::InstructionSet::portable)
            GTEST_SKIP() << "generated code cannot run here";
    }

    MatrixPlan planned(const gemm::BlockedGemm& blocked, int threads = 1) const {
        return MatrixPlan(product, {target::host_cpu().name, gemm::CpuGemm{blocked}}, {.threads = threads});
    }
    std::vector<double> executed(const MatrixPlan& plan) const {
        std::vector<double> c(static_cast<std::size_t>(product.rows * product.columns));
        const double one = 1, zero = 0;
        plan.execute({&one, a.data(), b.data(), &zero, c.data()}, ScalarKind::one, ScalarKind::zero);
        return c;
    }

    const MatrixProduct product = MatrixProduct::column_major(DataType::float64, 450, 460, 470);
    const std::vector<double> a = elements(450 * 470), b = elements(470 * 460);
    const gemm::BlockedGemm model = gemm::model_schedule(DataType::float64, target::host_cpu());
};

TEST_F(MatrixPlans, OfOneProcessHaveSchedulesOfTheirOwn) {
    gemm::BlockedGemm other = model;
    other.tile = {model.tile.lanes, 1, 3};
    other.kc = 100;
    other.mc = 5 * other.tile.rows();
    const MatrixPlan first = planned(model), second = planned(other);
    EXPECT_EQ(*first.schedule().cpu_gemm().blocked(), model);
    EXPECT_EQ(*second.schedule().cpu_gemm().blocked(), other);
    EXPECT_NE(to_string(first.schedule()), to_string(second.schedule()));
    const std::vector<double> one = executed(first), two = executed(second);
    EXPECT_NE(one, two) << "C is updated at other k indices";
    for (std::size_t k = 0; k < one.size(); ++k) ASSERT_NEAR(one[k], two[k], 1e-10);
    EXPECT_EQ(executed(first), one);
}

TEST_F(MatrixPlans, ScheduleAsTextPlansBackToTheSameCode) {
    gemm::BlockedGemm blocked = model;
    blocked.kc = 96;
    blocked.prefetch_a = 4;
    for (const int threads : {1, 3}) {
        const MatrixPlan plan = planned(blocked, threads);
        const MatrixPlan again(product, parse_schedule(to_string(plan.schedule()), product),
                               {.threads = threads});
        EXPECT_EQ(again.schedule(), plan.schedule());
        EXPECT_EQ(again.programs().size(), plan.programs().size());
        EXPECT_EQ(executed(again), executed(plan));
    }
    const MatrixProduct small = MatrixProduct::column_major(DataType::float32, 9, 7, 5);
    const gemm::UnpackedGemm unpacked = gemm::model_unpacked(small, 5, target::host_cpu());
    const MatrixPlan plan(small, {target::host_cpu().name, gemm::CpuGemm{unpacked}}, {});
    EXPECT_EQ(parse_schedule(to_string(plan.schedule()), small), plan.schedule())
        << to_string(plan.schedule());
}

TEST_F(MatrixPlans, BitsDoNotDependOnThreads) {
    gemm::BlockedGemm blocked = model;
    blocked.kc = 72;
    blocked.mc = 3 * model.tile.rows();
    blocked.rows_innermost = false;
    const std::vector<double> alone = executed(planned(blocked));
    for (const int threads : {2, 3, 5}) EXPECT_EQ(executed(planned(blocked, threads)), alone) << threads;
}

TEST_F(MatrixPlans, ThreadsShareAKernelOfTheProductWithTheSameBits) {
    gemm::BlockedGemm blocked = model;
    blocked.kc = 72;
    const Integer kc = gemm::balanced_block(product.k, blocked.kc, blocked.unroll);
    const std::vector<double> expected = executed(planned(blocked));
    const target::Cpu& cpu = target::host_cpu();
    for (const bool along_columns : {false, true}) {
        const MatrixProduct problem = along_columns ? transposed(product) : product;
        for (const bool rows_outermost : {false, true}) {
            gemm::UnpackedGemm unpacked = gemm::unpacked_with(
                problem, kc, cpu, gemm::unpacked_tiles(problem, cpu).front(), rows_outermost);
            unpacked.along_columns = along_columns;
            for (const int threads : {1, 2, 5, 6}) {
                const MatrixPlan plan(product, {cpu.name, gemm::CpuGemm{unpacked}}, {.threads = threads});
                EXPECT_EQ(plan.threads(), threads);
                EXPECT_EQ(executed(plan), expected) << to_string(plan.schedule()) << " " << threads;
            }
        }
    }
}

TEST_F(MatrixPlans, ThreadsShareRowsAndColumnsOfAKernel) {
    const target::Cpu& cpu = target::host_cpu();
    const gemm::Tile tile = gemm::unpacked_tiles(product, cpu).front();
    const gemm::CpuGemm schedule{gemm::unpacked_with(product, product.k, cpu, tile, true)};
    for (const int threads : {1, 2, 4, 6, 7, 16}) {
        const SmallShares shares = small_shares(product, schedule, threads, 1);
        EXPECT_LE(shares.count(), threads);
        EXPECT_GE(shares.rows.count * shares.rows.extent, product.rows);
        EXPECT_LT((shares.rows.count - 1) * shares.rows.extent, product.rows);
        EXPECT_GE(shares.columns.count * shares.columns.extent, product.columns);
        EXPECT_LT((shares.columns.count - 1) * shares.columns.extent, product.columns);
        const bool is_grid = shares.rows.count > 1 && shares.columns.count > 1;
        EXPECT_TRUE(is_grid || (threads != 6 && threads != 16)) << threads;
    }
    EXPECT_EQ(small_shares(product, schedule, 4, 8).count(), 1) << "whole matrices of a batch";
}

TEST_F(MatrixPlans, RejectOperandsPackedForAnotherSchedule) {
    gemm::BlockedGemm other = model;
    other.tile = {model.tile.lanes, 1, 3};
    other.kc = 100;
    const MatrixPlan plan = planned(model), foreign = planned(other);
    const auto packed = foreign.pack(gemm::Operand::a, a.data());
    std::vector<double> c(static_cast<std::size_t>(product.rows * product.columns));
    const double one = 1, zero = 0;
    const auto execute = [&](const MatrixPlan& by) {
        by.execute_packed({&one, nullptr, b.data(), &zero, c.data()}, ScalarKind::one, ScalarKind::zero,
                          nullptr, packed.get(), nullptr);
    };
    const std::string error = error_of<UserError>([&] { execute(plan); });
    for (const std::string& said :
         {std::string("packed 'a' does not fit this plan"),
          fmt::format("in panels of {} rows with kc=", other.tile.rows()),
          fmt::format("in panels of {} rows with kc=", model.tile.rows()), to_string(plan.schedule())})
        EXPECT_NE(error.find(said), std::string::npos) << said << "\n" << error;
    execute(foreign);
    EXPECT_EQ(c, executed(foreign));
}

TEST_F(MatrixPlans, RefuseASchedulesThatDoesNotSuit) {
    const Schedule builtin("portable", gemm::CpuGemm{gemm::BuiltinGemm{}});
    const MatrixPlan portable(product, builtin, {});
    EXPECT_EQ(to_string(portable.schedule()), "portable: builtin");
    const std::vector<double> c = executed(portable), expected = executed(planned(model));
    for (std::size_t k = 0; k < c.size(); ++k) ASSERT_NEAR(c[k], expected[k], 1e-10);
    gemm::BlockedGemm large = model;
    large.tile.columns = 60;
    EXPECT_NE(error_of<UserError>([&] { planned(large); }).find("use a smaller mr or nr"), std::string::npos);
    EXPECT_NE(error_of<UserError>([&] {
                  MatrixPlan(product, {target::host_cpu().name, gemm::CpuGemm{}}, {});
              }).find("it is for problems with an extent of zero"),
              std::string::npos);
}

TEST_F(MatrixPlans, ShareKernelsOfOneScheduleAndCheck) {
    const gemm::OperandTypes types = gemm::OperandTypes::all(DataType::float64);
    const auto find = [&](KernelCheck check) {
        return MatrixKernels::shared(types, model, target::host_cpu(), {}, check);
    };
    EXPECT_EQ(find(KernelCheck::on), find(KernelCheck::on));
    EXPECT_NE(find(KernelCheck::on), find(KernelCheck::off))
        << "unchecked kernels are for plans that ask for them";
}

} // namespace matrix_plan_test
} // namespace swirl::planning
