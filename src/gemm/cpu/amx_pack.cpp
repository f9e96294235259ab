#include "gemm/cpu/amx_pack.hpp"

#include "base/error.hpp"
#include "ir/builder.hpp"
#include "ir/transpose.hpp"
#include "target/x86/bfloat16_split.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace swirl::gemm {

namespace {

using ir::Value;
using Source = Pack::Source;

constexpr int lanes = target::x86::tile_rows;

class AmxPackWriter {
public:
    AmxPackWriter(ir::Builder& builder, const AmxPack& pack)
        : builder_(builder),
          pack_(pack),
          vector_{pack.is_of_bytes() ? DataType::int32 : DataType::float32, lanes},
          quarters_(pack.k_group() / lanes),
          k_group_(2 * pack.terms * in_register()) {
        from_ = builder.input("source", pack.from, (pack.max_k + amx_tile - 1) * pack.max_stride);
        to_ = builder.output("packed", pack.is_of_bytes() ? DataType::int32 : DataType::bfloat16,
                             k_group_ * ceil_divide(pack.max_k, Integer{pack.k_group()}));
        if (pack.is_scaled) scale_ = builder.input("scale", vector_.scalar, 1);
        rest_ = builder.local("remainder", vector_.scalar, Integer{pack.k_group()} * lanes);
        k_main_ = builder.parameter("k_main");
        k_extent_ = builder.parameter("k");
        k_stride_ = builder.parameter("k_stride");
        stride_ = builder.parameter("stride");
    }

    void write() {
        for (int first = 0; first < pack_.count; first += lanes) {
            const int count = std::min(lanes, pack_.count - first);
            for_each_k_group("group", 0, k_main_, [&](const Affine& k) {
                if (pack_.source == Source::neither) {
                    gather(k, pack_.k_group(), first, count);
                    pack_rest(k, first);
                } else {
                    pack_k_group(k, first, pack_.source, [&](int quarter, int vector) {
                        return scaled(source_vector(k, lanes * quarter, vector, first, count));
                    });
                }
            });
            for_each_k_group("rest", k_main_, k_extent_, [&](const Affine& k) {
                gather(k, k_extent_ - k, first, count);
                pack_rest(k, first);
            });
        }
    }

private:
    template <class F>
    void for_each_k_group(const char* name, const Affine& begin, const Affine& end, F&& body) {
        builder_.for_loop(name, begin, end, pack_.k_group(), ir::For::Kind::serial, body);
    }

    Value product(const Affine& count, const Affine& stride) {
        return builder_.multiply(builder_.index(count), builder_.index(stride));
    }

    /// From k index k + `later` on: one k index of all rows or columns of the panel from `first` on, or 16 k indices
    /// of one of them.
    Value source_vector(const Affine& k, int later, int vector, int first, int count) {
        if (pack_.source == Source::along_k) {
            if (vector >= count) return builder_.constant(vector_, 0);
            const Value start = product(first + vector, stride_);
            builder_.prefetch(from_, k + (later + 2 * pack_.k_group()), start);
            return get(k + later, {.lanes = lanes, .dynamic = start});
        }
        const Affine k_index = k + (later + vector);
        const Value start = product(k_index, k_stride_);
        builder_.prefetch(from_, first, product(k_index + pack_.k_group(), k_stride_));
        return get(first, {.lanes = lanes, .active = count, .dynamic = start});
    }
    Value get(const Affine& at, const ir::Access& access) {
        const Value loaded = builder_.load(from_, at, access);
        return pack_.from == vector_.scalar ? loaded : builder_.convert(loaded, vector_.scalar);
    }

    Value scaled(Value x) {
        if (!pack_.is_scaled) return x;
        return builder_.multiply(x, builder_.splat(builder_.load(scale_, 0), lanes));
    }

    /// Copies some k indices of some rows or columns to `rest`, k index by k index, zero-filling missing ones.
    void gather(const Affine& k, const Affine& k_count, int first, int count) {
        const Value zero = builder_.constant(vector_, 0);
        for (Integer j = 0; j < pack_.k_group(); ++j)
            builder_.store(rest_, j * lanes, zero, {.lanes = lanes});
        builder_.for_loop("j", k_count, [&](const Affine& j) {
            const Value start = product(k + j, k_stride_);
            for (int member = 0; member < count; ++member) {
                const Value at = builder_.add(start, product(first + member, stride_));
                builder_.store(rest_, lanes * j + member, get(0, {.dynamic = at}));
            }
        });
    }

