#include "plan/check/cpu_gemm.hpp"

#include <swirl/half.hpp>

#include "base/error.hpp"
#include "base/integer.hpp"
#include "plan/check/expression_bounds.hpp"
#include "plan/check/kernel_check_samples.hpp"
#include "plan/gemm/values.hpp"
#include "problem/matrix_product.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

namespace swirl::planning {

namespace kernel_check {

namespace {

using gemm::Update;
using Operand = gemm::Operand;

/// A product of at most this many elements and multiply-adds, spread over at most this many bytes, is checked itself:
/// it runs in less time than its kernel takes to compile.
constexpr Integer most_elements = 1 << 16, most_work = 1 << 24, most_bytes = 4 << 20;
/// Compared elements of a result with an epilogue.
constexpr Integer most_compared = 512;

/// Weight of a column in a sum over columns.
double weight(Integer j) { return 1 + static_cast<double>(mixed(9, j, 1) % 13); }

template <class V> V sample(int which, Integer i, Integer j) {
    if constexpr (std::is_same_v<V, double>)
        return small_integer(which, i, j);
    else
        return {small_integer(which, i, j), small_integer(which + 4, i, j)};
}

/// C in memory: row stride 1, with guards around each column.
class Result {
public:
    Result(DataType data_type, Integer rows, Integer columns, Integer column_stride)
        : type_(data_type),
          bytes_(bytes_of(data_type)),
          rows_(rows),
          columns_(columns),
          stride_(columns == 1 ? rows : column_stride),
          memory_((std::abs(stride_) * (columns - 1) + rows) * bytes_ + 2 * guard_bytes) {
        for (Integer j = 0; j < columns; ++j) {
            std::memset(column(j) - guard(j, -1), filling, static_cast<std::size_t>(guard(j, -1)));
            std::memset(column(j), filling, static_cast<std::size_t>(rows * bytes_ + guard(j, 1)));
        }
    }
    std::byte* data() const { return column(0); }
    std::byte* at(Integer i, Integer j) const { return column(j) + i * bytes_; }
    Integer column_stride() const { return stride_; }
    Integer rows() const { return rows_; }
    Integer columns() const { return columns_; }
    DataType type() const { return type_; }

    void require_guards(const std::string& name) const {
        for (Integer j = 0; j < columns_; ++j)
            for (const int side : {-1, 1}) {
                const std::byte* const first =
                    side < 0 ? column(j) - guard(j, -1) : column(j) + rows_ * bytes_;
                for (Integer k = 0; k < guard(j, side); ++k)
                    if (first[k] != std::byte{filling})
                        fail(name,
                             fmt::format("it writes {} column {} of C", side < 0 ? "before" : "behind", j));
            }
    }

private:
    /// As floating-point elements: NaN.
    static constexpr unsigned char filling = 0xff;

    std::byte* column(Integer j) const {
        const Integer first = stride_ < 0 ? -stride_ * (columns_ - 1) : 0;
        return memory_.data() + guard_bytes + (first + j * stride_) * bytes_;
    }
    /// Bytes to watch before (−1) or behind (1) a column; those behind a column may be before the next one.
    Integer guard(Integer j, int side) const {
        const bool is_outermost = (side < 0) == (stride_ >= 0) ? j == 0 : j == columns_ - 1;
        const Integer gap = (std::abs(stride_) - rows_) * bytes_;
        return is_outermost || columns_ == 1 ? guard_bytes : std::clamp<Integer>(gap, 0, guard_bytes);
    }

