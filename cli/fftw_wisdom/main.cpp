/// fftw-wisdom and fftwf-wisdom: plan transforms through FFTW's interface and write the wisdom. The options are those of
/// FFTW's program of this name, fftw-wisdom(1).
#include <swirl/version.hpp>

#include "base/error.hpp"
#include "cli/fftw_wisdom/interface.hpp"
#include "cli/fftw_wisdom/size.hpp"
#include "cli/output.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace swirl::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct WisdomOptions {
    std::vector<std::string> sizes; ///< words, or - for standard input
    bool canonical = false;
    bool measure = false, estimate = false, exhaustive = false;
    bool no_system_wisdom = false;
    std::vector<std::string> wisdom_files; ///< or - for standard input
    std::string output_file;               ///< empty: standard output
    double hours = 0;                      ///< 0: no limit
    int threads = 1;
    int verbosity = 0;

    unsigned flags() const {
        return estimate     ? FFTW_ESTIMATE
               : exhaustive ? FFTW_EXHAUSTIVE
               : measure    ? FFTW_MEASURE
                            : FFTW_PATIENT;
    }
};

void declare(CLI::App& program, WisdomOptions& options) {
    program.set_help_flag("-h,--help", "Print help and exit");
    program.set_version_flag("-V,--version", fmt::format("{} (swirl {})", SWIRL_PROGRAM, version()),
                             "Print the version and exit");
    program.add_option("SIZE", options.sizes,
                       "Transforms, such as cif1024; - reads them from standard input");
    program.add_flag("-v,--verbose", options.verbosity,
                     "Print each transform to standard error; -vv: its plan, too");
    program.add_flag(
        "-c,--canonical", options.canonical,
        "Plan powers of two and of ten up to 2^20, complex and real, of one, two and three dimensions");
    program.add_option("-t,--time-limit", options.hours, "Stop after so many hours; 0: never")
        ->check(CLI::NonNegativeNumber)
        ->type_name("HOURS");
    program
        .add_option("-o,--output-file", options.output_file,
                    "Write wisdom to this file, not to standard output")
        ->type_name("FILE");
    CLI::Option* const measure = program.add_flag("-m,--measure", options.measure, "Plan as FFTW_MEASURE");
    CLI::Option* const estimate =
        program.add_flag("-e,--estimate", options.estimate, "Plan as FFTW_ESTIMATE");
    CLI::Option* const exhaustive = program.add_flag("-x,--exhaustive", options.exhaustive,
                                                     "Plan as FFTW_EXHAUSTIVE; default: as FFTW_PATIENT");
    estimate->excludes(measure);
    exhaustive->excludes(measure)->excludes(estimate);
    program.add_flag("-n,--no-system-wisdom", options.no_system_wisdom, "Do not read the system's wisdom");
    program
        .add_option("-w,--wisdom-file", options.wisdom_files,
                    "Read wisdom from this file; - is standard input")
        ->type_name("FILE")
        ->allow_extra_args(false);
    program.add_option("-T,--threads", options.threads, "Plan for so many threads")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    program.footer(
        "A size is a type, c (complex), r (real to complex, or back) or k (real to real); i (in place) or o "
        "(out of place);\nf (forward) or b (backward), not for k; and the lengths: cif12x13x14, rob65536. "
        "For "
        "k a kind follows each length,\nf (R2HC), b (HC2R), h (DHT), e00 … e11 (REDFT00 … REDFT11) or o00 … "
        "o11 (RODFT00 … RODFT11): ki10hx20e01.");
}

void read_wisdom(const std::string& file) {
    if (file == "-" ? FFTW(import_wisdom_from_file)(stdin) == 0
                    : FFTW(import_wisdom_from_filename)(file.c_str()) == 0)
        throw UserError("'{}' cannot be read or holds no wisdom", file);
}

std::vector<Size> sizes_of(const WisdomOptions& options) {
    std::vector<Size> sizes = options.canonical ? canonical_sizes() : std::vector<Size>{};
    for (const std::string& word : options.sizes) {
        if (word != "-") {
            sizes.push_back(parse_size(word));
            continue;
        }
        for (std::string read; std::cin >> read;) sizes.push_back(parse_size(read));
    }
    std::stable_sort(sizes.begin(), sizes.end(),
                     [](const Size& a, const Size& b) { return a.elements() < b.elements(); });
    return sizes;
}

