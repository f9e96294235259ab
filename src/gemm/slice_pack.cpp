#include "gemm/slice_pack.hpp"

#include "base/error.hpp"
#include "ir/builder.hpp"
#include "ir/transpose.hpp"
#include "target/x86/bfloat16_slices.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace swirl::gemm {

namespace {

using ir::Value;
using Source = Pack::Source;

constexpr int lanes = target::x86::tile_rows;

class SlicePackWriter {
public:
    SlicePackWriter(ir::Builder& builder, const SlicePack& pack)
        : builder_(builder),
          pack_(pack),
          vector_{pack.is_of_bytes() ? ir::Scalar::int32 : ir::Scalar::float32, lanes},
          quarters_(pack.steps() / lanes),
          group_(2 * pack.slices * in_register()) {
        from_ = builder.input("from", pack.from, (pack.most_depth + slice_tile - 1) * pack.most_stride);
        to_ = builder.output("to", pack.is_of_bytes() ? ir::Scalar::int32 : ir::Scalar::bfloat16,
                             group_ * ceil_divide(pack.most_depth, Integer{pack.steps()}));
        if (pack.is_scaled) scale_ = builder.input("scale", vector_.scalar, 1);
        rest_ = builder.local("rest", vector_.scalar, Integer{pack.steps()} * lanes);
        steps_ = builder.parameter("steps");
        depth_ = builder.parameter("depth");
        depth_stride_ = builder.parameter("depth_stride");
        stride_ = builder.parameter("stride");
    }

    void write() {
        for (int first = 0; first < pack_.count; first += lanes) {
            const int count = std::min(lanes, pack_.count - first);
            over_groups("group", 0, steps_, [&](const Affine& k) {
                if (pack_.source == Source::neither) {
                    gather(k, pack_.steps(), first, count);
                    slice_rest(k, first);
                } else {
                    slice(k, first, pack_.source, [&](int quarter, int line) {
                        return scaled(source_line(k, lanes * quarter, line, first, count));
                    });
                }
            });
            over_groups("rest", steps_, depth_, [&](const Affine& k) {
                gather(k, depth_ - k, first, count);
                slice_rest(k, first);
            });
        }
    }

private:
    template <class F> void over_groups(const char* name, const Affine& begin, const Affine& end, F&& body) {
        builder_.for_loop(name, begin, end, pack_.steps(), ir::For::Kind::serial, body);
    }

    Value product(const Affine& count, const Affine& stride) {
        return builder_.multiply(builder_.index(count), builder_.index(stride));
    }

    /// Of the steps from k + `later` on: one step of all members of the panel from `first` on, or 16 steps of one member.
    Value source_line(const Affine& k, int later, int line, int first, int count) {
        if (pack_.source == Source::along_depth) {
            if (line >= count) return builder_.constant(vector_, 0);
            const Value start = product(first + line, stride_);
            builder_.prefetch(from_, k + (later + 2 * pack_.steps()), start);
            return get(k + later, {.lanes = lanes, .dynamic = start});
        }
        const Affine step = k + (later + line);
        const Value start = product(step, depth_stride_);
        builder_.prefetch(from_, first, product(step + pack_.steps(), depth_stride_));
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

    /// Copies some steps of some members to `rest`, step by step, with zeros for those that there are not.
    void gather(const Affine& k, const Affine& steps, int first, int count) {
        const Value zero = builder_.constant(vector_, 0);
        for (Integer step = 0; step < pack_.steps(); ++step)
            builder_.store(rest_, step * lanes, zero, {.lanes = lanes});
        builder_.for_loop("step", steps, [&](const Affine& step) {
            const Value start = product(k + step, depth_stride_);
            for (int member = 0; member < count; ++member) {
                const Value at = builder_.add(start, product(first + member, stride_));
                builder_.store(rest_, lanes * step + member, get(0, {.dynamic = at}));
            }
        });
    }

    void slice_rest(const Affine& k, int first) {
        slice(k, first, Source::across_panel, [&](int quarter, int line) {
            return scaled(builder_.load(rest_, Integer{lanes} * (lanes * quarter + line), {.lanes = lanes}));
        });
    }

    int in_register() const { return target::x86::tile_bytes / (pack_.is_of_bytes() ? 4 : 2); }

    /// A group: line(quarter, l) is the vector l of 16 steps, of one step or one member as the source says.
    template <class Line> void slice(const Affine& k, int first, Source source, Line&& line) {
        const bool is_turned = (source == Source::along_depth) == (pack_.operand == Operand::a);
        std::array<std::vector<Value>, 4> steps;
        for (int quarter = 0; quarter < quarters_; ++quarter) {
            std::vector<Value>& of_quarter = steps[static_cast<std::size_t>(quarter)];
            for (int l = 0; l < lanes; ++l) of_quarter.push_back(line(quarter, l));
            if (is_turned) of_quarter = ir::columns_of_rows(builder_.writer(), of_quarter, lanes);
        }
        // A group of all slices is so many times as long as its steps of both registers.
        const Affine group = group_ / pack_.steps() * k + first / lanes * in_register();
        for (std::size_t at = 0; at < lanes; ++at) {
            const Affine place = group + static_cast<Integer>(at) * (in_register() / lanes);
            if (pack_.is_of_bytes())
                put_bytes(place, {steps[0][at], steps[1][at], steps[2][at], steps[3][at]});
            else
                put_slices(place, steps[0][at], steps[1][at]);
        }
    }

    void put_bytes(const Affine& place, const std::array<Value, 4>& steps) {
        Value word = steps[0];
        for (std::size_t step = 1; step < steps.size(); ++step) {
            const Value shift = builder_.constant(vector_, static_cast<long double>(Integer{1} << 8 * step));
            word = builder_.add(word, builder_.multiply(steps[step], shift));
        }
        builder_.store(to_, place, word, {.lanes = lanes});
    }

    void put_slices(const Affine& place, Value x, Value y) {
        // What is left of a float32 after two slices is a bfloat16.
        const int exact = pack_.from == ir::Scalar::bfloat16 ? 0 : 2;
        for (int slice = 0; slice < pack_.slices; ++slice) {
            const bool is_rounded = slice < exact;
            const Value x_slice = is_rounded ? rounded(x) : x, y_slice = is_rounded ? rounded(y) : y;
            builder_.store(to_, place + Integer{2} * slice * in_register(),
                           builder_.instruction(target::x86::pairs_of_bfloat16(), {x_slice, y_slice}),
                           {.lanes = 2 * lanes});
            if (slice + 1 == pack_.slices) return;
            x = builder_.subtract(x, x_slice);
            y = builder_.subtract(y, y_slice);
        }
    }
    Value rounded(Value x) { return builder_.instruction(target::x86::rounded_to_bfloat16(), {x}); }

    ir::Builder& builder_;
    const SlicePack& pack_;
    ir::Type vector_;
    int quarters_;  ///< of a group, 16 steps each: halves of those of bfloat16
    Integer group_; ///< numbers in a panel for a group of steps
    ir::Buffer from_ = 0, to_ = 0, scale_ = 0, rest_ = 0;
    Affine steps_, depth_, depth_stride_, stride_;
};

} // namespace

ir::Program slice_pack(const SlicePack& pack) {
    ensure(pack.count >= 1 && pack.count <= slice_tile && pack.slices >= 1 && pack.slices <= 3,
           "{} rows or columns of a panel of {} slices", pack.count, pack.slices);
    ir::Builder builder("gemm_pack_slices");
    SlicePackWriter(builder, pack).write();
    return builder.finish();
}

} // namespace swirl::gemm