    DataType type_;
    Integer bytes_, rows_, columns_, stride_;
    Memory memory_;
};

/// C = update(α·(start + A·B)), by definition.
template <class V> class Expectation {
public:
    Expectation(std::string kernel_name, Integer rows, Integer columns, Integer k_extent)
        : name(std::move(kernel_name)),
          a(static_cast<std::size_t>(rows * k_extent)),
          b(static_cast<std::size_t>(k_extent * columns)),
          start(static_cast<std::size_t>(columns)),
          rows_(rows),
          columns_(columns),
          k_(k_extent) {}

    V& a_at(Integer i, Integer k) { return a[static_cast<std::size_t>(i * k_ + k)]; }
    V& b_at(Integer k, Integer j) { return b[static_cast<std::size_t>(k * columns_ + j)]; }

    std::string name;
    std::vector<V> a, b;  ///< by rows
    std::vector<V> start; ///< what accumulators start from, by column
    V alpha = 1, beta = 0;
    const OperandArrays* epilogue = nullptr;

    /// Sets the elements that the update reads.
    void begin(const Result& c, Update update) {
        if (update == Update::overwrite) beta = 0;
        if (update == Update::add) beta = 1;
        before_.resize(static_cast<std::size_t>(rows_ * columns_));
        if (update == Update::overwrite) return;
        for (Integer j = 0; j < columns_; ++j)
            for (Integer i = 0; i < rows_; ++i) {
                before_[static_cast<std::size_t>(i * columns_ + j)] = sample<V>(2, i, j);
                put(c.type(), c.at(i, j), sample<V>(2, i, j));
            }
    }
    void compare(const Result& c) const {
        c.require_guards(name);
        if (epilogue != nullptr) return compare_some(c);
        // Sums over weighted columns: A·(B·w) needs far fewer operations than A·B (Freivalds 1977).
        std::vector<V> weighted(static_cast<std::size_t>(k_));
        std::vector<double> weights;
        V started = 0;
        for (Integer j = 0; j < columns_; ++j) {
            weights.push_back(weight(j));
            started += start[static_cast<std::size_t>(j)] * weight(j);
        }
        for (Integer k = 0; k < k_; ++k) {
            V sum = 0;
            for (Integer j = 0; j < columns_; ++j)
                sum += b[static_cast<std::size_t>(k * columns_ + j)] * weights[static_cast<std::size_t>(j)];
            weighted[static_cast<std::size_t>(k)] = sum;
        }
        for (Integer i = 0; i < rows_; ++i) {
            V sum = started, got = 0, kept = 0;
            for (Integer k = 0; k < k_; ++k)
                sum += a[static_cast<std::size_t>(i * k_ + k)] * weighted[static_cast<std::size_t>(k)];
            for (Integer j = 0; j < columns_; ++j) {
                got += get<V>(c.type(), c.at(i, j)) * weights[static_cast<std::size_t>(j)];
                kept += before_[static_cast<std::size_t>(i * columns_ + j)] *
                        weights[static_cast<std::size_t>(j)];
            }
            if (!(got == alpha * sum + beta * kept)) name_element(c, i);
        }
    }

private:
    V direct(Integer i, Integer j) const {
        V sum = start[static_cast<std::size_t>(j)];
        for (Integer k = 0; k < k_; ++k)
            sum += a[static_cast<std::size_t>(i * k_ + k)] * b[static_cast<std::size_t>(k * columns_ + j)];
        return alpha * sum + beta * before_[static_cast<std::size_t>(i * columns_ + j)];
    }
    static std::string text(V value) {
        if constexpr (std::is_same_v<V, double>)
            return fmt::format("{}", value);
        else
            return fmt::format("{} + {}i", value.real(), value.imag());
    }
    [[noreturn]] void name_element(const Result& c, Integer i) const {
        for (Integer j = 0; j < columns_; ++j)
            if (const V got = get<V>(c.type(), c.at(i, j)); !(got == direct(i, j)))
                fail(name,
                     fmt::format("element ({}, {}) of C is {}, not {}", i, j, text(got), text(direct(i, j))));
        fail(name, fmt::format("row {} of C is wrong", i));
    }

    /// With the epilogue, whose results are compared up to rounding.
    void compare_some(const Result& c) const {
        const Integer all = rows_ * columns_, step = std::max<Integer>(1, all / most_compared) | 1;
        const auto compare_at = [&](Integer element) {
            const Integer i = element % rows_, j = element / rows_;
            c.type() == DataType::float64 || c.type() == DataType::complex128
                ? compare_finished<double>(c, i, j)
                : compare_finished<float>(c, i, j);
        };
        for (Integer element = 0; element < all; element += step) compare_at(element);
        compare_at(all - 1);
    }
    template <class R> void compare_finished(const Result& c, Integer i, Integer j) const {
        using S = std::conditional_t<std::is_same_v<V, double>, R, std::complex<R>>;
        const V exact = direct(i, j);
        S x;
        if constexpr (std::is_same_v<V, double>)
            x = static_cast<R>(exact);
        else
            x = S(static_cast<R>(exact.real()), static_cast<R>(exact.imag()));
        std::array<R, 2> got{};
        const std::size_t components = std::is_same_v<V, double> ? 1 : 2;
        std::memcpy(got.data(), c.at(i, j), components * sizeof(R));
        const std::array<ResultBounds<R>, 2> bounds = bounds_of<R>(*epilogue, x, i, j);
        for (std::size_t component = 0; component < components; ++component)
            if (!bounds[component].admit(got[component]))
                fail(name, fmt::format("element ({}, {}) of C after the epilogue is {}, not {}", i, j,
                                       got[component], bounds[component].expected));
    }

    Integer rows_, columns_, k_;
    std::vector<V> before_; ///< by rows
};

/// α and β of a kernel that multiplies by both, as it reads them.
template <class V> struct Scalars { V alpha, beta; };
template <class V> Scalars<V> scalars() {
    if constexpr (std::is_same_v<V, double>)
        return {2, -3};
    else
        return {{2, -1}, {-1, 3}};
}

template <class F> void with_values_of(DataType data_type, F&& f) {
    if (is_complex(data_type))
        f(std::complex<double>());
    else
        f(0.0);
}

/// What a panel's elements of an operand are.
struct PanelTypes {
    DataType accumulators;
    gemm::KPacking k_packing;

    /// Bits of one element within a word.
    int bits() const { return k_packing.method == gemm::Method::byte_quads ? 8 : 16; }
    Integer word_bytes() const { return k_packing.is_plain() ? bytes_of(accumulators) : 4; }

