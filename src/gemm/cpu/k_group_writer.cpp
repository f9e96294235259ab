#include "gemm/cpu/k_group_writer.hpp"

#include "base/error.hpp"
#include "gemm/cpu/panel_addresses.hpp"
#include "ir/transpose.hpp"
#include "target/x86/dot_products.hpp"

#include <algorithm>
#include <vector>

namespace swirl::gemm {

namespace {

using ir::Value;
using Source = Pack::Source;

/// The integer type in which a method's elements are loaded: raw bits, or bytes to be widened.
DataType read_as(const Pack& pack) {
    switch (pack.k_packing.method) {
    case Method::byte_quads: return DataType::uint8;
    case Method::int16_pairs: return scalar_of(*pack.source_type);
    default: return DataType::int16;
    }
}

class KGroupWriter {
public:
    explicit KGroupWriter(const Pack& pack)
        : pack_(pack),
          builder_("gemm_pack"),
          lanes_(panel_lanes(pack)),
          k_group_(pack.k_packing.k_group()),
          element_(read_as(pack)) {
        const Integer most = pack.max_k * k_group_;
        addresses_.from = builder_.input("source", element_, (most + pack.width - 1) * pack.max_stride);
        addresses_.to = builder_.output("packed", DataType::int32, (pack.max_k + 2) * pack.width);
        if (corrects())
            column_sums_ = builder_.local("column_sums", DataType::int32, Integer{vectors()} * pack.lanes);
    }

    ir::Program write() {
        const Affine k_main = builder_.parameter("k_main"), k_extent = builder_.parameter("k");
        addresses_.k_stride = builder_.parameter("k_stride");
        addresses_.stride = builder_.parameter("stride");
        const bool is_transposed = pack_.source == Source::along_k && lanes_ > 1;
        const bool is_copied = pack_.source == Source::across_panel;
        if (is_copied) addresses_.stride = 1;
        if (is_transposed) over(0, k_main, lanes_, [&](const Affine& g) { transpose_k_groups(g); });
        over(is_transposed ? k_main : 0, k_extent, 1, [&](const Affine& g) { write_k_group(g, k_group_); });
        if (pack_.rest > 0) write_k_group(k_extent, pack_.rest);
        if (corrects()) write_column_sums(k_extent + (pack_.rest > 0 ? 1 : 0));
        return builder_.finish();
    }

private:
    bool corrects() const { return pack_.operand == Operand::b && pack_.k_packing.correction != 0; }
    int vectors() const { return (pack_.width + pack_.lanes - 1) / pack_.lanes; }
    template <class F> void over(const Affine& begin, const Affine& end, int increment, F&& body) {
        builder_.for_loop("k_group", begin, end, increment, ir::For::Kind::serial, body);
    }

    Value constant(int lanes, Integer value) {
        return builder_.constant({DataType::int32, lanes}, static_cast<long double>(value));
    }
    void put(const Affine& g, int first, Value words) {
        builder_.store(addresses_.to, pack_.width * g + first, words, {.lanes = builder_.type(words).lanes});
    }
    /// Offsets A's bytes by ±128: flips the top bit.
    Value taken(Value words) {
        if (pack_.operand == Operand::b || !pack_.k_packing.flips_a()) return words;
        return builder_.bit_xor(words,
                                constant(builder_.type(words).lanes, static_cast<std::int32_t>(0x80808080U)));
    }

    /// The first `count` k indices of a K group, for adjacent rows.
    Value words(const std::vector<PanelAddresses::Address>& addresses, int first, int lanes, int active) {
        const bool are_bytes = pack_.k_packing.method == Method::byte_quads;
        const int bits = are_bytes ? 8 : 16;
        Value sum = ir::no_value;
        for (std::size_t k = 0; k < addresses.size(); ++k) {
            const Value value = builder_.convert(
                builder_.load(addresses_.from, addresses[k].index + first,
                              {.lanes = lanes, .active = active, .dynamic = addresses[k].dynamic}),
                DataType::int32);
            if (k == 0) {
                // Masks off the sign extension: later k indices occupy those bits.
                sum = are_bytes ? value : builder_.bit_and(value, constant(lanes, 0xffff));
                continue;
            }
            const Value factor = constant(lanes, Integer{1} << (bits * static_cast<int>(k)));
            sum = builder_.add(sum, builder_.multiply(value, factor));
        }
        return taken(sum);
    }

