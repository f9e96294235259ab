#include "cufft/definition.hpp"
#include "cufft/fake_gpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>

namespace swirl::cufft {
namespace random_layouts_test {

using Generator = std::mt19937_64;

Integer draw(Generator& generator, Integer least, Integer most) {
    return std::uniform_int_distribution<Integer>(least, most)(generator);
}

struct Case {
    Kind kind;
    std::vector<Integer> lengths;
    Integer batch = 1;
    bool in_place = false;
    bool is_default = true;
    Indexing indexing;
    int sign = forward_sign;

    bool is_complex(int side) const {
        return kind.sides == Kind::Sides::complex ||
               (side == 0) == (kind.sides == Kind::Sides::complex_to_real);
    }
    std::vector<Integer> stored_on(int side) const {
        return stored(lengths, is_complex(side) && kind.sides != Kind::Sides::complex);
    }
};

/// Contiguous; in place rows of reals have room for their spectra.
void lay_out_by_default(Case& one) {
    for (int side = 0; side < 2; ++side) {
        auto& embedding = one.indexing.embedding[side];
        embedding = one.stored_on(side);
        if (one.in_place && !one.is_complex(side)) embedding.back() = 2 * (one.lengths.back() / 2 + 1);
        one.indexing.distance[side] = 1;
        for (const Integer n : embedding) one.indexing.distance[side] *= n;
    }
}

/// With gaps; transforms one after the other, or interleaved. In place, reals lie where their spectra do.
void lay_out(Case& one, Generator& generator) {
    const bool interleaved = draw(generator, 0, 2) == 0 && one.batch > 1;
    for (int side = 0; side < 2; ++side) {
        auto& embedding = one.indexing.embedding[side];
        embedding = one.stored_on(side);
        for (Integer& n : embedding) n += draw(generator, 0, 2);
        Integer elements = 1;
        for (const Integer n : embedding) elements *= n;
        one.indexing.stride[side] = interleaved ? one.batch + draw(generator, 0, 1) : draw(generator, 1, 3);
        one.indexing.distance[side] =
            interleaved ? 1 : elements * one.indexing.stride[side] + draw(generator, 0, 3);
    }
    if (!one.in_place) return;
    const bool is_real = one.kind.sides != Kind::Sides::complex;
    const int whole = is_real && one.is_complex(0) ? 0 : 1, other = 1 - whole;
    if (is_real) { // pairs of reals are elements of the spectrum
        one.indexing.stride[whole] = 1;
        one.indexing.distance[whole] = 1;
        for (const Integer n : one.indexing.embedding[whole]) one.indexing.distance[whole] *= n;
        one.indexing.distance[whole] += draw(generator, 0, 3);
    }
    one.indexing.embedding[other] = one.indexing.embedding[whole];
    if (is_real) one.indexing.embedding[other].back() *= 2;
    one.indexing.stride[other] = one.indexing.stride[whole];
    one.indexing.distance[other] = one.indexing.distance[whole] * (is_real ? 2 : 1);
}

Case drawn(Generator& generator) {
    Case one;
    const DataType precisions[] = {DataType::float32, DataType::float64, DataType::float16,
                                   DataType::bfloat16};
    one.kind = {static_cast<Kind::Sides>(draw(generator, 0, 2)), precisions[draw(generator, 0, 3)]};
    const Integer rank = draw(generator, 1, 3), most = rank == 1 ? 40 : rank == 2 ? 9 : 5;
    for (Integer k = 0; k < rank; ++k) one.lengths.push_back(draw(generator, 1, most));
    one.batch = draw(generator, 0, 1) == 0 ? 1 : draw(generator, 2, 4);
    one.in_place = draw(generator, 0, 1) == 1;
    one.is_default = draw(generator, 0, 1) == 1;
    one.sign = draw(generator, 0, 1) == 0 ? forward_sign : inverse_sign;
    if (one.kind.sides == Kind::Sides::real_to_complex) one.sign = forward_sign;
    if (one.kind.sides == Kind::Sides::complex_to_real) one.sign = inverse_sign;
    one.indexing.lengths = one.lengths;
    one.indexing.batch = one.batch;
    if (one.is_default)
        lay_out_by_default(one);
    else
        lay_out(one, generator);
    return one;
}

std::string text_of(const Case& one) {
    std::string text = "sides " + std::to_string(static_cast<int>(one.kind.sides)) + " bytes " +
                       std::to_string(bytes_of(one.kind.precision)) + " lengths";
    for (const Integer n : one.lengths) text += " " + std::to_string(n);
    text += " batch " + std::to_string(one.batch) + (one.in_place ? " in place" : "") +
            (one.is_default ? " default" : "") + " sign " + std::to_string(one.sign);
    for (int side = 0; side < 2; ++side) {
        text += " | embedding";
        for (const Integer n : one.indexing.embedding[side]) text += " " + std::to_string(n);
        text += " stride " + std::to_string(one.indexing.stride[side]) + " distance " +
                std::to_string(one.indexing.distance[side]);
    }
    return text;
}

ElementType element_type(DataType precision, bool is_complex) {
    switch (precision) {
    case DataType::float16: return is_complex ? ElementType::complex_float16 : ElementType::real_float16;
    case DataType::bfloat16: return is_complex ? ElementType::complex_bfloat16 : ElementType::real_bfloat16;
    case DataType::float32: return is_complex ? ElementType::complex_float32 : ElementType::real_float32;
    default: return is_complex ? ElementType::complex_float64 : ElementType::real_float64;
    }
}

/// Random elements: for a half spectrum that of random reals.
void fill(Case& one, Data& input, Generator& generator) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto for_each = [&](const std::vector<Integer>& lengths, auto&& f) {
        std::vector<Integer> index(lengths.size(), 0);
        for (;;) {
            f(index);
            std::size_t k = lengths.size();
            while (k > 0 && ++index[k - 1] == lengths[k - 1]) index[--k] = 0;
            if (k == 0) return;
        }
    };
    for (Integer b = 0; b < one.batch; ++b) {
        if (one.kind.sides != Kind::Sides::complex_to_real) {
            for_each(one.stored_on(0), [&](const auto& index) {
                input.set(one.indexing.at(0, b, index), {uniform(generator), uniform(generator)});
            });
            continue;
        }
        for_each(one.stored_on(0), [&](const auto& index) { // rounded random numbers, then symmetrical
            input.set(one.indexing.at(0, b, index), {uniform(generator), uniform(generator)});
        });
        for_each(one.stored_on(0), [&](const auto& index) {
            std::vector<Integer> mirrored = index;
            for (std::size_t k = 0; k < index.size(); ++k)
                mirrored[k] = (one.lengths[k] - index[k]) % one.lengths[k];
            if (mirrored.back() != index.back()) return;
            const Integer at = one.indexing.at(0, b, index), other = one.indexing.at(0, b, mirrored);
            Value value = input.get(at);
            if (at == other) value = value.real();
            input.set(at, value);
            input.set(other, std::conj(value));
        });
    }
}

Handle planned(const Case& one, Generator& generator) {
    Handle handle = 0;
    EXPECT_EQ(cufftCreate(&handle), Status::success);
    std::size_t bytes = 0;
    std::vector<Long> lengths(one.lengths.begin(), one.lengths.end()),
        in(one.indexing.embedding[0].begin(), one.indexing.embedding[0].end()),
        out(one.indexing.embedding[1].begin(), one.indexing.embedding[1].end());
    in[0] = out[0] = draw(generator, 1, 100); // has no meaning
    const auto rank = static_cast<int>(lengths.size());
    const Indexing& i = one.indexing;
    const ElementType values = element_type(one.kind.precision, true);
    EXPECT_EQ(
        cufftXtMakePlanMany(handle, rank, lengths.data(), one.is_default ? nullptr : in.data(), i.stride[0],
                            i.distance[0], element_type(one.kind.precision, one.is_complex(0)),
                            one.is_default ? nullptr : out.data(), i.stride[1], i.distance[1],
                            element_type(one.kind.precision, one.is_complex(1)), one.batch, &bytes, values),
        Status::success);
    return handle;
}

long double tolerance(DataType precision) {
    switch (precision) {
    case DataType::float16: return 4e-3L;
    case DataType::bfloat16: return 4e-2L;
    case DataType::float32: return 2e-6L;
    default: return 1e-14L;
    }
}

class RandomLayouts : public CufftOnFakeGpu {};

TEST_F(RandomLayouts, GiveTheSumsOfTheDefinition) {
    const char* const of_user = std::getenv("SWIRL_CUFFT_SEED");
    const char* const count = std::getenv("SWIRL_CUFFT_COUNT");
    const std::uint64_t seed = of_user != nullptr ? std::strtoull(of_user, nullptr, 10) : 20261201;
    Generator generator(seed);
    for (int k = 0; k < (count != nullptr ? std::atoi(count) : 40); ++k) {
        Case one = drawn(generator);
        SCOPED_TRACE("seed " + std::to_string(seed) + " case " + std::to_string(k) + ": " + text_of(one));
        const Integer unit[2] = {one.is_complex(0) ? 2 : 1, one.is_complex(1) ? 2 : 1};
        const Integer elements[2] = {one.indexing.elements(0, one.stored_on(0)),
                                     one.indexing.elements(1, one.stored_on(1))};
        const Integer scalars = std::max(elements[0] * unit[0], elements[1] * unit[1]);
        Data input(one.kind.precision, one.is_complex(0),
                   one.in_place ? (scalars + 1) / unit[0] + 1 : elements[0]);
        Data output(one.kind.precision, one.is_complex(1),
                    one.in_place ? (scalars + 1) / unit[1] + 1 : elements[1]);
        fill(one, input, generator);
        const Handle handle = planned(one, generator);
        const Data before = input;
        void* const in = input.bytes.data();
        void* const out = one.in_place ? in : output.bytes.data();
        ASSERT_EQ(cufftXtExec(handle, in, out, one.sign), Status::success);
        Request asked{one.kind, one.lengths, one.batch, {}};
        if (!one.is_default)
            asked.layout = {{one.indexing.embedding[0], one.indexing.stride[0], one.indexing.distance[0]},
                            {one.indexing.embedding[1], one.indexing.stride[1], one.indexing.distance[1]}};
        run_launched(asked, in, out);
        if (one.in_place)
            std::memcpy(output.bytes.data(), in, std::min(output.bytes.size(), input.bytes.size()));
        else
            EXPECT_EQ(input.bytes, before.bytes) << "the input is changed";
        EXPECT_LT(error_of(one.kind, one.indexing, one.sign, before, output), tolerance(one.kind.precision));
        EXPECT_EQ(cufftDestroy(handle), Status::success);
    }
}

} // namespace random_layouts_test
} // namespace swirl::cufft