    /// A sample element as the multiplying instruction sees it.
    template <class V> V element(Operand operand, Integer i, Integer k) const {
        const int which = operand == Operand::a ? 0 : 1;
        if constexpr (!std::is_same_v<V, double>)
            return sample<V>(which, i, k);
        else
            switch (k_packing.method) {
            case gemm::Method::byte_quads: {
                const bool is_unsigned = (operand == Operand::b) == k_packing.b_is_unsigned;
                return static_cast<double>(mixed(which, i, k) % 256) - (is_unsigned ? 0 : 128);
            }
            case gemm::Method::int16_pairs: return static_cast<double>(mixed(which, i, k) % 384) - 128;
            default: return sample<V>(which, i, k);
            }
    }
    std::uint32_t element_bits(double value) const {
        if (k_packing.method == gemm::Method::bfloat16_pairs) return bfloat16(static_cast<float>(value)).bits;
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(value)) & ((1U << bits()) - 1);
    }
};

/// Writes element (i, k) of a plain panel of this width.
template <class V>
void put_in_panel(DataType data_type, std::byte* panel, Integer width, Integer i, Integer k, V value) {
    if constexpr (std::is_same_v<V, double>) {
        put(data_type, panel + (k * width + i) * bytes_of(data_type), value);
    } else {
        const Integer bytes = bytes_of(data_type) / 2;
        const DataType real = data_type == DataType::complex64 ? DataType::float32 : DataType::float64;
        put(real, panel + (2 * k * width + i) * bytes, value.real());
        put(real, panel + (2 * k * width + width + i) * bytes, value.imag());
    }
}

/// A panel with sample elements; tells each to `element`.
template <class V, class F>
void fill_panel(const PanelTypes& types, Operand operand, std::byte* panel, Integer width, Integer k_groups,
                F&& element) {
    const int group = types.k_packing.k_group();
    for (Integer g = 0; g < k_groups; ++g)
        for (Integer i = 0; i < width; ++i) {
            std::uint32_t word = 0;
            for (int j = 0; j < group; ++j) {
                const Integer k = g * group + j;
                const V value = types.element<V>(operand, i, k);
                element(i, k, value);
                if constexpr (std::is_same_v<V, double>)
                    if (!types.k_packing.is_plain()) word |= types.element_bits(value) << (j * types.bits());
                if (types.k_packing.is_plain()) put_in_panel(types.accumulators, panel, width, i, g, value);
            }
            if (!types.k_packing.is_plain()) std::memcpy(panel + (g * width + i) * 4, &word, 4);
        }
}

std::string_view name_of(Update update) {
    return update == Update::overwrite ? "overwrite" : update == Update::add ? "add" : "scale";
}

std::string_view name_of(gemm::Pack::Source source) {
    using Source = gemm::Pack::Source;
    return source == Source::across_panel ? "across the panel"
           : source == Source::along_k    ? "along k"
                                          : "strided";
}

[[noreturn]] void fail_beyond(const std::string& name) { fail(name, "it writes behind its panel"); }

/// Compares a panel of scalars with the one expected: zeros may have either sign.
void compare_scalars(const std::string& name, DataType real, const std::byte* got, const std::byte* expected,
                     Integer bytes) {
    for (Integer at = 0; at < bytes; at += bytes_of(real))
        if (const double value = get<double>(real, got + at), wanted = get<double>(real, expected + at);
            !(value == wanted))
            fail(name,
                 fmt::format("scalar {} of its panel is {}, not {}", at / bytes_of(real), value, wanted));
    if (std::memcmp(got + bytes, expected + bytes, guard_bytes) != 0) fail_beyond(name);
}
/// The same for words, some with undefined contents.
void compare_words(const std::string& name, const std::byte* got, const std::byte* expected, Integer bytes,
                   const std::vector<bool>& is_free) {
    for (Integer at = 0; at < bytes; at += 4) {
        std::uint32_t value = 0, wanted = 0;
        std::memcpy(&value, got + at, sizeof value);
        std::memcpy(&wanted, expected + at, sizeof wanted);
        if (value != wanted && !is_free[static_cast<std::size_t>(at / 4)])
            fail(name, fmt::format("word {} of its panel is {:#x}, not {:#x}", at / 4, value, wanted));
    }
    if (std::memcmp(got + bytes, expected + bytes, guard_bytes) != 0) fail_beyond(name);
}

} // namespace

void check_tile(const gemm::MicroKernel& kernel, runtime::KernelFunction function) {
    const gemm::Tile& tile = kernel.tile;
    const PanelTypes types{kernel.data_type, kernel.k_packing};
    const bool corrects = kernel.k_packing.correction != 0;
    with_values_of(kernel.data_type, [&](auto zero) {
        using V = decltype(zero);
        const Integer k_groups = 2 * kernel.unroll + 1, group = kernel.k_packing.k_group();
        Expectation<V> expected(
            fmt::format("tile of {} by {} of {} by {}, {}, {}", kernel.rows, kernel.columns, tile.rows(),
                        tile.columns, swirl::name_of(kernel.data_type), name_of(kernel.update)),
            kernel.rows, kernel.columns, k_groups * group);
        const Memory a(tile.rows() * k_groups * types.word_bytes()),
            b(tile.columns * (k_groups + 1) * types.word_bytes() + guard_bytes);
        fill_panel<V>(types, Operand::a, a.data(), tile.rows(), k_groups, [&](Integer i, Integer k, V value) {
            if (i < kernel.rows) expected.a_at(i, k) = value;
        });
        fill_panel<V>(types, Operand::b, b.data(), tile.columns, k_groups,
                      [&](Integer j, Integer k, V value) {
                          if (j < kernel.columns) expected.b_at(k, j) = value;
                      });
        if (corrects)
            for (Integer j = 0; j < tile.columns; ++j) {
                const auto start = static_cast<std::int32_t>(100 * small_integer(5, j, 0));
                std::memcpy(b.data() + (k_groups * tile.columns + j) * 4, &start, sizeof start);
                if (j < kernel.columns)
                    expected.start[static_cast<std::size_t>(j)] = static_cast<double>(start);
            }
        const Result c(kernel.data_type, kernel.rows, kernel.columns, kernel.rows + 3);
        const auto [alpha, beta] = scalars<V>();
        expected.alpha = alpha;
        expected.beta = beta;
        expected.begin(c, kernel.update);
        const OperandArrays operands(kernel.epilogue, kernel.data_type, kernel.rows, kernel.columns);
        if (!kernel.epilogue.is_identity()) expected.epilogue = &operands;
        alignas(16) std::byte alpha_beta[32];
        put(kernel.data_type, alpha_beta, alpha);
        put(kernel.data_type, alpha_beta + bytes_of(kernel.data_type), beta);
        std::vector<void*> buffers = {a.data(), b.data(), c.data(), alpha_beta};
        if (kernel.prefetch_next) buffers.push_back(b.data());
        if (expected.epilogue != nullptr) {
            if (kernel.data_type == DataType::int32) buffers.push_back(c.data());
            for (std::size_t k = 0; k < kernel.epilogue.operands.size(); ++k)
                buffers.push_back(const_cast<void*>(operands.operand(k, 0, 0)));
        }
        const std::int64_t parameters[] = {k_groups / kernel.unroll * kernel.unroll, k_groups,
                                           c.column_stride()};
        function(buffers.data(), parameters);
        expected.compare(c);
    });
}

void check_triangle(const gemm::TriangleUpdate& kernel, runtime::KernelFunction function) {
    const auto counts = [&](int i, int j) {
        const gemm::CountingRows rows = gemm::counting_rows(kernel, j);
        return rows.first <= i && i < rows.last;
    };
    with_values_of(kernel.data_type, [&](auto zero) {
        using V = decltype(zero);
        const DataType type = kernel.data_type;
        const std::string name =
            fmt::format("{} triangle of {} by {}, {}, {}, diagonal {}",
                        kernel.triangle == gemm::Triangle::lower ? "lower" : "upper", kernel.rows,
                        kernel.columns, swirl::name_of(type), name_of(kernel.update), kernel.diagonal);
        const Memory tile(Integer{kernel.rows} * kernel.columns * bytes_of(type));
        const Result c(type, kernel.rows, kernel.columns, kernel.rows + 3);
        V beta = scalars<V>().beta;
        alignas(16) std::byte beta_bytes[16];
        put(type, beta_bytes, beta);
        if (kernel.update == Update::overwrite) beta = 0;
        if (kernel.update == Update::add) beta = 1;
        for (int j = 0; j < kernel.columns; ++j)
            for (int i = 0; i < kernel.rows; ++i) {
                put(type, tile.data() + (i + j * kernel.rows) * bytes_of(type), sample<V>(0, i, j));
                put(type, c.at(i, j), sample<V>(2, i, j));
            }
        void* const with_tile[] = {tile.data(), c.data(), beta_bytes};
        void* const alone[] = {c.data(), beta_bytes};
        const std::int64_t parameters[] = {c.column_stride()};
        function(kernel.has_tile ? with_tile : alone, parameters);
        c.require_guards(name);
        for (int j = 0; j < kernel.columns; ++j)
            for (int i = 0; i < kernel.rows; ++i) {
                const V before = sample<V>(2, i, j);
                const V of_tile = kernel.has_tile ? sample<V>(0, i, j) : V(0);
                const V wanted = counts(i, j) ? of_tile + beta * before : before;
                if (!(get<V>(type, c.at(i, j)) == wanted))
                    fail(name, fmt::format("element ({}, {}) of C is wrong", i, j));
            }
    });
}

void check_pack(const gemm::Pack& kernel, runtime::KernelFunction function) {
    using Source = gemm::Pack::Source;
    const DataType from_type = kernel.source_type.value_or(kernel.data_type);
    const gemm::KPacking& packing = kernel.k_packing;
    const PanelTypes types{kernel.data_type, packing};
    const bool corrects = packing.correction != 0 && kernel.operand == Operand::b;
    const Integer k_block = gemm::k_per_iteration(kernel), width = kernel.width, group = packing.k_group();
    const Integer k_groups = k_block > 1 ? 2 * k_block + 1 : 3;
    const Integer k_extent = k_groups * group + kernel.rest, groups = k_groups + (kernel.rest > 0 ? 1 : 0);
    const Integer stride = kernel.source == Source::across_panel ? 1
                           : kernel.source == Source::along_k    ? k_extent + 3
                                                                 : 2;
    const Integer k_stride = kernel.source == Source::along_k ? 1 : stride * width + 3;
    const std::string name =
        fmt::format("pack {} of {} {} of {}, {}{}", kernel.count, width,
                    kernel.operand == Operand::a ? "rows of A" : "columns of B", swirl::name_of(from_type),
                    name_of(kernel.source), kernel.conjugated ? ", conjugated" : "");
    with_values_of(kernel.data_type, [&](auto zero) {
        using V = decltype(zero);
        const Integer from_bytes = bytes_of(from_type);
        const Memory from((width * stride + k_extent * k_stride) * from_bytes + 4 * guard_bytes);
        const Integer bytes = (groups + (corrects ? 1 : 0)) * width * types.word_bytes();
        const Memory to(bytes + guard_bytes), expected(bytes + guard_bytes);
        std::vector<bool> is_free(static_cast<std::size_t>(bytes / 4 + 1)); // by word
        std::vector<std::uint32_t> words(static_cast<std::size_t>(groups * width));
        std::vector<std::int32_t> sums(static_cast<std::size_t>(width));
        for (Integer i = 0; i < kernel.count; ++i)
            for (Integer k = 0; k < k_extent; ++k) {
                V value = sample<V>(kernel.operand == Operand::a ? 0 : 1, i, k);
                if (from_type == DataType::int8 || from_type == DataType::uint8)
                    value =
                        static_cast<double>(mixed(0, i, k) % 256) - (from_type == DataType::int8 ? 128 : 0);
                put(from_type, from.data() + (i * stride + k * k_stride) * from_bytes, value);
                if constexpr (!std::is_same_v<V, double>) {
                    if (kernel.conjugated) value = std::conj(value);
                } else if (!packing.is_plain()) {
                    words[static_cast<std::size_t>(k / group * width + i)] |= types.element_bits(value)
                                                                              << (k % group * types.bits());
                    sums[static_cast<std::size_t>(i)] += static_cast<std::int32_t>(value);
                }
                if (packing.is_plain()) put_in_panel(kernel.data_type, expected.data(), width, i, k, value);
            }
        if (!packing.is_plain())
            for (std::size_t at = 0; at < words.size(); ++at) {
                const bool is_flipped = kernel.operand == Operand::a && packing.flips_a();
                const std::uint32_t word = is_flipped ? words[at] ^ 0x80808080U : words[at];
                std::memcpy(expected.data() + 4 * at, &word, 4);
                // Rows beyond the last may hold anything that flips zeros.
                is_free[at] = is_flipped && static_cast<Integer>(at) % width >= kernel.count;
            }
        if (corrects)
            for (Integer j = 0; j < width; ++j) {
                const std::int32_t sum = packing.correction * sums[static_cast<std::size_t>(j)];
                std::memcpy(expected.data() + (groups * width + j) * 4, &sum, sizeof sum);
            }
        void* const buffers[] = {from.data(), to.data()};
        const std::int64_t parameters[] = {k_groups / k_block * k_block, k_groups, k_stride, stride};
        function(buffers, parameters);
        if (!packing.is_plain()) return compare_words(name, to.data(), expected.data(), bytes, is_free);
        compare_scalars(name,
                        gemm::scalar_of(kernel.data_type) == DataType::float64 ? DataType::float64
                        : kernel.data_type == DataType::int32                  ? DataType::int32
                                                                               : DataType::float32,
                        to.data(), expected.data(), bytes);
    });
}

namespace {

/// Extents that end as those of a larger problem do: some whole tiles and the same remainder.
Integer shortened(Integer extent, Integer tile, Integer whole) {
    return extent <= (whole + 1) * tile ? extent : whole * tile + extent % tile;
}

/// Bytes between the first and the last element.
Integer span_of(const MatrixLayout& layout, Integer rows, Integer columns, Integer bytes) {
    const Extent extent = extent_of(layout, rows, columns, 1);
    return (extent.highest - extent.lowest + 1) * bytes;
}

/// A matrix that a kernel reads, zero but for sample elements.
template <class V> class Source {
public:
    Source(DataType data_type, const MatrixLayout& layout, Integer rows, Integer columns)
        : type_(data_type),
          layout_(layout),
          lowest_(extent_of(layout, rows, columns, 1).lowest),
          memory_(span_of(layout, rows, columns, bytes_of(data_type)) + 2 * guard_bytes) {}
    std::byte* data() const { return at(0, 0); }
    void set(Integer i, Integer j, V value) { put(type_, at(i, j), value); }
    /// From memory: strides of zero make elements coincide.
    V operator()(Integer i, Integer j) const {
        const V value = get<V>(type_, at(i, j));
        if constexpr (std::is_same_v<V, double>)
            return value;
        else
            return layout_.conjugated ? std::conj(value) : value;
    }

private:
    std::byte* at(Integer i, Integer j) const {
        return memory_.data() + guard_bytes +
               (i * layout_.row_stride + j * layout_.column_stride - lowest_) * bytes_of(type_);
    }
    DataType type_;
    MatrixLayout layout_;
    Integer lowest_;
    Memory memory_;
};

/// Whether no two elements coincide.
bool is_injective(const MatrixLayout& layout, Integer rows, Integer columns) {
    const Integer down = std::abs(layout.row_stride), across = std::abs(layout.column_stride);
    return down > 0 && across > 0 && (across >= down * rows || down >= across * columns);
}

/// The k indices at which samples are not zero: all, or those around the beginnings and ends of a large product's loops
/// and blocks.
std::vector<Integer> sampled_k(const gemm::SmallGemm& kernel) {
    const MatrixProduct& product = kernel.product;
    const Integer k_extent = product.k, step = gemm::steps_of(kernel).k, near = 2 * step;
    const bool have_distinct_elements =
        is_injective(product.a, product.rows, k_extent) && is_injective(product.b, k_extent, product.columns);
    std::vector<Integer> result;
    for (Integer k = 0; k < k_extent; ++k) {
        const Integer in_block = k % kernel.kc();
        const bool is_wanted = !have_distinct_elements || k_extent <= 4 * near || in_block < near ||
                               in_block >= kernel.kc() - step || k >= k_extent - near;
        if (is_wanted) result.push_back(k);
    }
    return result;
}
Integer elements_of(const gemm::SmallGemm& kernel) {
    const MatrixProduct& product = kernel.product;
    const auto k = static_cast<Integer>(sampled_k(kernel).size());
    return product.rows * k + k * product.columns + product.rows * product.columns;
}

} // namespace

gemm::SmallGemm sample_of(const gemm::SmallGemm& kernel) {
    const MatrixProduct& product = kernel.product;
    const Integer bytes = bytes_of(product.data_type);
    const Integer spans = span_of(product.a, product.rows, product.k, bytes) +
                          span_of(product.b, product.k, product.columns, bytes) +
                          span_of(product.c, product.rows, product.columns, bytes);
    const double work = static_cast<double>(product.rows) * static_cast<double>(product.columns) *
                        static_cast<double>(product.k);
    if (work <= most_work && spans <= most_bytes && elements_of(kernel) <= most_elements) return kernel;
    const gemm::SmallSteps steps = gemm::steps_of(kernel);
    gemm::SmallGemm sample = kernel;
    sample.product.rows = shortened(product.rows, steps.rows, 2);
    sample.product.columns = shortened(product.columns, steps.columns, 2);
    Integer kc = kernel.kc();
    if (product.k > kc) {
        const Integer rest = shortened(product.k % kc, steps.k, 1);
        kc = std::min<Integer>(kc, 3 * steps.k + kc % steps.k);
        sample.product.k = 2 * kc + std::min(rest, kc - 1);
    } else {
        kc = sample.product.k = shortened(product.k, steps.k, 3);
    }
    std::visit([&](auto& schedule) { schedule.kc = kc; }, sample.schedule);
    return sample;
}

void check_small(const gemm::SmallGemm& kernel, runtime::KernelFunction function) {
    const MatrixProduct& product = kernel.product;
    const gemm::SmallSteps steps = gemm::steps_of(kernel);
    const std::vector<Integer> sampled = sampled_k(kernel);
    const auto count = static_cast<Integer>(sampled.size());
    with_values_of(product.data_type, [&](auto zero) {
        using V = decltype(zero);
        Expectation<V> expected(fmt::format("product of {} by {} by {}, {}, tile {} by {}, {}", product.rows,
                                            product.columns, product.k, swirl::name_of(product.data_type),
                                            steps.rows, steps.columns, name_of(kernel.update)),
                                product.rows, product.columns, count);
        Source<V> a(product.data_type, product.a, product.rows, product.k),
            b(product.data_type, product.b, product.k, product.columns);
        for (Integer at = 0; at < count; ++at) {
            const Integer k = sampled[static_cast<std::size_t>(at)];
            for (Integer i = 0; i < product.rows; ++i) a.set(i, k, sample<V>(0, i, at));
            for (Integer j = 0; j < product.columns; ++j) b.set(k, j, sample<V>(1, at, j));
        }
        const Integer width = steps.rows, panels = ceil_divide(product.rows, width);
        const Integer bytes = bytes_of(product.data_type);
        const Memory packed(kernel.a_is_given_packed ? panels * width * product.k * bytes : 1);
        for (Integer at = 0; at < count; ++at) {
            const Integer k = sampled[static_cast<std::size_t>(at)];
            for (Integer i = 0; i < product.rows; ++i) {
                const V value = expected.a_at(i, at) = a(i, k);
                if (kernel.a_is_given_packed)
                    put_in_panel(product.data_type, packed.data() + i / width * width * product.k * bytes,
                                 width, i % width, k, value);
            }
            for (Integer j = 0; j < product.columns; ++j) expected.b_at(at, j) = b(k, j);
        }
        const Memory scratch(gemm::packed_bytes(kernel) + 1);
        const Result c(product.data_type, product.rows, product.columns, product.c.column_stride);
        auto [alpha, beta] = scalars<V>();
        if (kernel.alpha_is_one) alpha = 1;
        expected.alpha = alpha;
        expected.beta = beta;
        expected.begin(c, kernel.update);
        const OperandArrays operands(kernel.epilogue, product.data_type, product.rows, product.columns);
        if (!kernel.epilogue.is_identity()) expected.epilogue = &operands;
        alignas(16) std::byte alpha_beta[32];
        put(product.data_type, alpha_beta, alpha);
        put(product.data_type, alpha_beta + 16, beta);
        std::vector<void*> buffers = {kernel.a_is_given_packed ? packed.data() : a.data(), b.data(), c.data(),
                                      alpha_beta, alpha_beta + 16};
        if (gemm::packed_bytes(kernel) > 0) buffers.push_back(scratch.data());
        for (std::size_t k = 0; k < kernel.epilogue.operands.size(); ++k)
            buffers.push_back(const_cast<void*>(operands.operand(k, 0, 0)));
        function(buffers.data(), nullptr);
        expected.compare(c);
    });
}

namespace {

/// Index of an element, or of its word of four bytes, in a panel for tile registers: see gemm::AmxPack.
Integer amx_index(Operand operand, int terms, int term, Integer i, Integer k, bool are_bytes) {
    constexpr Integer lanes = gemm::amx_tile / 2;
    const Integer group = are_bytes ? 64 : 32,
                  in_register = are_bytes ? 4 * lanes * lanes : 2 * lanes * lanes;
    const Integer in_group = k % group, pair = in_group % lanes, position = in_group / lanes,
                  member = i % lanes;
    const Integer word = operand == Operand::a ? pair * lanes + member : member * lanes + pair;
    const Integer in_word = are_bytes ? 4 : 2;
    return ((k / group * terms + term) * 2 + i / lanes) * in_register + word * in_word + position;
}

} // namespace

void check_amx_tile(const gemm::AmxKernel& kernel, runtime::KernelFunction function) {
    constexpr Integer tiles = 2;
    const bool are_bytes = kernel.types.are_bytes();
    const DataType type = kernel.types.accumulator();
    const int terms = kernel.product.terms;
    const Integer k_groups = std::min<Integer>(
        kernel.k_groups_per_panel, std::max<Integer>(2, ceil_divide(kernel.columns, kernel.columns_at_once)));
    const Integer k_extent = k_groups * kernel.types.k_group(),
                  rows = (tiles - 1) * gemm::amx_tile + kernel.rows;
    const Integer element_bytes = are_bytes ? 1 : 2;
    const Integer panel_bytes = gemm::amx_panel_bytes(terms, kernel.k_groups_per_panel);
    // Only whole tiles are one below the other.
    const Integer used = kernel.rows == gemm::amx_tile ? rows : kernel.rows;
    std::vector<gemm::Bf16Split::Pair> pairs;
    for (const auto& pass : kernel.product.passes) pairs.insert(pairs.end(), pass.begin(), pass.end());
    const auto count = static_cast<Integer>(pairs.size());
    Expectation<double> expected(fmt::format("tile of {} by {} in tile registers, {} products, {}",
                                             kernel.rows, kernel.columns, count, name_of(kernel.update)),
                                 used, kernel.columns, k_extent * count);
    const Memory a(tiles * panel_bytes), b(panel_bytes);
    const auto fill = [&](Operand operand, const Memory& panels, Integer extent, auto&& tell) {
        const DataType bytes = operand == Operand::a ? kernel.types.a : kernel.types.b;
        for (Integer i = 0; i < extent; ++i)
            for (Integer k = 0; k < k_extent; ++k)
                for (int term = 0; term < terms; ++term) {
                    const int which = (operand == Operand::a ? 0 : 1) + 2 * term;
                    const double value = are_bytes ? static_cast<double>(mixed(which, i, k) % 256) -
                                                         (bytes == DataType::int8 ? 128 : 0)
                                                   : small_integer(which, i, k);
                    std::byte* const at =
                        panels.data() + i / gemm::amx_tile * panel_bytes +
                        amx_index(operand, terms, term, i % gemm::amx_tile, k, are_bytes) * element_bytes;
                    put(are_bytes ? bytes : DataType::bfloat16, at, value);
                    tell(i, k, term, value);
                }
    };
    fill(Operand::a, a, used, [&](Integer i, Integer k, int term, double value) {
        for (Integer pair = 0; pair < count; ++pair)
            if (pairs[static_cast<std::size_t>(pair)].a == term)
                expected.a_at(i, pair * k_extent + k) = value;
    });
    fill(Operand::b, b, kernel.columns, [&](Integer j, Integer k, int term, double value) {
        for (Integer pair = 0; pair < count; ++pair)
            if (pairs[static_cast<std::size_t>(pair)].b == term)
                expected.b_at(pair * k_extent + k, j) = value;
    });
    const Result c(type, used, kernel.columns, used + 3);
    const auto [alpha, beta] = scalars<double>();
    expected.alpha = alpha;
    expected.beta = beta;
    expected.begin(c, kernel.update);
    const OperandArrays operands(kernel.epilogue, type, used, kernel.columns);
    if (!kernel.epilogue.is_identity()) expected.epilogue = &operands;
    alignas(8) std::byte alpha_beta[8];
    put(type, alpha_beta, alpha);
    put(type, alpha_beta + 4, beta);
    std::vector<void*> buffers = {a.data(), b.data(), c.data(), alpha_beta};
    if (expected.epilogue != nullptr) {
        if (are_bytes) buffers.push_back(c.data());
        for (std::size_t k = 0; k < kernel.epilogue.operands.size(); ++k)
            buffers.push_back(const_cast<void*>(operands.operand(k, 0, 0)));
    }
    const std::int64_t parameters[] = {used == rows ? tiles : 1, k_groups, c.column_stride()};
    function(buffers.data(), parameters);
    expected.compare(c);
}

void check_amx_pack(const gemm::AmxPack& kernel, runtime::KernelFunction function) {
    using PackSource = gemm::Pack::Source;
    const bool are_bytes = kernel.is_of_bytes();
    const DataType type = are_bytes                           ? DataType::uint8
                          : kernel.from == DataType::bfloat16 ? DataType::bfloat16
                                                              : DataType::float32;
    const Integer group = kernel.k_group(), rest = 5, k_extent = 2 * group + rest, width = kernel.count;
    const Integer stride = kernel.source == PackSource::across_panel ? 1
                           : kernel.source == PackSource::along_k    ? k_extent + 3
                                                                     : 2;
    const Integer k_stride = kernel.source == PackSource::along_k ? 1 : stride * gemm::amx_tile + 3;
    const std::string name = fmt::format("pack {} {} of {} for tile registers, {} terms, {}", width,
                                         kernel.operand == Operand::a ? "rows of A" : "columns of B",
                                         swirl::name_of(type), kernel.terms, name_of(kernel.source));
    const Integer bytes = bytes_of(type);
    const Memory from((gemm::amx_tile * stride + k_extent * k_stride) * bytes + 4 * guard_bytes);
    const auto value = [&](Integer i, Integer k) {
        if (are_bytes) return static_cast<double>(mixed(0, i, k) % 256);
        // Three terms hold any float32 exactly; two or one, as many bits as they have.
        const int bits = type == DataType::bfloat16 || kernel.terms == 1 ? 7 : kernel.terms == 2 ? 14 : 20;
        return static_cast<double>((mixed(0, i, k) * 65537U + mixed(1, k, i)) % (1U << bits)) + 1;
    };
    for (Integer i = 0; i < width; ++i)
        for (Integer k = 0; k < k_extent; ++k)
            put(type, from.data() + (i * stride + k * k_stride) * bytes, value(i, k));
    const Integer groups = ceil_divide(k_extent, group);
    const Integer panel = gemm::amx_panel_bytes(kernel.terms, groups);
    const Memory to(panel + guard_bytes);
    float scale = 8;
    void* const buffers[] = {from.data(), to.data(), &scale};
    const std::int64_t parameters[] = {k_extent / group * group, k_extent, k_stride, stride};
    function(buffers, parameters);
    const double factor = kernel.is_scaled ? 8 : 1;
    for (Integer i = 0; i < width; ++i)
        for (Integer k = 0; k < groups * group; ++k) {
            double sum = 0;
            for (int term = 0; term < kernel.terms; ++term) {
                const std::byte* const at =
                    to.data() +
                    amx_index(kernel.operand, kernel.terms, term, i, k, are_bytes) * (are_bytes ? 1 : 2);
                bfloat16 half;
                std::memcpy(&half, at, sizeof half);
                sum += are_bytes ? static_cast<double>(*at) : static_cast<double>(static_cast<float>(half));
            }
            const double wanted = k < k_extent ? factor * value(i, k) : 0;
            if (sum != wanted)
                fail(name, fmt::format("element ({}, {}) of its panel is {}, not {}", i, k, sum, wanted));
        }
    for (Integer k = 0; k < guard_bytes; ++k)
        if (to.data()[panel + k] != std::byte{}) fail(name, "it writes behind its panel");
}

} // namespace kernel_check

void check_tile(const gemm::MicroKernel& kernel, runtime::KernelFunction function) {
    kernel_check::check_tile(kernel, function);
}
void check_pack(const gemm::Pack& kernel, runtime::KernelFunction function) {
    kernel_check::check_pack(kernel, function);
}
void check_triangle(const gemm::TriangleUpdate& kernel, runtime::KernelFunction function) {
    kernel_check::check_triangle(kernel, function);
}
gemm::SmallGemm sample_of(const gemm::SmallGemm& kernel) { return kernel_check::sample_of(kernel); }
void check_small(const gemm::SmallGemm& kernel, runtime::KernelFunction function) {
    kernel_check::check_small(kernel, function);
}
void check_amx_tile(const gemm::AmxKernel& kernel, runtime::KernelFunction function) {
    kernel_check::check_amx_tile(kernel, function);
}
void check_amx_pack(const gemm::AmxPack& kernel, runtime::KernelFunction function) {
    kernel_check::check_amx_pack(kernel, function);
}

} // namespace swirl::planning
