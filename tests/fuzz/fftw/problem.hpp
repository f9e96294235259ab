#pragma once

#include <fuzzer/FuzzedDataProvider.h>
#include <swirl-fftw/fftw3.h>
#include <swirl/kinds.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace swirl::fuzz {

/// A loop: its length, and its strides in elements on both sides.
using Loop = fftw_iodim64;

/// Bytes from the element with index 0: from `lowest` to before `end`.
struct Extent {
    Integer lowest = 0, end = 0;

    Extent with(const Extent& other) const {
        return {std::min(lowest, other.lowest), std::max(end, other.end)};
    }
};

/// What a call of a planner describes, whether or not it can be planned.
struct Problem {
    enum class Kind : std::uint8_t { dft, r2c, c2r, r2r };
    enum class Interface : std::uint8_t { many, guru, guru64, split };

    Kind kind = Kind::dft;
    Interface interface = Interface::guru64;
    bool in_place = false;
    int sign = FFTW_FORWARD;
    unsigned flags = FFTW_ESTIMATE;
    std::vector<Loop> dimensions, loops;
    std::vector<fftw_r2r_kind> kinds;
    std::vector<int> input_embedding, output_embedding; ///< of many, one for each dimension

    bool is_complex(bool input) const {
        return kind == Kind::dft || (kind == Kind::r2c && !input) || (kind == Kind::c2r && input);
    }
    bool is_split() const { return interface == Interface::split; }
    /// Real numbers of an element of one array.
    Integer scalars(bool input) const { return is_complex(input) && !is_split() ? 2 : 1; }

    /// The loops over the elements of one side; the last dimension of a half spectrum is shorter.
    std::vector<Loop> side(bool input) const {
        std::vector<Loop> all = dimensions;
        if ((kind == Kind::r2c || kind == Kind::c2r) && is_complex(input) && !all.empty())
            all.back().n = all.back().n / 2 + 1;
        all.insert(all.end(), loops.begin(), loops.end());
        return all;
    }
    static Integer stride(const Loop& loop, bool input) { return input ? loop.is : loop.os; }

    Extent extent(bool input, Integer scalar_bytes) const {
        const Integer unit = stride_bytes(input, scalar_bytes);
        Extent extent{0, scalars(input) * scalar_bytes};
        for (const Loop& loop : side(input)) {
            const Integer reach = (std::max<Integer>(loop.n, 1) - 1) * stride(loop, input) * unit;
            (reach < 0 ? extent.lowest : extent.end) += reach;
        }
        return extent;
    }
    /// Calls f with the offset in bytes of each element of a side.
    template <class F> void for_each_element(bool input, Integer scalar_bytes, F&& f) const {
        const std::vector<Loop> loops = side(input);
        const Integer unit = stride_bytes(input, scalar_bytes);
        const auto visit = [&](auto&& self, std::size_t depth, Integer offset) -> void {
            if (depth == loops.size()) return f(offset);
            for (Integer i = 0; i < loops[depth].n; ++i)
                self(self, depth + 1, offset + i * stride(loops[depth], input) * unit);
        };
        visit(visit, 0, 0);
    }

private:
    /// FFTW counts strides of interleaved complex data in complex elements, and of split and real data in real numbers.
    Integer stride_bytes(bool input, Integer scalar_bytes) const { return scalars(input) * scalar_bytes; }
};

/// Most lengths and strides make sense, some do not.
Problem draw_problem(FuzzedDataProvider& bytes);

} // namespace swirl::fuzz
