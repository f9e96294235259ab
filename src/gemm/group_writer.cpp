#include "gemm/group_writer.hpp"

#include "base/error.hpp"
#include "gemm/panel_places.hpp"
#include "ir/transpose.hpp"
#include "target/x86/dot_products.hpp"

#include <algorithm>
#include <vector>

namespace swirl::gemm {

namespace {

using ir::Scalar;
using ir::Value;
using Source = Pack::Source;

/// As which integers a method's numbers are read: bits that stay, or bytes that are widened.
Scalar read_as(const Pack& pack) {
    switch (pack.grouping.method) {
    case Method::byte_quads: return Scalar::uint8;
    case Method::int16_pairs: return scalar_of(*pack.narrow);
    default: return Scalar::int16;
    }
}

class GroupWriter {
public:
    explicit GroupWriter(const Pack& pack)
        : pack_(pack),
          builder_("gemm_pack"),
          lanes_(panel_lanes(pack)),
          group_(pack.grouping.group()),
          element_(read_as(pack)) {
        const Integer most = pack.most_depth * group_;
        places_.from = builder_.input("from", element_, (most + pack.width - 1) * pack.most_stride);
        places_.to = builder_.output("to", Scalar::int32, (pack.most_depth + 2) * pack.width);
        if (corrects()) sums_ = builder_.local("sums", Scalar::int32, Integer{vectors()} * pack.lanes);
    }

    ir::Program write() {
        const Affine steps = builder_.parameter("steps"), depth = builder_.parameter("depth");
        places_.depth_stride = builder_.parameter("depth_stride");
        places_.stride = builder_.parameter("stride");
        const bool is_turned = pack_.source == Source::along_depth && lanes_ > 1;
        const bool is_copied = pack_.source == Source::across_panel;
        if (is_copied) places_.stride = 1;
        if (is_turned) over(0, steps, lanes_, [&](const Affine& g) { transpose_groups(g); });
        over(is_turned ? steps : 0, depth, 1, [&](const Affine& g) { write_group(g, group_); });
        if (pack_.rest > 0) write_group(depth, pack_.rest);
        if (corrects()) write_sums(depth + (pack_.rest > 0 ? 1 : 0));
        return builder_.finish();
    }

private:
    bool corrects() const { return pack_.operand == Operand::b && pack_.grouping.correction != 0; }
    int vectors() const { return (pack_.width + pack_.lanes - 1) / pack_.lanes; }
    template <class F> void over(const Affine& begin, const Affine& end, int step, F&& body) {
        builder_.for_loop("g", begin, end, step, ir::For::Kind::serial, body);
    }

    Value constant(int lanes, Integer value) {
        return builder_.constant({Scalar::int32, lanes}, static_cast<long double>(value));
    }
    void put(const Affine& g, int first, Value words) {
        builder_.store(places_.to, pack_.width * g + first, words, {.lanes = builder_.type(words).lanes});
    }
    /// A's bytes 128 more or less: the upper bit changes.
    Value taken(Value words) {
        if (pack_.operand == Operand::b || !pack_.grouping.flips_a()) return words;
        return builder_.bit_xor(words,
                                constant(builder_.type(words).lanes, static_cast<std::int32_t>(0x80808080U)));
    }

    /// The first `count` steps of a group, for some rows that are next to each other.
    Value words(const std::vector<PanelPlaces::Place>& places, int first, int lanes, int active) {
        const bool are_bytes = pack_.grouping.method == Method::byte_quads;
        const int bits = are_bytes ? 8 : 16;
        Value sum = ir::no_value;
        for (std::size_t step = 0; step < places.size(); ++step) {
            const Value number = builder_.convert(
                builder_.load(places_.from, places[step].index + first,
                              {.lanes = lanes, .active = active, .dynamic = places[step].dynamic}),
                Scalar::int32);
            if (step == 0) {
                // Above the last step's, other steps' bits take the place of the sign.
                sum = are_bytes ? number : builder_.bit_and(number, constant(lanes, 0xffff));
                continue;
            }
            const Value factor = constant(lanes, Integer{1} << (bits * static_cast<int>(step)));
            sum = builder_.add(sum, builder_.multiply(number, factor));
        }
        return taken(sum);
    }

