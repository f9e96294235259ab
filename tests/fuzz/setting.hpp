#pragma once

#include "fuzz/draw_transform.hpp"
#include "fuzz/journal.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace swirl::fuzz {

class GuardedMemory;
class ProductData;
class TransformData;

/// What is done to arrays after each execution, before they are looked at: tests of this program plant errors there, and all have to
/// be found. `workspace` is the one that was brought.
struct Tampering {
    std::function<void(TransformData&, GuardedMemory& workspace)> transform = {};
    std::function<void(ProductData&, GuardedMemory* reduced)> product = {};
};

/// What a worker works with, the same for all of its cases.
struct Setting {
    std::string cpu; ///< whose code it tests
    bool on_gpu = false;
    Limits limits = {};
    double tolerance = 4; ///< of transforms, in units of ε·√log₂n
    Tampering tampering = {};
};

/// One case of a target: draws something by the seed, runs it and throws a Failure, or lets an error of swirl's
/// through, where it is wrong.
using Case = void (*)(std::uint64_t seed, const Setting& setting, Journal& journal);

void fuzz_transform(std::uint64_t seed, const Setting& setting, Journal& journal);
void fuzz_callbacks(std::uint64_t seed, const Setting& setting, Journal& journal);
void fuzz_product(std::uint64_t seed, const Setting& setting, Journal& journal);
void fuzz_formula(std::uint64_t seed, const Setting& setting, Journal& journal);
void fuzz_kernel(std::uint64_t seed, const Setting& setting, Journal& journal);
void fuzz_wisdom(std::uint64_t seed, const Setting& setting, Journal& journal);
void fuzz_text(std::uint64_t seed, const Setting& setting, Journal& journal);
void fuzz_gpu_transform(std::uint64_t seed, const Setting& setting, Journal& journal);
void fuzz_gpu_wisdom(std::uint64_t seed, const Setting& setting, Journal& journal);
void fuzz_gpu_product(std::uint64_t seed, const Setting& setting, Journal& journal);

} // namespace swirl::fuzz
