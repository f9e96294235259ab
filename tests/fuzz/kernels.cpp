// GPU kernels of products in the interpreter, without a GPU.
#include "fuzz/draw_product.hpp"
#include "fuzz/product_data.hpp"
#include "fuzz/reduced.hpp"
#include "fuzz/setting.hpp"

#include "gemm/gpu/model/model.hpp"
#include "gemm/scalar.hpp"
#include "plan/gemm/gpu/kernel.hpp"
#include "support/kernel_sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace swirl::fuzz {
namespace {

constexpr std::size_t considered = 100; ///< schedules; one is drawn, or the first taken

template <class T> Integer integer_at(const std::byte* address) {
    T value;
    std::memcpy(&value, address, sizeof value);
    return value;
}
template <class T> void put_integer(std::byte* address, Integer integer) {
    const T value = static_cast<T>(integer);
    std::memcpy(address, &value, sizeof value);
}

/// The scalar type of a non-integer data type.
DataType number_of(DataType scalar) {
    switch (scalar) {
    case DataType::float64: return DataType::float64;
    case DataType::bfloat16: return DataType::bfloat16;
    case DataType::float16: return DataType::float16;
    case DataType::float8_e4m3: return DataType::float8_e4m3;
    default: return DataType::float32;
    }
}

void set(ir::Memory& memory, Integer index, const std::byte* address) {
    switch (memory.element()) {
    case DataType::int8: return memory.set_integer(index, integer_at<std::int8_t>(address));
    case DataType::uint8: return memory.set_integer(index, integer_at<std::uint8_t>(address));
    case DataType::int16: return memory.set_integer(index, integer_at<std::int16_t>(address));
    case DataType::uint16: return memory.set_integer(index, integer_at<std::uint16_t>(address));
    default: return memory.set(index, read_element(address, number_of(memory.element())).real());
    }
}

void get(const ir::Memory& memory, Integer index, std::byte* address) {
    const auto integer = [&] { return static_cast<Integer>(memory[index]); };
    switch (memory.element()) {
    case DataType::int8: return put_integer<std::int8_t>(address, integer());
    case DataType::uint8: return put_integer<std::uint8_t>(address, integer());
    case DataType::int16: return put_integer<std::int16_t>(address, integer());
    case DataType::uint16: return put_integer<std::uint16_t>(address, integer());
    default: return write_element(address, number_of(memory.element()), memory[index]);
    }
}

/// One of a product's three matrices, of a batch.
struct Matrix {
    const char* name;
    const MatrixLayout& layout;
    DataType data_type;
    Integer rows, columns, batch;
    GuardedMemory& host;

    Integer scalars() const { return is_complex(data_type) ? 2 : 1; }
    /// f(index of a scalar from that of element (0, 0) of the first matrix on, its address on the host)
    template <class F> void for_each(F&& f) const {
        const Integer bytes = bytes_of(data_type) / scalars();
        for (Integer matrix = 0; matrix < batch; ++matrix)
            for (Integer i = 0; i < rows; ++i)
                for (Integer j = 0; j < columns; ++j)
                    for (Integer component = 0; component < scalars(); ++component) {
                        const Integer at = scalars() * (matrix * layout.batch_stride + i * layout.row_stride +
                                                        j * layout.column_stride) +
                                           component;
                        f(at, host.origin() + at * bytes);
                    }
    }
};

/// One product by the kernels that a plan has.
class KernelRun {
public:
    KernelRun(const ProductCase& drawn, Random& random)
        : product_(drawn.product),
          epilogue_(drawn.epilogue),
          factors_(drawn.factors),
          random_(random),
          data_(product_, factors_, random, &epilogue_, true),
          reduced_(product_),
          planned_(product_),
          a_{"a", product_.a, product_.type_of_a(), product_.rows, product_.k, product_.batch, data_.a()},
          b_{"b", product_.b, product_.type_of_b(), product_.k, product_.columns, product_.batch, data_.b()},
          c_{"c",      product_.c, product_.type_of_c(), product_.rows, product_.columns, product_.batch,
             data_.c()} {
        planned_.listed = drawn.by_lists;
        if (drawn.by_lists && random.chance(50)) planned_.list_alignment = alignment_of_lists();
    }

    void run() {
        const std::vector<gemm::GpuGemmSchedule> schedules = gemm::gpu_schedules(planned_, gpu(), considered);
        if (schedules.empty()) return; // C has no elements
        gemm::GpuGemmSchedule schedule = random_.chance(50) ? schedules.front() : random_.one_of(schedules);
        if (random_.chance(20)) schedule = gemm::gpu_single_element_schedule(schedule, planned_, gpu());
        support::KernelSequence kernels(programs_of(schedule));
        const bool reads_c = factors_.beta != Complex(0);
        give(kernels, a_, multiplies());
        give(kernels, b_, multiplies());
        give(kernels, c_, reads_c);
        if (epilogue_.array() != nullptr) give_array(kernels.memory("auxiliary_v"));
        std::vector<long double> factors;
        for (const Complex& factor : {factors_.alpha, factors_.beta}) {
            factors.push_back(factor.real());
            if (is_complex(product_.data_type)) factors.push_back(factor.imag());
        }
        kernels.memory("alpha_beta").assign(factors);
        const ir::Memory before = kernels.memory("c");
        kernels.run({multiplies() ? 1 : 0, reads_c ? 1 : 0}, {.last_role_first = random_.chance(50)});
        require_gaps(before, kernels.memory("c"));
        take(kernels);
        data_.require_right(random_);
        reduced_.require_right(data_);
    }

private:
    static const target::Gpu& gpu() { return target::gpu_named("sm_90"); }
    bool multiplies() const { return product_.k > 0 && factors_.alpha != Complex(0); }