    void pack_rest(const Affine& k, int first) {
        pack_k_group(k, first, Source::across_panel, [&](int quarter, int vector) {
            return scaled(
                builder_.load(rest_, Integer{lanes} * (lanes * quarter + vector), {.lanes = lanes}));
        });
    }

    int in_register() const { return target::x86::tile_bytes / (pack_.is_of_bytes() ? 4 : 2); }

    /// Packs a K group: vector(quarter, l) is the l-th vector of 16 k indices, of one k index or of one row or
    /// column, depending on the source.
    template <class Vector> void pack_k_group(const Affine& k, int first, Source source, Vector&& vector) {
        const bool is_transposed = (source == Source::along_k) == (pack_.operand == Operand::a);
        std::array<std::vector<Value>, 4> by_quarter;
        for (int quarter = 0; quarter < quarters_; ++quarter) {
            std::vector<Value>& of_quarter = by_quarter[static_cast<std::size_t>(quarter)];
            for (int l = 0; l < lanes; ++l) of_quarter.push_back(vector(quarter, l));
            if (is_transposed) of_quarter = ir::columns_of_rows(builder_.writer(), of_quarter, lanes);
        }
        // k_group_ elements per K group: two registers for each term.
        const Affine k_group = k_group_ / pack_.k_group() * k + first / lanes * in_register();
        for (std::size_t at = 0; at < lanes; ++at) {
            const Affine offset = k_group + static_cast<Integer>(at) * (in_register() / lanes);
            if (pack_.is_of_bytes())
                put_bytes(offset,
                          {by_quarter[0][at], by_quarter[1][at], by_quarter[2][at], by_quarter[3][at]});
            else
                put_terms(offset, by_quarter[0][at], by_quarter[1][at]);
        }
    }

    void put_bytes(const Affine& offset, const std::array<Value, 4>& bytes) {
        Value word = bytes[0];
        for (std::size_t k = 1; k < bytes.size(); ++k) {
            const Value shift = builder_.constant(vector_, static_cast<long double>(Integer{1} << 8 * k));
            word = builder_.add(word, builder_.multiply(bytes[k], shift));
        }
        builder_.store(to_, offset, word, {.lanes = lanes});
    }

    void put_terms(const Affine& offset, Value x, Value y) {
        // After two terms, the remainder of a float32 is exactly a bfloat16.
        const int exact = pack_.from == DataType::bfloat16 ? 0 : 2;
        for (int term = 0; term < pack_.terms; ++term) {
            const bool is_rounded = term < exact;
            const Value x_term = is_rounded ? rounded(x) : x, y_term = is_rounded ? rounded(y) : y;
            builder_.store(to_, offset + Integer{2} * term * in_register(),
                           builder_.instruction(target::x86::pairs_of_bfloat16(), {x_term, y_term}),
                           {.lanes = 2 * lanes});
            if (term + 1 == pack_.terms) return;
            x = builder_.subtract(x, x_term);
            y = builder_.subtract(y, y_term);
        }
    }
    Value rounded(Value x) { return builder_.instruction(target::x86::rounded_to_bfloat16(), {x}); }

    ir::Builder& builder_;
    const AmxPack& pack_;
    ir::Type vector_;
    int quarters_;    ///< of a K group, 16 k indices each: halves for bfloat16
    Integer k_group_; ///< elements in a panel per K group
    ir::Buffer from_ = 0, to_ = 0, scale_ = 0, rest_ = 0;
    Affine k_main_, k_extent_, k_stride_, stride_;
};

} // namespace

ir::Program amx_pack(const AmxPack& pack) {
    ensure(pack.count >= 1 && pack.count <= amx_tile && pack.terms >= 1 && pack.terms <= 3,
           "{} rows or columns of a panel of {} slices", pack.count, pack.terms);
    ir::Builder builder("gemm_pack_amx");
    AmxPackWriter(builder, pack).write();
    return builder.finish();
}

} // namespace swirl::gemm