    void write_k_group(const Affine& g, int count) {
        std::vector<PanelAddresses::Address> starts;
        for (int k = 0; k < count; ++k) starts.push_back(addresses_.address(builder_, k_group_ * g + k, 0));
        const bool is_copied = pack_.source == Source::across_panel && lanes_ * bytes_of(element_) >= 4;
        for (int first = 0; first < pack_.width; first += lanes_) {
            const int active = std::clamp(pack_.count - first, 0, lanes_);
            if (active == 0)
                put(g, first, constant(lanes_, 0));
            else if (is_copied && (active == lanes_ || pack_.has_masks))
                put(g, first, words(starts, first, lanes_, active));
            else
                for (int row = first; row < first + lanes_; ++row) write_word(g, starts, row);
        }
    }
    void write_word(const Affine& g, const std::vector<PanelAddresses::Address>& starts, int row) {
        if (row >= pack_.count) return put(g, row, constant(1, 0));
        std::vector<PanelAddresses::Address> addresses;
        for (const PanelAddresses::Address& start : starts)
            addresses.push_back(addresses_.at_row(builder_, start, row));
        put(g, row, words(addresses, 0, 1, 1));
    }

    /// As many K groups as a vector has lanes: transposes squares of rows by K groups.
    void transpose_k_groups(const Affine& g) {
        const PanelAddresses::Address start{k_group_ * g, ir::no_value};
        for (int first = 0; first < pack_.width; first += lanes_) {
            std::vector<Value> rows;
            for (int row = first; row < first + lanes_; ++row)
                rows.push_back(row < pack_.count ? load_k_groups(addresses_.at_row(builder_, start, row))
                                                 : constant(lanes_, 0));
            const std::vector<Value> columns = ir::columns_of_rows(builder_.writer(), rows, lanes_);
            for (int at = 0; at < lanes_; ++at)
                put(g + at, first, taken(columns[static_cast<std::size_t>(at)]));
        }
    }
    /// Consecutive K groups of a row.
    Value load_k_groups(const PanelAddresses::Address& address) {
        Value elements = builder_.load(addresses_.from, address.index,
                                       {.lanes = k_group_ * lanes_, .dynamic = address.dynamic});
        if (pack_.k_packing.method == Method::int16_pairs)
            elements = builder_.convert(elements, DataType::int16);
        return builder_.bitcast(elements, DataType::int32);
    }

    /// Behind the panel's K groups, writes the correction: the column sums, as dot products with ones.
    void write_column_sums(const Affine& k_groups) {
        const ir::Instruction& dot = target::x86::dot_product_of_bytes(pack_.lanes);
        const Value ones = constant(pack_.lanes, 0x01010101);
        const auto each = [&](auto&& f) {
            for (int first = 0; first < pack_.width; first += pack_.lanes)
                f(first, std::min(pack_.lanes, pack_.width - first));
        };
        each([&](int first, int) {
            builder_.store(column_sums_, first, constant(pack_.lanes, 0), {.lanes = pack_.lanes});
        });
        over(0, k_groups, 1, [&](const Affine& g) {
            each([&](int first, int active) {
                const Value sum = builder_.load(column_sums_, first, {.lanes = pack_.lanes});
                const Value words = builder_.load(addresses_.to, pack_.width * g + first,
                                                  {.lanes = pack_.lanes, .active = active});
                const bool is_unsigned = pack_.k_packing.b_is_unsigned;
                const Value added = is_unsigned ? builder_.instruction(dot, {sum, words, ones})
                                                : builder_.instruction(dot, {sum, ones, words});
                builder_.store(column_sums_, first, added, {.lanes = pack_.lanes});
            });
        });
        each([&](int first, int active) {
            const Value sum = builder_.load(column_sums_, first, {.lanes = pack_.lanes});
            const Value corrected = builder_.multiply(sum, constant(pack_.lanes, pack_.k_packing.correction));
            builder_.store(addresses_.to, pack_.width * k_groups + first, corrected,
                           {.lanes = pack_.lanes, .active = active});
        });
    }

    const Pack& pack_;
    ir::Builder builder_;
    PanelAddresses addresses_;
    int lanes_;
    int k_group_;
    DataType element_;
    ir::Buffer column_sums_ = 0;
};

} // namespace

ir::Program pack_k_groups(const Pack& pack) { return KGroupWriter(pack).write(); }

} // namespace swirl::gemm