    /// Where nothing is multiplied the product's last kernel does all of it.
    std::vector<ir::Program> programs_of(const gemm::GpuGemmSchedule& schedule) const {
        std::vector<ir::Program> programs;
        for (planning::GpuMatrixDerivation& kernel : planning::derive_gemm_for_gpu(planned_, schedule, gpu()))
            programs.push_back(std::move(kernel.program));
        if (!multiplies()) programs.erase(programs.begin(), programs.end() - 1);
        for (planning::GpuMatrixDerivation& kernel :
             planning::derive_reductions_for_gpu(planned_, schedule, gpu()))
            programs.push_back(std::move(kernel.program));
        return programs;
    }

    static Extent extent_of_all(const Matrix& matrix) {
        return extent_of(matrix.layout, matrix.rows, matrix.columns, matrix.batch);
    }
    Integer unit_of_lists(const Matrix& matrix) const {
        return std::max<Integer>(planned_.list_alignment / bytes_of(matrix.data_type), 1);
    }
    /// Lists have addresses; of memory that begins at 0 the element (0, 0) of the first matrix is here.
    Integer origin(const Matrix& matrix) const {
        if (!planned_.listed) return 0;
        const Integer unit = unit_of_lists(matrix);
        return (-extent_of_all(matrix).lowest + unit - 1) / unit * unit;
    }
    int alignment_of_lists() const {
        Integer all = 16;
        for (const Matrix* matrix : {&a_, &b_, &c_})
            all |= matrix->layout.batch_stride * bytes_of(matrix->data_type);
        return static_cast<int>(all & -all);
    }

    void give(support::KernelSequence& kernels, const Matrix& matrix, bool is_read) const {
        const std::vector<ir::Program>& programs = kernels.programs();
        const bool has_it = std::any_of(programs.begin(), programs.end(), [&](const ir::Program& program) {
            return std::any_of(program.buffers.begin(), program.buffers.end(),
                               [&](const ir::BufferInfo& buffer) { return buffer.name == matrix.name; });
        });
        if (!has_it) return; // of A and B, where nothing is multiplied
        ir::Memory& memory = kernels.memory(matrix.name);
        const Integer first = origin(matrix) * matrix.scalars();
        if (planned_.listed) {
            const Integer scalar_bytes = bytes_of(memory.element());
            memory =
                ir::Memory(memory.element(), first + (extent_of_all(matrix).highest + 1) * matrix.scalars());
            for (Integer k = 0; k < matrix.batch; ++k)
                kernels.memory(std::string(matrix.name) + "_list")
                    .set_integer(k,
                                 (first + k * matrix.layout.batch_stride * matrix.scalars()) * scalar_bytes);
        }
        if (is_read)
            matrix.for_each([&](Integer at, const std::byte* address) { set(memory, first + at, address); });
    }
    void give_array(ir::Memory& memory) const {
        const Integer bytes = bytes_of(memory.element());
        for (Integer k = 0; k < memory.elements(); ++k)
            set(memory, k, epilogue_.array()->origin() + k * bytes);
    }

    void take(support::KernelSequence& kernels) {
        const ir::Memory& c = kernels.memory("c");
        const Integer first = origin(c_) * c_.scalars();
        c_.for_each([&](Integer at, std::byte* address) { get(c, first + at, address); });
        if (reduced_.array() == nullptr) return;
        const ir::Memory& results = kernels.memory("reduction_r");
        const Integer bytes = bytes_of(results.element());
        for (Integer k = 0; k < results.elements(); ++k)
            get(results, k, reduced_.array()->origin() + k * bytes);
    }

    void require_gaps(const ir::Memory& before, const ir::Memory& after) const {
        std::vector<bool> is_element(static_cast<std::size_t>(after.elements()));
        const Integer first = origin(c_) * c_.scalars() - after.first();
        c_.for_each(
            [&](Integer at, const std::byte*) { is_element[static_cast<std::size_t>(first + at)] = true; });
        for (Integer k = 0; k < after.elements(); ++k) {
            const Integer index = after.first() + k;
            if (!is_element[static_cast<std::size_t>(k)] &&
                after.is_written(index) != before.is_written(index))
                throw Failure("written outside",
                              fmt::format("c is written at scalar {}, where it has to stay", k - first));
        }
    }

    const MatrixProduct& product_;
    const Epilogue& epilogue_;
    Factors factors_;
    Random& random_;
    ProductData data_;
    Reduced reduced_;
    MatrixProduct planned_;
    Matrix a_, b_, c_;
};

} // namespace

void fuzz_kernel(std::uint64_t seed, const Setting& setting, Journal& journal) {
    Random random(seed);
    const Integer most_elements = Integer{1} << (random.chance(20) ? 14 : 11);
    const Integer elements = std::min(most_elements, setting.limits.elements);
    const ProductCase drawn = draw_product_case(random, true, elements, journal, "kernels of ");
    KernelRun(drawn, random).run();
}

} // namespace swirl::fuzz
