#include "fuzz/draw_product.hpp"
#include "fuzz/epilogue.hpp"
#include "fuzz/product_data.hpp"
#include "fuzz/product_types.hpp"
#include "fuzz/reduced.hpp"
#include "fuzz/setting.hpp"
#include "fuzz/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swirl::fuzz {
namespace {

enum class Packed { a, b, both };

/// One product on the CPU at hand.
class ProductRun {
public:
    ProductRun(const MatrixProduct& product, const Epilogue& epilogue, const Factors& factors, Random& random)
        : product_(product),
          epilogue_(epilogue),
          factors_(factors),
          random_(random),
          data_(product, factors, random, &epilogue),
          reduced_(product) {}

    void run() {
        const int threads = static_cast<int>(random_.one_of({1, 1, 1, 2, 3}));
        const MatrixPlan plan = plan_for(threads);
        execute(plan);
        data_.require_right(random_);
        reduced_.require_right(data_);
        const std::vector<std::byte> bits = bits_now();
        if (random_.chance(40)) {
            execute(plan_for(static_cast<int>(random_.integer(1, 4))));
            require_same(bits, "with other threads");
        }
        const bool can_pack = !product_.widens() && !product_.converts() && product_.number != Number::int32;
        if (!can_pack || !random_.chance(40)) return;
        execute_packed(plan, random_.one_of({Packed::a, Packed::b, Packed::both}));
        require_same(bits, "of packed operands");
    }

private:
    MatrixPlan plan_for(int threads) const {
        MatrixPlan plan = swirl::plan(product_, {.threads = threads});
        const auto with = [&](auto of) {
            using T = typename decltype(of)::type;
            if (GuardedMemory* const array = epilogue_.array())
                plan = plan.with("v", reinterpret_cast<const T*>(array->origin()));
            if (GuardedMemory* const results = reduced_.array())
                plan = plan.with("r", reinterpret_cast<T*>(results->origin()));
        };
        with_type(product_.number, Types<float, double>{}, with);
        return plan;
    }

    void remember() {
        data_.restore();
        data_.remember();
        if (epilogue_.array() != nullptr) epilogue_.array()->remember();
        reduced_.remember();
    }
    void require_unharmed() {
        data_.require_unharmed();
        if (epilogue_.array() != nullptr) epilogue_.array()->require_unharmed();
        reduced_.require_unharmed();
    }

    void execute(const MatrixPlan& plan) {
        remember();
        with_types(product_, [&]<class S, class A, class B, class C>(Type<S>, Type<A>, Type<B>, Type<C>) {
            if constexpr (std::is_same_v<S, SumOf<A>>)
                plan.execute<A, B, C>(factor<S>(factors_.alpha),
                                      reinterpret_cast<const A*>(data_.a().origin()),
                                      reinterpret_cast<const B*>(data_.b().origin()),
                                      factor<S>(factors_.beta), reinterpret_cast<C*>(data_.c().origin()));
        });
        require_unharmed();
    }

    void execute_packed(const MatrixPlan& plan, Packed packed) {
        remember();
        with_type(product_.number, Types<float, double, std::complex<float>, std::complex<double>>{},
                  [&](auto of) {
                      using T = typename decltype(of)::type;
                      const T* const a = reinterpret_cast<const T*>(data_.a().origin());
                      const T* const b = reinterpret_cast<const T*>(data_.b().origin());
                      T* const c = reinterpret_cast<T*>(data_.c().origin());
                      const T alpha = factor<T>(factors_.alpha), beta = factor<T>(factors_.beta);
                      if (packed == Packed::a) return plan.execute<T>(alpha, plan.pack_a(a), b, beta, c);
                      if (packed == Packed::b) return plan.execute<T>(alpha, a, plan.pack_b(b), beta, c);
                      plan.execute<T>(alpha, plan.pack_a(a), plan.pack_b(b), beta, c);
                  });
        require_unharmed();
    }

    std::vector<std::byte> bits_now() {
        std::vector<std::byte> bits;
        for (GuardedMemory* array : {&data_.c(), reduced_.array()})
            if (array != nullptr) bits.insert(bits.end(), array->data(), array->data() + array->bytes());
        return bits;
    }
    void require_same(const std::vector<std::byte>& bits, const char* what) {
        if (bits_now() != bits) throw Failure("other bits", fmt::format("{} C has other bits", what));
    }

    const MatrixProduct& product_;
    const Epilogue& epilogue_;
    Factors factors_;
    Random& random_;
    ProductData data_;
    Reduced reduced_;
};

} // namespace

void fuzz_product(std::uint64_t seed, const Setting& setting, Journal& journal) {
    Random random(seed);
    constexpr Integer most_elements = Integer{1} << 15;
    MatrixProduct product = draw_product(random, false, std::min(most_elements, setting.limits.elements));
    const Factors factors = draw_factors(product, random);
    const Epilogue epilogue(product, random);
    draw_reduction(product, random);
    journal.doing(in_words(product, factors));
    validate(product); // what is drawn is valid
    ProductRun(product, epilogue, factors, random).run();
}

} // namespace swirl::fuzz
