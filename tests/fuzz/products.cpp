#include "base/error.hpp"
#include "fuzz/draw_product.hpp"
#include "fuzz/product_data.hpp"
#include "fuzz/product_types.hpp"
#include "fuzz/reduced.hpp"
#include "fuzz/setting.hpp"
#include "problem/data_type.hpp"

#include <swirl/swirl.h>
#include <swirl/plan.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace swirl::fuzz {
namespace {

/// The C interface's enumerator of a data type.
int c_type(DataType type) {
    switch (type) {
    case DataType::float32: return SWIRL_FLOAT32;
    case DataType::float64: return SWIRL_FLOAT64;
    case DataType::complex64: return SWIRL_COMPLEX64;
    case DataType::complex128: return SWIRL_COMPLEX128;
    case DataType::float16: return SWIRL_FLOAT16;
    case DataType::bfloat16: return SWIRL_BFLOAT16;
    case DataType::int8: return SWIRL_INT8;
    case DataType::uint8: return SWIRL_UINT8;
    case DataType::int32: return SWIRL_INT32;
    case DataType::float8_e4m3: return SWIRL_FLOAT8_E4M3;
    case DataType::unorm8: return SWIRL_UNORM8;
    case DataType::snorm8: return SWIRL_SNORM8;
    case DataType::unorm16: return SWIRL_UNORM16;
    case DataType::snorm16: return SWIRL_SNORM16;
    default: throw InternalError("C has no enumerator of {}", name_of(type));
    }
}

enum class Packed { a, b, both };

/// One product on the CPU at hand.
class ProductRun {
public:
    ProductRun(const ProductCase& drawn, Random& random, const Setting& setting)
        : product_(drawn.product),
          epilogue_(drawn.epilogue),
          factors_(drawn.factors),
          random_(random),
          setting_(setting),
          data_(product_, factors_, random, &epilogue_),
          reduced_(product_) {}

    void run() {
        const int threads = static_cast<int>(random_.one_of({1, 1, 1, 2, 3}));
        const Plan plan = plan_for(threads);
        execute(plan);
        data_.require_right(random_);
        reduced_.require_right(data_);
        const std::vector<std::byte> bits = bits_now();
        if (random_.chance(40)) {
            execute(plan_for(static_cast<int>(random_.integer(1, 4))));
            require_same(bits, "with other threads");
        }
        if (reduced_.array() == nullptr && random_.chance(20)) {
            execute_from_c(threads);
            require_same(bits, "through the C interface");
        }
        const bool has_one_type = !product_.widens() && !product_.converts();
        if (has_one_type && reduced_.array() == nullptr && epilogue_.is_identity() && random_.chance(20)) {
            execute_by_lists(threads);
            data_.require_right(random_);
        }
        const bool can_pack =
            !product_.widens() && !product_.converts() && product_.data_type != DataType::int32;
        if (!can_pack || !random_.chance(40)) return;
        execute_packed(plan, random_.one_of({Packed::a, Packed::b, Packed::both}));
        require_same(bits, "of packed operands");
    }

private:
    Plan plan_for(int threads) const {
        Plan plan = swirl::plan(product_, {.threads = threads});
        const auto with = [&](auto of) {
            using T = typename decltype(of)::type;
            if (GuardedMemory* const array = epilogue_.array())
                plan = plan.with("v", reinterpret_cast<const T*>(array->origin()));
            if (GuardedMemory* const results = reduced_.array())
                plan = plan.with("r", reinterpret_cast<T*>(results->origin()));
        };
        with_type(product_.data_type, Types<float, double>{}, with);
        return plan;
    }

    void save() {
        data_.restore();
        data_.save();
        if (epilogue_.array() != nullptr) epilogue_.array()->save();
        reduced_.save();
    }
    void require_unharmed() {
        if (setting_.tampering.product) setting_.tampering.product(data_, reduced_.array());
        data_.require_unharmed();
        if (epilogue_.array() != nullptr) epilogue_.array()->require_unharmed();
        reduced_.require_unharmed();
    }

    void execute(const Plan& plan) {
        save();
        with_types(product_, [&]<class S, class A, class B, class C>(Type<S>, Type<A>, Type<B>, Type<C>) {
            if constexpr (std::is_same_v<S, AccumulatorOf<A>>)
                plan.execute(factor<S>(factors_.alpha), reinterpret_cast<const A*>(data_.a().origin()),
                             reinterpret_cast<const B*>(data_.b().origin()), factor<S>(factors_.beta),
                             reinterpret_cast<C*>(data_.c().origin()));
        });
        require_unharmed();
    }

