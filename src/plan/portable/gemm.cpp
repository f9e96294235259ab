#include "plan/portable/gemm.hpp"

#include "base/fork_gate.hpp"
#include "emit/cpp/builtin_tiles.hpp"
#include "plan/gemm/values.hpp"
#include "runtime/cpu/executable_memory.hpp"
#include "target/cpu.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#define SWIRL_BUILTIN_TILE(NUMBER, FUNCTION) \
    extern "C" void FUNCTION(void* const* buffers, const std::int64_t* parameters);
#include <builtin_tiles.inc>
#undef SWIRL_BUILTIN_TILE

namespace swirl::planning {

namespace {

runtime::KernelFunction tile_function(DataType data_type) {
    switch (data_type) {
#define SWIRL_BUILTIN_TILE(NUMBER, FUNCTION) \
    case DataType::NUMBER:                   \
        return FUNCTION;
#include <builtin_tiles.inc>
#undef SWIRL_BUILTIN_TILE
    default: return nullptr;
    }
}

/// The function, which is checked before the first use of its data type's tile.
runtime::KernelFunction checked_tile(DataType data_type) {
    static constinit std::array<std::atomic<bool>, 256> checked{}; // by data type
    const runtime::KernelFunction function = tile_function(data_type);
    if (function == nullptr) return nullptr;
    std::atomic<bool>& is_checked = checked[static_cast<std::size_t>(data_type)];
    if (is_checked.load(std::memory_order_acquire)) return function;
    for (const gemm::MicroKernel& kernel : emit::builtin_tiles())
        if (kernel.data_type == data_type) check_tile(kernel, function);
    is_checked.store(true, std::memory_order_release);
    return function;
}

gemm::Tile tile_of(DataType data_type) {
    for (const gemm::MicroKernel& kernel : emit::builtin_tiles())
        if (kernel.data_type == data_type) return kernel.tile;
    return {.lanes = 4, .vectors = 1, .columns = 4};
}

/// One product, by blocks of packed rows of A, past which panels of B stream. Packing widens low-precision operands.
template <class T, class OfA, class OfB> class PortableGemm {
public:
    using Real = typename RealPart<T>::type;

    PortableGemm(const MatrixProduct& product, const MatrixArguments& arguments, KernelCheck check)
        : product_(product),
          function_(check == KernelCheck::on ? checked_tile(product.data_type)
                                             : tile_function(product.data_type)),
          tile_(tile_of(product.data_type)),
          a_(static_cast<const OfA*>(arguments.a)),
          b_(static_cast<const OfB*>(arguments.b)),
          c_(static_cast<T*>(arguments.c)),
          beta_(value_at<T>(arguments.beta)),
          accumulators_(static_cast<std::size_t>(tile_.rows() * tile_.columns)) {
        alpha_beta_[0] = value_at<T>(arguments.alpha);
    }

    void run() {
        constexpr Integer mc = 64, kc = 256;
        for (Integer k = 0; k < product_.k; k += kc)
            for (Integer row = 0; row < product_.rows; row += mc)
                multiply_block(row, std::min(mc, product_.rows - row), k, std::min(kc, product_.k - k));
    }

private:
    static constexpr Integer components = sizeof(T) / sizeof(Real);

    void multiply_block(Integer first_row, Integer rows, Integer k, Integer k_extent) {
        const Integer width = tile_.rows();
        std::vector<Real> a(static_cast<std::size_t>(components * (rows + width) * k_extent));
        std::vector<Real> b(static_cast<std::size_t>(components * tile_.columns * k_extent));
        for (Integer row = 0; row < rows; row += width)
            pack(a_ + k * product_.a.column_stride, product_.a.row_stride, product_.a.column_stride,
                 product_.a.conjugated, first_row + row, std::min(width, rows - row), width, k_extent,
                 a.data() + components * row * k_extent);
        for (Integer column = 0; column < product_.columns; column += tile_.columns) {
            const Integer columns = std::min<Integer>(tile_.columns, product_.columns - column);
            pack(b_ + k * product_.b.row_stride, product_.b.column_stride, product_.b.row_stride,
                 product_.b.conjugated, column, columns, tile_.columns, k_extent, b.data());
            for (Integer row = 0; row < rows; row += width) {
                multiply_tile(a.data() + components * row * k_extent, b.data(), k_extent);
                update(first_row + row, std::min(width, rows - row), column, columns, k == 0);
            }
        }
    }

    /// Packs in the format of gemm::pack.
    template <class From>
    static void pack(const From* from, Integer stride, Integer k_stride, bool conjugated, Integer first,
                     Integer count, Integer width, Integer k_extent, Real* to) {
        for (Integer k = 0; k < k_extent; ++k)
            for (Integer i = 0; i < width; ++i) {
                const T value = i < count ? static_cast<T>(from[(first + i) * stride + k * k_stride]) : T(0);
                if constexpr (components == 2) {
                    to[2 * k * width + i] = value.real();
                    to[2 * k * width + width + i] = conjugated ? -value.imag() : value.imag();
                } else {
                    to[k * width + i] = value;
                }
            }
    }

    void multiply_tile(Real* a, Real* b, Integer k_extent) {
        if (function_ == nullptr) return multiply_plainly(a, b, k_extent);
        void* const buffers[] = {a, b, accumulators_.data(), alpha_beta_};
        const std::int64_t parameters[] = {k_extent, k_extent, tile_.rows()};
        function_(buffers, parameters);
    }

    /// For data types without a built-in tile.
    void multiply_plainly(const Real* a, const Real* b, Integer k_extent) {
        if constexpr (components == 1)
            for (Integer j = 0; j < tile_.columns; ++j)
                for (Integer i = 0; i < tile_.rows(); ++i) {
                    T sum = 0;
                    for (Integer k = 0; k < k_extent; ++k)
                        sum += a[k * tile_.rows() + i] * b[k * tile_.columns + j];
                    accumulators_[static_cast<std::size_t>(j * tile_.rows() + i)] = alpha_beta_[0] * sum;
                }
    }

    void update(Integer row, Integer rows, Integer column, Integer columns, bool is_first) {
        for (Integer j = 0; j < columns; ++j)
            for (Integer i = 0; i < rows; ++i) {
                T& element = c_[(row + i) * product_.c.row_stride + (column + j) * product_.c.column_stride];
                const T sum = accumulators_[static_cast<std::size_t>(j * tile_.rows() + i)];
                if (!is_first)
                    element += sum;
                else
                    element = beta_ == T(0) ? sum : sum + beta_ * element;
            }
    }

    const MatrixProduct& product_;
    runtime::KernelFunction function_;
    gemm::Tile tile_;
    const OfA* a_;
    const OfB* b_;
    T* c_;
    T beta_;
    T alpha_beta_[2] = {};
    std::vector<T> accumulators_; ///< of a tile, times α
};

} // namespace

void multiply_portable(const MatrixProduct& product, const MatrixArguments& arguments, KernelCheck check) {
    with_data_types(product, [&](auto c, auto a, auto b) {
        PortableGemm<decltype(c), decltype(a), decltype(b)>(product, arguments, check).run();
    });
}

bool needs_portable_gemm() {
    static constinit LazyValue<bool> needs;
    return needs.get([] {
        return target::host_cpu().set == target::InstructionSet::portable ||
               !runtime::ExecutableCode::is_available();
    });
}

} // namespace swirl::planning