struct FreeArray {
    void operator()(void* array) const { FFTW(free)(array); }
};
using Array = std::unique_ptr<void, FreeArray>;

/// Memory for any side of the transform: a row of n takes at most n + 1 complex elements.
Array array_of(const Size& size) {
    const double elements = size.elements() + size.elements() / size.lengths.back();
    Array array(FFTW(malloc)(static_cast<std::size_t>(elements * sizeof(FFTW(complex)))));
    if (!array) throw OutOfMemory("no memory for the data of '{}'", to_text(size));
    return array;
}

FFTW(complex) * complex(const Array& array) { return static_cast<FFTW(complex)*>(array.get()); }
Real* real(const Array& array) { return static_cast<Real*>(array.get()); }

FFTW(plan) plan(const Size& size, unsigned flags) {
    const Array input = array_of(size), separate = size.in_place ? Array() : array_of(size);
    const Array& output = size.in_place ? input : separate;
    const auto rank = static_cast<int>(size.lengths.size());
    const int* const n = size.lengths.data();
    switch (size.type) {
    case Size::Type::complex:
        return FFTW(plan_dft)(rank, n, complex(input), complex(output),
                              size.forward ? FFTW_FORWARD : FFTW_BACKWARD, flags);
    case Size::Type::real:
        return size.forward ? FFTW(plan_dft_r2c)(rank, n, real(input), complex(output), flags)
                            : FFTW(plan_dft_c2r)(rank, n, complex(input), real(output), flags);
    case Size::Type::real_to_real:
        return FFTW(plan_r2r)(rank, n, real(input), real(output), size.kinds.data(), flags);
    }
    throw InternalError("a size of no type");
}

/// Plans all sizes until the time is up.
void gather(const std::vector<Size>& sizes, const WisdomOptions& options) {
    const auto begin = Clock::now();
    for (const Size& size : sizes) {
        if (options.hours > 0) {
            const double left =
                options.hours * 3600 - std::chrono::duration<double>(Clock::now() - begin).count();
            if (left <= 0) {
                fmt::print(stderr, SWIRL_PROGRAM ": the time is up before {}\n", to_text(size));
                return;
            }
            FFTW(set_timelimit)(left);
        }
        if (options.verbosity > 0) fmt::print(stderr, "{}\n", to_text(size));
        const FFTW(plan) planned = plan(size, options.flags());
        if (planned == nullptr) throw UserError("there is no plan for '{}'", to_text(size));
        if (options.verbosity > 1) {
            FFTW(fprint_plan)(planned, stderr);
            fmt::print(stderr, "\n");
        }
        FFTW(destroy_plan)(planned);
    }
}

std::string wisdom() {
    const std::unique_ptr<char, decltype(&std::free)> text(FFTW(export_wisdom_to_string)(), &std::free);
    if (!text) throw OutOfMemory("no memory for the wisdom");
    return text.get();
}

void run(const WisdomOptions& options) {
    const std::vector<Size> sizes = sizes_of(options);
    if (!options.no_system_wisdom) FFTW(import_system_wisdom)();
    for (const std::string& file : options.wisdom_files) read_wisdom(file);
    FFTW(plan_with_nthreads)(options.threads);
    gather(sizes, options);
    if (options.output_file.empty())
        print(wisdom());
    else
        write_file(options.output_file, wisdom());
}

} // namespace
} // namespace swirl::cli

int main(int count, char** arguments) {
    using namespace swirl::cli;
    CLI::App program("Plans transforms and writes the wisdom, which programs import.", SWIRL_PROGRAM);
    WisdomOptions options;
    declare(program, options);
    const auto complain = [](const std::string& message, int status) {
        fmt::print(stderr, SWIRL_PROGRAM ": {}\n", message);
        return status;
    };
    try {
        program.parse(count, arguments);
        run(options);
        return 0;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return program.exit(error); // help or version
        return complain(fmt::format("{}; see {} --help", error.what(), SWIRL_PROGRAM), 2);
    } catch (const swirl::UserError& error) {
        return complain(error.what(), 2);
    } catch (const std::exception& error) {
        return complain(error.what(), 1);
    }
}
