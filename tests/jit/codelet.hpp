#pragma once

#include "ir/builder.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace swirl::jit::test {

/// Complex DFT codelets as straight-line blocks of scalar operations, by conjugate-pair split radix.
class Codelet {
public:
    struct Complex {
        ir::Value re, im;
    };

    /// `columns` transforms of n points side by side: element j of column c at j·columns + c, planar. A loop over
    /// blocks of `lanes` columns around a loop over lanes.
    static ir::Program columns(int n, int columns, int lanes, DataType scalar) {
        ir::Builder builder("dft" + std::to_string(n), {.share = true});
        const Integer size = Integer{n} * columns;
        const ir::Buffer in_re = builder.input("in_re", scalar, size),
                         in_im = builder.input("in_im", scalar, size);
        const ir::Buffer out_re = builder.output("out_re", scalar, size);
        const ir::Buffer out_im = builder.output("out_im", scalar, size);
        builder.for_loop("block", columns / lanes, [&](const Affine& block) {
            builder.for_loop("lane", 0, lanes, 1, ir::For::Kind::vector, [&](const Affine& lane) {
                std::vector<Complex> x;
                for (int j = 0; j < n; ++j) {
                    const Affine at = block * lanes + lane + j * columns;
                    x.push_back({builder.load(in_re, at), builder.load(in_im, at)});
                }
                const std::vector<Complex> y = Codelet{builder, scalar}.dft(x);
                for (int k = 0; k < n; ++k) {
                    const Affine at = block * lanes + lane + k * columns;
                    builder.store(out_re, at, y[static_cast<std::size_t>(k)].re);
                    builder.store(out_im, at, y[static_cast<std::size_t>(k)].im);
                }
            });
        });
        return builder.finish();
    }

    Complex add(Complex a, Complex b) { return {builder.add(a.re, b.re), builder.add(a.im, b.im)}; }
    Complex subtract(Complex a, Complex b) {
        return {builder.subtract(a.re, b.re), builder.subtract(a.im, b.im)};
    }
    Complex times_minus_i(Complex a) { return {a.im, builder.negate(a.re)}; }

    /// a·(c ∓ i·s), the lower sign for the conjugate.
    Complex rotate(Complex a, int k, int n, bool conjugate) {
        if (k == 0) return a;
        const double angle = 2 * std::numbers::pi * k / n;
        const ir::Value c = builder.constant({scalar, 1}, std::cos(angle));
        const ir::Value s = builder.constant({scalar, 1}, conjugate ? -std::sin(angle) : std::sin(angle));
        return {builder.add(builder.multiply(a.re, c), builder.multiply(a.im, s)),
                builder.subtract(builder.multiply(a.im, c), builder.multiply(a.re, s))};
    }

    std::vector<Complex> dft(const std::vector<Complex>& x) {
        const int n = static_cast<int>(x.size());
        const auto at = [&](int j) { return x[static_cast<std::size_t>((j + n) % n)]; };
        if (n == 1) return x;
        if (n == 2) return {add(x[0], x[1]), subtract(x[0], x[1])};
        std::vector<Complex> even, odd, opposite;
        for (int j = 0; j < n / 2; ++j) even.push_back(at(2 * j));
        for (int j = 0; j < n / 4; ++j) odd.push_back(at(4 * j + 1));
        for (int j = 0; j < n / 4; ++j) opposite.push_back(at(4 * j - 1));
        const auto e = dft(even), o = dft(odd), p = dft(opposite);
        std::vector<Complex> y(x.size());
        for (int k = 0; k < n / 4; ++k) {
            const auto index = [&](int j) { return static_cast<std::size_t>(j); };
            const Complex u = rotate(o[index(k)], k, n, false), v = rotate(p[index(k)], k, n, true);
            const Complex sum = add(u, v), difference = times_minus_i(subtract(u, v));
            y[index(k)] = add(e[index(k)], sum);
            y[index(k + n / 2)] = subtract(e[index(k)], sum);
            y[index(k + n / 4)] = add(e[index(k + n / 4)], difference);
            y[index(k + 3 * n / 4)] = subtract(e[index(k + n / 4)], difference);
        }
        return y;
    }

    ir::Builder& builder;
    DataType scalar;
};

} // namespace swirl::jit::test
