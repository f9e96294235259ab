#include "fuzz/draw_product.hpp"
#include "fuzz/on_gpu.hpp"
#include "fuzz/product_data.hpp"
#include "fuzz/product_types.hpp"
#include "fuzz/reduced.hpp"
#include "fuzz/setting.hpp"

#include <swirl/swirl.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

namespace swirl::fuzz {
namespace {

/// Pointers to a batch's matrices of so many bytes from one to the next, in memory of the GPU.
class PointerList {
public:
    PointerList(const char* name, const std::byte* first, Integer stride_bytes, Integer batch)
        : host_(name, 0, std::max<Integer>(batch, 1) * static_cast<Integer>(sizeof first)) {
        for (Integer matrix = 0; matrix < batch; ++matrix) {
            const std::byte* const pointer = first + matrix * stride_bytes;
            std::memcpy(host_.origin() + matrix * static_cast<Integer>(sizeof pointer), &pointer,
                        sizeof pointer);
        }
        host_.save();
        there_.emplace(host_);
    }
    template <class T> T* const* as() const { return there_->as<T*>(); }
    void require_unharmed() {
        there_->fetch();
        host_.require_unharmed();
    }

private:
    GuardedMemory host_;
    std::optional<OnGpu> there_;
};

/// One product on the GPU.
class GpuProductRun {
public:
    GpuProductRun(const ProductCase& drawn, Random& random)
        : product_(drawn.product),
          epilogue_(drawn.epilogue),
          factors_(drawn.factors),
          random_(random),
          data_(product_, factors_, random, &epilogue_, true),
          reduced_(product_),
          planned_(product_) {
        planned_.listed = drawn.by_lists;
        if (drawn.by_lists && random.chance(50)) planned_.list_alignment = alignment_of_pointers();
    }

    void run() {
        Options options{.device = Device::gpu(),
                        .check = random_.chance(50),
                        .use_wisdom = false,
                        .use_kernel_cache = false};
        const Plan plan = swirl::plan(planned_, options);
        execute(plan, random_.chance(50));
        require_right();
        if (!random_.chance(25)) return;
        options.schedule = plan.schedule();
        options.check = false;
        const Plan again = swirl::plan(planned_, options);
        if (again.schedule() != plan.schedule())
            throw Failure("schedule", fmt::format("'{}' became '{}'", plan.schedule(), again.schedule()));
        data_.restore();
        execute(again, random_.chance(50));
        require_right();
    }

private:
    void require_right() {
        data_.require_right(random_);
        reduced_.require_right(data_);
    }

    static Integer stride_bytes(const MatrixLayout& layout, DataType data_type) {
        return layout.batch_stride * bytes_of(data_type);
    }

    /// The largest power of two that divides all pointers, at most 16; GPU memory keeps their lowest bits.
    int alignment_of_pointers() {
        std::uintptr_t all = 16;
        for (const GuardedMemory* matrix : {&data_.a(), &data_.b(), &data_.c()})
            all |= reinterpret_cast<std::uintptr_t>(matrix->origin());
        for (const Integer stride :
             {stride_bytes(product_.a, product_.type_of_a()), stride_bytes(product_.b, product_.type_of_b()),
              stride_bytes(product_.c, product_.type_of_c())})
            all |= static_cast<std::uintptr_t>(stride);
        return 1 << std::countr_zero(all);
    }

    void execute(Plan plan, bool bring_workspace) {
        data_.save();
        reduced_.save();
        OnGpu a(data_.a()), b(data_.b()), c(data_.c());
        std::optional<OnGpu> array, results;
        with_type(product_.data_type, Types<float, double>{}, [&](auto of) {
            using T = typename decltype(of)::type;
            if (epilogue_.array() != nullptr) {
                epilogue_.array()->save();
                plan = plan.with("v", array.emplace(*epilogue_.array()).as<const T>());
            }
            if (reduced_.array() != nullptr)
                plan = plan.with("r", results.emplace(*reduced_.array()).as<T>());
        });
        WorkspaceOnGpu workspace(plan.workspace_bytes());
        const auto given = workspace.given(bring_workspace);
        with_types(product_, [&]<class S, class A, class B, class C>(Type<S>, Type<A>, Type<B>, Type<C>) {
            const S alpha = factor<S>(factors_.alpha), beta = factor<S>(factors_.beta);
            if (!planned_.listed)
                return plan.execute(alpha, a.as<const A>(), b.as<const B>(), beta, c.as<C>(), {}, given);
            if constexpr (std::is_same_v<S, AccumulatorOf<A>>) {
                const auto list = [&](const char* name, const OnGpu& matrix, const MatrixLayout& layout,
                                      DataType data_type) {
                    return PointerList(name, matrix.as<std::byte>(), stride_bytes(layout, data_type),
                                       product_.batch);
                };
                PointerList as = list("list a", a, product_.a, product_.type_of_a());
                PointerList bs = list("list b", b, product_.b, product_.type_of_b());
                PointerList cs = list("list c", c, product_.c, product_.type_of_c());
                plan.execute_each(alpha, as.as<const A>(), bs.as<const B>(), beta, cs.as<C>(), product_.batch,
                                  {}, given);
                for (PointerList* one : {&as, &bs, &cs}) one->require_unharmed();
            }
        });
        for (OnGpu* memory : {&a, &b, &c}) memory->fetch();
        for (std::optional<OnGpu>* memory : {&array, &results})
            if (*memory) (*memory)->fetch();
        workspace.fetch();
        workspace.require_unharmed();
        data_.require_unharmed();
        if (epilogue_.array() != nullptr) epilogue_.array()->require_unharmed();
        reduced_.require_unharmed();
    }

    const MatrixProduct& product_;
    const Epilogue& epilogue_;
    Factors factors_;
    Random& random_;
    ProductData data_;
    Reduced reduced_;
    MatrixProduct planned_;
};

} // namespace

void fuzz_gpu_product(std::uint64_t seed, const Setting& setting, Journal& journal) {
    Random random(seed);
    constexpr Integer most_elements = Integer{1} << 20;
    const Integer elements = std::min(most_elements, setting.limits.elements * 4);
    const ProductCase drawn = draw_product_case(random, true, elements, journal, "gpu ");
    GpuProductRun(drawn, random).run();
}

} // namespace swirl::fuzz
