#include "base/error.hpp"
#include "emit/ptx/ptx.hpp"
#include "formula/formula.hpp"
#include "lower/gpu/lowering.hpp"
#include "passes/pipeline.hpp"
#include "rules/rule.hpp"
#include "runtime/cuda/memory.hpp"
#include "runtime/cuda/module.hpp"
#include "support/first_gpu.hpp"
#include "target/gpu.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <vector>

namespace swirl {
namespace derived_kernels_test {

using namespace formula;
using namespace runtime;

struct Case {
    Integer batch, n;
    const char* tree;
    loops::LaunchConfiguration configuration;
};

/// A program on a GPU: its module, its tables in the GPU's memory, and how it is launched.
class Launcher {
public:
    Launcher(const GpuDevice& device, const GpuStream& stream, const ir::Program& program)
        : stream_(stream), program_(program) {
        const emit::PtxOptions options{.target = std::string(device.target().name)};
        const emit::PtxInterface interface = emit::ptx_interface(program, options);
        kernel_.emplace(GpuModule::from_ptx(device, emit::ptx(program, options)).kernel(interface.entry));
        shared_bytes_ = static_cast<unsigned>(interface.dynamic_shared_bytes);
        if (shared_bytes_ > 0) kernel_->allow_shared_bytes(static_cast<int>(shared_bytes_));
        for (const emit::PtxParameter& parameter : interface.parameters) {
            const ir::BufferInfo& buffer = program.buffers[static_cast<std::size_t>(parameter.position)];
            addresses_.push_back(buffer.contents ? table(device, buffer) : cuda::Address{0});
            is_table_.push_back(buffer.contents != nullptr);
        }
    }

    const GpuKernel& kernel() const { return *kernel_; }

    void launch(std::vector<cuda::Address> arguments) {
        std::vector<cuda::Address> all = addresses_;
        std::size_t next = 0;
        for (std::size_t k = 0; k < all.size(); ++k)
            if (!is_table_[k]) all[k] = arguments.at(next++);
        std::vector<void*> pointers;
        for (cuda::Address& address : all) pointers.push_back(&address);
        const auto extent = [](const std::array<Integer, 3>& e) {
            return GpuExtent{static_cast<unsigned>(e[0]), static_cast<unsigned>(e[1]),
                             static_cast<unsigned>(e[2])};
        };
        kernel_->launch_with({.grid = extent(program_.launch.blocks),
                              .block = extent(program_.launch.threads),
                              .shared_bytes = shared_bytes_},
                             stream_, pointers);
    }

private:
    cuda::Address table(const GpuDevice& device, const ir::BufferInfo& buffer) {
        const bool is_double = buffer.element == DataType::float64;
        std::vector<std::byte> bytes;
        for (Integer i = 0; i < buffer.contents->size(); ++i) {
            const long double value = (*buffer.contents)[i];
            const double d = static_cast<double>(value);
            const float f = static_cast<float>(value);
            const auto* from =
                is_double ? reinterpret_cast<const std::byte*>(&d) : reinterpret_cast<const std::byte*>(&f);
            bytes.insert(bytes.end(), from, from + (is_double ? sizeof d : sizeof f));
        }
        tables_.emplace_back(device, bytes.size());
        copy_to_gpu(stream_, tables_.back().address(), bytes.data(), bytes.size());
        stream_.synchronize();
        return tables_.back().address();
    }

    const GpuStream& stream_;
    const ir::Program& program_;
    std::optional<GpuKernel> kernel_;
    unsigned shared_bytes_ = 0;
    std::vector<cuda::Address> addresses_;
    std::vector<bool> is_table_;
    std::vector<GpuBuffer> tables_;
};

class DerivedKernels : public support::FirstGpu {
protected:
    template <class T> double error_of(const Case& c, DataType scalar) {
        const Formula transform = rules::expand(DFT(c.n), rules::parse_tree(c.tree));
        const Formula formula = kron({I(c.batch), transform});
        const ir::Program program = passes::run_for_gpu(
            lower::lower_to_gpu({.name = "kernel",
                                 .loops = {.formula = formula,
                                           .scalar = scalar,
                                           .input = loops::Layout::contiguous(formula.columns()),
                                           .output = loops::Layout::contiguous(formula.rows())}},
                                {c.configuration})
                .front());
        Launcher launcher(*device, *stream, program);
        std::mt19937 generator(9);
        std::uniform_real_distribution<float> uniform(-1, 1);
        const auto entries = static_cast<std::size_t>(formula.columns());
        std::vector<std::complex<T>> x(entries), y(entries);
        std::vector<Complex> precise(entries);
        for (std::size_t i = 0; i < entries; ++i) {
            x[i] = {uniform(generator), uniform(generator)};
            precise[i] = {x[i].real(), x[i].imag()};
        }
        const std::size_t bytes = entries * sizeof x[0];
        const GpuBuffer in(*device, bytes), out(*device, bytes);
        fill_on_gpu(*stream, out.address(), 0xff, bytes);
        copy_to_gpu(*stream, in.address(), x.data(), bytes);
        launcher.launch({in.address(), out.address()});
        copy_from_gpu(*stream, y.data(), out.address(), bytes);
        stream->synchronize();
        const auto expected = formula::apply(formula, precise);
        long double difference = 0, norm = 0;
        for (std::size_t i = 0; i < entries; ++i) {
            difference += std::norm(Complex(y[i].real(), y[i].imag()) - expected[i]);
            norm += std::norm(expected[i]);
        }
        return static_cast<double>(std::sqrt(difference / norm));
    }
};

TEST_F(DerivedKernels, EqualTheirFormulas) {
    const Case cases[] = {
        {1, 64, "stockham(8,8)", {8, 1}},
        {1001, 64, "stockham(8,8)", {128, 16, 32}},
        {77, 256, "stockham(16,16)", {128, 8, 32}},
        {33, 60, "stockham(10,6)", {30, 5}},
        {50, 1024, "stockham(16,8,8)", {128, 2, 32}},
        {9, 1000, "stockham(10,10,10)", {100, 1}},
        {5, 4096, "stockham(16,16,16)", {256, 1, 32}},
        {3, 105, "stockham(7,5,3)", {45, 3}},
        {19, 16, "codelet", {32, 32}},
        {2, 8192, "stockham(16,16,32)", {256, 1, 32}},
    };
    for (const Case& c : cases) {
        EXPECT_LT(error_of<float>(c, DataType::float32), 5e-7) << c.n << " " << c.tree;
        if (c.n > 4096) continue;
        EXPECT_LT(error_of<double>(c, DataType::float64), 1e-15) << c.n << " " << c.tree;
    }
}

} // namespace derived_kernels_test
} // namespace swirl