    void execute_from_c(int threads) {
        const auto require = [](swirl_status status) {
            if (status != SWIRL_OK) throw Failure("C interface", swirl_last_error());
        };
        swirl_problem* described = nullptr;
        require(swirl_problem_create_product(c_type(product_.data_type), product_.rows, product_.columns,
                                             product_.k, &described));
        const std::unique_ptr<swirl_problem, void (*)(swirl_problem*)> problem(described,
                                                                               swirl_problem_destroy);
        require(swirl_problem_set_batch(described, product_.batch));
        const auto set = [&](int matrix, const MatrixLayout& of, DataType type) {
            const swirl_matrix_layout layout = {of.row_stride, of.column_stride, of.batch_stride,
                                                of.conjugated ? 1 : 0};
            require(swirl_problem_set_matrix(described, matrix, &layout));
            require(swirl_problem_set_matrix_type(described, matrix, c_type(type)));
        };
        set(SWIRL_A, product_.a, product_.type_of_a());
        set(SWIRL_B, product_.b, product_.type_of_b());
        set(SWIRL_C, product_.c, product_.type_of_c());
        require(swirl_problem_set_epilogue(described, product_.epilogue.text().c_str()));
        swirl_options options = SWIRL_OPTIONS_INIT;
        options.threads = threads;
        swirl_plan* made = nullptr;
        require(swirl_plan_create(described, &options, &made));
        const std::unique_ptr<swirl_plan, void (*)(swirl_plan*)> plan(made, swirl_plan_destroy);
        save();
        GuardedMemory* const array = epilogue_.array();
        with_type(product_.data_type, SumTypes{}, [&](auto of) {
            using T = typename decltype(of)::type;
            const T alpha = factor<T>(factors_.alpha), beta = factor<T>(factors_.beta);
            std::vector<swirl_array> arrays = {{"alpha", &alpha, nullptr},
                                               {"a", data_.a().origin(), nullptr},
                                               {"b", data_.b().origin(), nullptr},
                                               {"beta", &beta, nullptr},
                                               {"c", data_.c().origin(), nullptr}};
            if (array != nullptr) arrays.push_back({"v", array->origin(), nullptr});
            require(swirl_execute_arrays(made, arrays.data(), arrays.size(), nullptr));
        });
        require_unharmed();
    }

    /// The matrices of the batch in two groups of lists.
    void execute_by_lists(int threads) {
        MatrixProduct one = product_;
        one.batch = 1;
        const Plan plan = swirl::plan(one, {.threads = threads});
        save();
        with_type(
            product_.data_type, Types<float, double, std::complex<float>, std::complex<double>>{},
            [&](auto of) {
                using T = typename decltype(of)::type;
                std::vector<const T*> a, b;
                std::vector<T*> c;
                for (Integer matrix = 0; matrix < product_.batch; ++matrix) {
                    a.push_back(reinterpret_cast<const T*>(data_.a().origin()) +
                                matrix * product_.a.batch_stride);
                    b.push_back(reinterpret_cast<const T*>(data_.b().origin()) +
                                matrix * product_.b.batch_stride);
                    c.push_back(reinterpret_cast<T*>(data_.c().origin()) + matrix * product_.c.batch_stride);
                }
                const T alpha = factor<T>(factors_.alpha), beta = factor<T>(factors_.beta);
                const Integer first = random_.integer(0, product_.batch);
                const MatrixGroup groups[] = {{plan, alpha, a.data(), b.data(), beta, c.data(), first},
                                              {plan, alpha, a.data() + first, b.data() + first, beta,
                                               c.data() + first, product_.batch - first}};
                execute_groups(groups);
            });
        require_unharmed();
    }

    void execute_packed(const Plan& plan, Packed packed) {
        save();
        with_type(product_.data_type, Types<float, double, std::complex<float>, std::complex<double>>{},
                  [&](auto of) {
                      using T = typename decltype(of)::type;
                      const T* const a = reinterpret_cast<const T*>(data_.a().origin());
                      const T* const b = reinterpret_cast<const T*>(data_.b().origin());
                      T* const c = reinterpret_cast<T*>(data_.c().origin());
                      const T alpha = factor<T>(factors_.alpha), beta = factor<T>(factors_.beta);
                      if (packed == Packed::a) return plan.execute(alpha, plan.pack_a(a), b, beta, c);
                      if (packed == Packed::b) return plan.execute(alpha, a, plan.pack_b(b), beta, c);
                      plan.execute(alpha, plan.pack_a(a), plan.pack_b(b), beta, c);
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
    const Setting& setting_;
    ProductData data_;
    Reduced reduced_;
};

} // namespace

void fuzz_product(std::uint64_t seed, const Setting& setting, Journal& journal) {
    Random random(seed);
    constexpr Integer most_elements = Integer{1} << 15;
    const ProductCase drawn =
        draw_product_case(random, false, std::min(most_elements, setting.limits.elements), journal);
    ProductRun(drawn, random, setting).run();
}

} // namespace swirl::fuzz
