#include "fuzz/draw_product.hpp"
#include "fuzz/on_gpu.hpp"
#include "fuzz/product_data.hpp"
#include "fuzz/product_types.hpp"
#include "fuzz/setting.hpp"
#include "fuzz/words.hpp"

#include <swirl/gpu_matrix_product.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace swirl::fuzz {
namespace {

/// One product on the GPU.
class GpuProductRun {
public:
    GpuProductRun(const MatrixProduct& product, const Factors& factors, Random& random)
        : product_(product),
          factors_(factors),
          random_(random),
          data_(product, factors, random, nullptr, true) {}

    void run() {
        gpu::MatrixPlanOptions options{.use_wisdom = false, .check = random_.chance(50), .use_cache = false};
        const gpu::MatrixPlan plan = gpu::plan(product_, options);
        execute(plan, random_.chance(50));
        data_.require_right(random_);
        if (!random_.chance(25)) return;
        options.schedule = plan.schedule();
        options.check = false;
        const gpu::MatrixPlan again = gpu::plan(product_, options);
        if (again.schedule() != plan.schedule())
            throw Failure("recipe", fmt::format("'{}' became '{}'", plan.schedule(), again.schedule()));
        data_.restore();
        execute(again, random_.chance(50));
        data_.require_right(random_);
    }

private:
    void execute(const gpu::MatrixPlan& plan, bool bring_workspace) {
        data_.remember();
        OnGpu a(data_.a()), b(data_.b()), c(data_.c());
        WorkspaceOnGpu workspace(plan.workspace_bytes());
        with_types(product_, [&]<class S, class A, class B, class C>(Type<S>, Type<A>, Type<B>, Type<C>) {
            plan.execute_in<S>(factor<S>(factors_.alpha), a.as<const A>(), b.as<const B>(),
                               factor<S>(factors_.beta), c.as<C>(), {}, workspace.given(bring_workspace));
        });
        for (OnGpu* matrix : {&a, &b, &c}) matrix->fetch();
        workspace.fetch();
        workspace.require_unharmed();
        data_.require_unharmed();
    }

    const MatrixProduct& product_;
    Factors factors_;
    Random& random_;
    ProductData data_;
};

} // namespace

void fuzz_gpu_product(std::uint64_t seed, const Setting& setting, Journal& journal) {
    Random random(seed);
    constexpr Integer most_elements = Integer{1} << 20;
    const MatrixProduct product =
        draw_product(random, true, std::min(most_elements, setting.limits.elements * 4));
    const Factors factors = draw_factors(product, random);
    journal.doing("gpu " + in_words(product, factors));
    validate(product); // what is drawn is valid
    GpuProductRun(product, factors, random).run();
}

} // namespace swirl::fuzz
