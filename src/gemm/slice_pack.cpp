#include "gemm/slice_pack.hpp"

#include "base/error.hpp"
#include "ir/builder.hpp"
#include "ir/transpose.hpp"
#include "target/x86/bfloat16_slices.hpp"

#include <algorithm>
#include <vector>

namespace swirl::gemm {

namespace {

using ir::Value;
using Source = Pack::Source;

constexpr int lanes = 16;
constexpr ir::Type vector = {ir::Scalar::float32, lanes};

class SlicePackWriter {
public:
    SlicePackWriter(ir::Builder& builder, const SlicePack& pack) : builder_(builder), pack_(pack) {
        from_ = builder.input("from", pack.from, (pack.most_depth + slice_tile - 1) * pack.most_stride);
        to_ = builder.output("to", ir::Scalar::bfloat16,
                             slice_panel(pack.slices, ceil_divide(pack.most_depth, Integer{slice_steps})));
        if (pack.is_scaled) scale_ = builder.input("scale", vector.scalar, 1);
        rest_ = builder.local("rest", vector.scalar, Integer{slice_steps} * lanes);
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
                    gather(k, slice_steps, first, count);
                    slice_rest(k, first);
                } else {
                    slice(k, first, pack_.source, [&](int half, int line) {
                        return scaled(source_line(k, lanes * half, line, first, count));
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
        builder_.for_loop(name, begin, end, slice_steps, ir::For::Kind::serial, body);
    }

    Value product(const Affine& count, const Affine& stride) {
        return builder_.multiply(builder_.index(count), builder_.index(stride));
    }

    /// Of the steps from k + `later` on: one step of all members of the panel from `first` on, or 16 steps of one member.
    Value source_line(const Affine& k, int later, int line, int first, int count) {
        if (pack_.source == Source::along_depth) {
            if (line >= count) return builder_.constant(vector, 0);
            const Value start = product(first + line, stride_);
            builder_.prefetch(from_, k + (later + 2 * slice_steps), start);
            return get(k + later, {.lanes = lanes, .dynamic = start});
        }
        const Affine step = k + (later + line);
        const Value start = product(step, depth_stride_);
        builder_.prefetch(from_, first, product(step + slice_steps, depth_stride_));
        return get(first, {.lanes = lanes, .active = count, .dynamic = start});
    }
    Value get(const Affine& at, const ir::Access& access) {
        const Value loaded = builder_.load(from_, at, access);
        return pack_.from == vector.scalar ? loaded : builder_.convert(loaded, vector.scalar);
    }

    Value scaled(Value x) {
        if (!pack_.is_scaled) return x;
        return builder_.multiply(x, builder_.splat(builder_.load(scale_, 0), lanes));
    }

    /// Copies some steps of some members to `rest`, step by step, with zeros for those that there are not.
    void gather(const Affine& k, const Affine& steps, int first, int count) {
        const Value zero = builder_.constant(vector, 0);
        for (Integer step = 0; step < slice_steps; ++step)
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
        slice(k, first, Source::across_panel, [&](int half, int line) {
            return scaled(builder_.load(rest_, Integer{lanes} * (lanes * half + line), {.lanes = lanes}));
        });
    }

    /// A group: line(half, l) is the vector l of the first or second 16 steps, of one step or one member as the source says.
    template <class Line> void slice(const Affine& k, int first, Source source, Line&& line) {
        const bool is_turned = (source == Source::along_depth) == (pack_.operand == SlicePack::Operand::a);
        std::vector<Value> halves[2];
        for (int half = 0; half < 2; ++half) {
            for (int l = 0; l < lanes; ++l) halves[half].push_back(line(half, l));
            if (is_turned) halves[half] = ir::columns_of_rows(builder_.writer(), halves[half], lanes);
        }
        // A group of all slices is so many times as long as its steps of both registers.
        const Affine group = slice_panel(pack_.slices, 1) / slice_steps * k + first / lanes * slice_register;
        for (int at = 0; at < lanes; ++at)
            put_slices(group + at * 2 * lanes, halves[0][static_cast<std::size_t>(at)],
                       halves[1][static_cast<std::size_t>(at)]);
    }

    void put_slices(const Affine& place, Value x, Value y) {
        // What is left of a float32 after two slices is a bfloat16.
        const int exact = pack_.from == ir::Scalar::bfloat16 ? 0 : 2;
        for (int slice = 0; slice < pack_.slices; ++slice) {
            const bool is_rounded = slice < exact;
            const Value x_slice = is_rounded ? rounded(x) : x, y_slice = is_rounded ? rounded(y) : y;
            builder_.store(to_, place + Integer{2} * slice * slice_register,
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
