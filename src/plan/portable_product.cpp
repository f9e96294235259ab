#include "plan/portable_product.hpp"

#include "base/fork_gate.hpp"
#include "emit/builtin_tiles.hpp"
#include "plan/matrix_values.hpp"
#include "runtime/executable_memory.hpp"
#include "target/cpu.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#define SWIRL_BUILTIN_TILE(NUMBER, FUNCTION) \
    extern "C" void FUNCTION(void* const* buffers, const std::int64_t* parameters);
#include <builtin_tiles.inc>
#undef SWIRL_BUILTIN_TILE

namespace swirl::planning {

namespace {

runtime::KernelFunction tile_function(Number number) {
    switch (number) {
#define SWIRL_BUILTIN_TILE(NUMBER, FUNCTION) \
    case Number::NUMBER:                     \
        return FUNCTION;
#include <builtin_tiles.inc>
#undef SWIRL_BUILTIN_TILE
    default: return nullptr;
    }
}

gemm::Tile tile_of(Number number) {
    for (const gemm::MicroKernel& kernel : emit::builtin_tiles())
        if (kernel.number == number) return kernel.tile;
    return {.lanes = 4, .vectors = 1, .columns = 4};
}

/// One product, in blocks of rows of A that stay packed while panels of B pass by. Narrow numbers of A and B are widened in
/// packing.
template <class T, class OfA, class OfB> class PortableProduct {
public:
    using Real = typename RealPart<T>::type;

    PortableProduct(const MatrixProduct& product, const MatrixArguments& arguments)
        : product_(product),
          function_(tile_function(product.number)),
          tile_(tile_of(product.number)),
          a_(static_cast<const OfA*>(arguments.a)),
          b_(static_cast<const OfB*>(arguments.b)),
          c_(static_cast<T*>(arguments.c)),
          beta_(value_at<T>(arguments.beta)),
          sums_(static_cast<std::size_t>(tile_.rows() * tile_.columns)) {
        factors_[0] = value_at<T>(arguments.alpha);
    }

    void run() {
        constexpr Integer block_rows = 64, block_depth = 256;
        for (Integer step = 0; step < product_.depth; step += block_depth)
            for (Integer row = 0; row < product_.rows; row += block_rows)
                multiply_block(row, std::min(block_rows, product_.rows - row), step,
                               std::min(block_depth, product_.depth - step));
    }

private:
    static constexpr Integer parts = sizeof(T) / sizeof(Real);

    void multiply_block(Integer first_row, Integer rows, Integer step, Integer depth) {
        const Integer width = tile_.rows();
        std::vector<Real> a(static_cast<std::size_t>(parts * (rows + width) * depth));
        std::vector<Real> b(static_cast<std::size_t>(parts * tile_.columns * depth));
        for (Integer row = 0; row < rows; row += width)
            pack(a_ + step * product_.a.column_stride, product_.a.row_stride, product_.a.column_stride,
                 product_.a.conjugated, first_row + row, std::min(width, rows - row), width, depth,
                 a.data() + parts * row * depth);
        for (Integer column = 0; column < product_.columns; column += tile_.columns) {
            const Integer columns = std::min<Integer>(tile_.columns, product_.columns - column);
            pack(b_ + step * product_.b.row_stride, product_.b.column_stride, product_.b.row_stride,
                 product_.b.conjugated, column, columns, tile_.columns, depth, b.data());
            for (Integer row = 0; row < rows; row += width) {
                multiply_tile(a.data() + parts * row * depth, b.data(), depth);
                update(first_row + row, std::min(width, rows - row), column, columns, step == 0);
            }
        }
    }

    /// As gemm::pack says.
    template <class From>
    static void pack(const From* from, Integer stride, Integer depth_stride, bool conjugated, Integer first,
                     Integer count, Integer width, Integer depth, Real* to) {
        for (Integer k = 0; k < depth; ++k)
            for (Integer i = 0; i < width; ++i) {
                const T value =
                    i < count ? static_cast<T>(from[(first + i) * stride + k * depth_stride]) : T(0);
                if constexpr (parts == 2) {
                    to[2 * k * width + i] = value.real();
                    to[2 * k * width + width + i] = conjugated ? -value.imag() : value.imag();
                } else {
                    to[k * width + i] = value;
                }
            }
    }

    void multiply_tile(Real* a, Real* b, Integer depth) {
        if (function_ == nullptr) return multiply_plainly(a, b, depth);
        void* const buffers[] = {a, b, sums_.data(), factors_};
        const std::int64_t parameters[] = {depth, depth, tile_.rows()};
        function_(buffers, parameters);
    }

    /// Of numbers that there is no built-in tile of.
    void multiply_plainly(const Real* a, const Real* b, Integer depth) {
        if constexpr (parts == 1)
            for (Integer j = 0; j < tile_.columns; ++j)
                for (Integer i = 0; i < tile_.rows(); ++i) {
                    T sum = 0;
                    for (Integer k = 0; k < depth; ++k)
                        sum += a[k * tile_.rows() + i] * b[k * tile_.columns + j];
                    sums_[static_cast<std::size_t>(j * tile_.rows() + i)] = factors_[0] * sum;
                }
    }

    void update(Integer row, Integer rows, Integer column, Integer columns, bool is_first) {
        for (Integer j = 0; j < columns; ++j)
            for (Integer i = 0; i < rows; ++i) {
                T& element = c_[(row + i) * product_.c.row_stride + (column + j) * product_.c.column_stride];
                const T sum = sums_[static_cast<std::size_t>(j * tile_.rows() + i)];
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
    T factors_[2] = {};
    std::vector<T> sums_; ///< of a tile, times α
};

} // namespace

void multiply_portable(const MatrixProduct& product, const MatrixArguments& arguments) {
    with_numbers(product, [&](auto c, auto a, auto b) {
        PortableProduct<decltype(c), decltype(a), decltype(b)>(product, arguments).run();
    });
}

bool needs_portable_products() {
    static constinit MadeOnce<bool> needs;
    return needs.get([] {
        return target::host_cpu().set == target::InstructionSet::portable ||
               !runtime::ExecutableCode::is_available();
    });
}

} // namespace swirl::planning
