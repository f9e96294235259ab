#include "gemm/pack.hpp"

#include "base/error.hpp"
#include "gemm/complex_lanes.hpp"
#include "ir/builder.hpp"
#include "ir/transpose.hpp"

#include <algorithm>
#include <vector>

namespace swirl::gemm {

namespace {

using ir::Value;
using Source = Pack::Source;

/// Lanes that divide the panel's width into whole vectors.
int lanes_of(const Pack& pack) {
    int lanes = pack.lanes;
    while (pack.width % lanes != 0) lanes /= 2;
    return lanes;
}

class PanelBuilder {
public:
    explicit PanelBuilder(const Pack& pack)
        : pack_(pack),
          parts_(scalars_in(pack.number)),
          type_{scalar_of(pack.number), lanes_of(pack)},
          builder_("gemm_pack") {
        from_ = builder_.input("from", type_.scalar, parts_ * std::max<Integer>(pack.width, pack.most_depth));
        to_ = builder_.output("to", type_.scalar, pack.most_depth * pack.width * parts_);
    }

    ir::Program build() {
        const Affine steps = builder_.parameter("steps"), depth = builder_.parameter("depth");
        depth_stride_ = builder_.parameter("depth_stride");
        stride_ = builder_.parameter("stride");
        const int together = steps_together(pack_);
        if (pack_.source == Source::across_panel) {
            over_depth(0, depth, 1, [&](const Affine& k) { copy_step(k); });
            return builder_.finish();
        }
        if (together > 1) over_depth(0, steps, together, [&](const Affine& k) { transpose_steps(k); });
        over_depth(together > 1 ? steps : 0, depth, 1, [&](const Affine& k) { gather_step(k); });
        return builder_.finish();
    }

private:
    template <class F> void over_depth(const Affine& begin, const Affine& end, int step, F&& body) {
        builder_.for_loop("k", begin, end, step, ir::For::Kind::serial, body);
    }
    Affine place(const Affine& k, int part, int first) const {
        return parts_ * pack_.width * k + part * pack_.width + first;
    }
    Value constant_integer(Integer value) {
        return builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(value));
    }

    /// Stores the parts of some numbers of a step, imaginary ones with the sign that is asked for.
    void put(const Affine& k, int first, Parts parts, int lanes) {
        if (pack_.conjugated && parts_ == 2) parts[1] = builder_.negate(parts[1]);
        for (int part = 0; part < parts_; ++part)
            builder_.store(to_, place(k, part, first), parts[static_cast<std::size_t>(part)], {.lanes = lanes});
    }
    Parts zeros(ir::Type type) {
        const Value zero = builder_.constant(type, 0);
        return {zero, zero};
    }
    Parts get(const Affine& index, int lanes, int active, Value dynamic) {
        if (parts_ == 2) return load_pairs(builder_, from_, 2 * index, lanes, active, dynamic);
        return {builder_.load(from_, index, {.lanes = lanes, .active = active, .dynamic = dynamic}), ir::no_value};
    }

    /// Numbers next to each other stay so.
    void copy_step(const Affine& k) {
        const Value at = builder_.multiply(builder_.index(k), builder_.index(parts_ * depth_stride_));
        const Integer next_panel = parts_ * pack_.width;
        for (Integer ahead = 0; ahead < next_panel; ahead += scalars_in_line(type_.scalar))
            builder_.prefetch(from_, next_panel + ahead, at);
        for (int first = 0; first < pack_.width; first += type_.lanes) {
            const int active = std::clamp(pack_.count - first, 0, type_.lanes);
            put(k, first, active > 0 ? get(first, type_.lanes, active, at) : zeros(type_), type_.lanes);
        }
    }

    /// As many steps as a vector has lanes: squares of rows by steps are turned.
    void transpose_steps(const Affine& k) {
        const Value stride = builder_.index(parts_ * stride_);
        for (int first = 0; first < pack_.width; first += type_.lanes) {
            std::vector<Value> rows[2];
            for (int row = first; row < first + type_.lanes; ++row) {
                const Parts got = row < pack_.count
                                      ? get(k, type_.lanes, type_.lanes,
                                            builder_.multiply(stride, constant_integer(row)))
                                      : zeros(type_);
                for (int part = 0; part < parts_; ++part) rows[part].push_back(got[static_cast<std::size_t>(part)]);
            }
            std::vector<Value> columns[2];
            for (int part = 0; part < parts_; ++part)
                columns[part] = ir::columns_of_rows(builder_.writer(), rows[part], type_.lanes);
            for (int step = 0; step < type_.lanes; ++step) {
                const auto at = static_cast<std::size_t>(step);
                put(k + step, first, {columns[0][at], parts_ == 2 ? columns[1][at] : ir::no_value}, type_.lanes);
            }
        }
    }

    /// One number after the other.
    void gather_step(const Affine& k) {
        const Value stride = builder_.index(parts_ * stride_);
        const Value at = builder_.multiply(builder_.index(k), builder_.index(parts_ * depth_stride_));
        for (int row = 0; row < pack_.width; ++row)
            put(k, row,
                row < pack_.count
                    ? get(0, 1, 1, builder_.add(at, builder_.multiply(stride, constant_integer(row))))
                    : zeros({type_.scalar, 1}),
                1);
    }

    const Pack& pack_;
    int parts_;
    ir::Type type_;
    ir::Builder builder_;
    ir::Buffer from_, to_;
    Affine depth_stride_, stride_;
};

} // namespace

int steps_together(const Pack& pack) { return pack.source == Source::along_depth ? lanes_of(pack) : 1; }

ir::Program pack(const Pack& pack) {
    ensure(pack.count >= 1 && pack.count <= pack.width, "{} of {} rows or columns of a panel", pack.count,
           pack.width);
    return PanelBuilder(pack).build();
}

} // namespace swirl::gemm