    void write_group(const Affine& g, int count) {
        std::vector<PanelPlaces::Place> starts;
        for (int step = 0; step < count; ++step)
            starts.push_back(places_.place(builder_, group_ * g + step, 0));
        const bool is_copied =
            pack_.source == Source::across_panel && lanes_ * ir::size_in_bytes(element_) >= 4;
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
    void write_word(const Affine& g, const std::vector<PanelPlaces::Place>& starts, int row) {
        if (row >= pack_.count) return put(g, row, constant(1, 0));
        std::vector<PanelPlaces::Place> places;
        for (const PanelPlaces::Place& start : starts) places.push_back(places_.beside(builder_, start, row));
        put(g, row, words(places, 0, 1, 1));
    }

    /// As many groups as a vector has lanes: squares of rows by groups are turned.
    void transpose_groups(const Affine& g) {
        const PanelPlaces::Place start{group_ * g, ir::no_value};
        for (int first = 0; first < pack_.width; first += lanes_) {
            std::vector<Value> rows;
            for (int row = first; row < first + lanes_; ++row)
                rows.push_back(row < pack_.count ? groups_of(places_.beside(builder_, start, row))
                                                 : constant(lanes_, 0));
            const std::vector<Value> columns = ir::columns_of_rows(builder_.writer(), rows, lanes_);
            for (int at = 0; at < lanes_; ++at)
                put(g + at, first, taken(columns[static_cast<std::size_t>(at)]));
        }
    }
    /// Groups of a row one behind the other.
    Value groups_of(const PanelPlaces::Place& place) {
        Value numbers =
            builder_.load(places_.from, place.index, {.lanes = group_ * lanes_, .dynamic = place.dynamic});
        if (pack_.grouping.method == Method::int16_pairs) numbers = builder_.convert(numbers, Scalar::int16);
        return builder_.bitcast(numbers, Scalar::int32);
    }

    /// Behind the panel's groups, what corrects the product: the columns' sums are their dot products with ones.
    void write_sums(const Affine& groups) {
        const ir::Instruction& dot = target::x86::dot_product_of_bytes(pack_.lanes);
        const Value ones = constant(pack_.lanes, 0x01010101);
        const auto each = [&](auto&& f) {
            for (int first = 0; first < pack_.width; first += pack_.lanes)
                f(first, std::min(pack_.lanes, pack_.width - first));
        };
        each([&](int first, int) {
            builder_.store(sums_, first, constant(pack_.lanes, 0), {.lanes = pack_.lanes});
        });
        over(0, groups, 1, [&](const Affine& g) {
            each([&](int first, int active) {
                const Value sum = builder_.load(sums_, first, {.lanes = pack_.lanes});
                const Value words = builder_.load(places_.to, pack_.width * g + first,
                                                  {.lanes = pack_.lanes, .active = active});
                const bool is_unsigned = pack_.grouping.b_is_unsigned;
                const Value added = is_unsigned ? builder_.instruction(dot, {sum, words, ones})
                                                : builder_.instruction(dot, {sum, ones, words});
                builder_.store(sums_, first, added, {.lanes = pack_.lanes});
            });
        });
        each([&](int first, int active) {
            const Value sum = builder_.load(sums_, first, {.lanes = pack_.lanes});
            const Value corrected = builder_.multiply(sum, constant(pack_.lanes, pack_.grouping.correction));
            builder_.store(places_.to, pack_.width * groups + first, corrected,
                           {.lanes = pack_.lanes, .active = active});
        });
    }

    const Pack& pack_;
    ir::Builder builder_;
    PanelPlaces places_;
    int lanes_;
    int group_;
    Scalar element_;
    ir::Buffer sums_ = 0;
};

} // namespace

ir::Program pack_groups(const Pack& pack) { return GroupWriter(pack).write(); }

} // namespace swirl::gemm
