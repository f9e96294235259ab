/// FFTW's interface under libFuzzer: plans of every kind, from arguments that make sense or not, on arrays between guard
/// zones; executions on these arrays and on others; wisdom, threads, plans printed.
#include "fuzz/fftw/interface.hpp"
#include "fuzz/fftw/problem.hpp"
#include "fuzz/guarded_memory.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

namespace swirl::fuzz {
namespace {

/// The arrays of one execution: of split complex data two on a side, of others one. In place, both sides have the same.
class Arrays {
public:
    Arrays(FuzzedDataProvider& bytes, const Problem& problem, Integer scalar_bytes) {
        const Extent input = problem.extent(true, scalar_bytes), output = problem.extent(false, scalar_bytes);
        const Extent both = input.with(output);
        const int inputs = problem.is_split() && problem.is_complex(true) ? 2 : 1;
        const int outputs = problem.is_split() && problem.is_complex(false) ? 2 : 1;
        for (int i = 0; i < (problem.in_place ? std::max(inputs, outputs) : inputs); ++i)
            input_.push_back(array(bytes, "input", problem.in_place ? both : input, scalar_bytes));
        for (int i = 0; i < outputs && !problem.in_place; ++i)
            output_.push_back(array(bytes, "output", output, scalar_bytes));
    }

    template <class T> T* input(std::size_t i = 0) const { return reinterpret_cast<T*>(input_[i].origin()); }
    template <class T> T* output(std::size_t i = 0) const {
        return reinterpret_cast<T*>((output_.empty() ? input_ : output_)[i].origin());
    }

    /// The same values in any arrays of a problem, of every sign and of sizes that no sum overflows.
    template <class R> void fill(const Problem& problem) {
        int next = 0;
        problem.for_each_element(true, sizeof(R), [&](Integer offset) {
            for (GuardedMemory& array : input_)
                for (Integer c = 0; c < problem.scalars(true); ++c) {
                    const R value = static_cast<R>((next++ * 7919) % 2003 - 1001) / R(1001);
                    std::memcpy(array.origin() + offset + c * static_cast<Integer>(sizeof(R)), &value,
                                sizeof(R));
                }
        });
    }
    void save() {
        for (GuardedMemory& array : input_) array.save();
        for (GuardedMemory& array : output_) array.save();
    }
    /// Nothing has changed since save().
    void require_untouched() const {
        for (const GuardedMemory& array : input_) array.require_unharmed();
        for (const GuardedMemory& array : output_) array.require_unharmed();
    }
    /// Nothing but the elements of the output has changed since save().
    void require_unharmed(const Problem& problem, Integer scalar_bytes) {
        std::vector<GuardedMemory>& written = output_.empty() ? input_ : output_;
        problem.for_each_element(false, scalar_bytes, [&](Integer offset) {
            for (GuardedMemory& array : written) array.allow(offset, problem.scalars(false) * scalar_bytes);
        });
        require_untouched();
    }
    std::vector<std::byte> result(const Problem& problem, Integer scalar_bytes) const {
        const std::vector<GuardedMemory>& written = output_.empty() ? input_ : output_;
        std::vector<std::byte> result;
        problem.for_each_element(false, scalar_bytes, [&](Integer offset) {
            for (const GuardedMemory& array : written) {
                const std::byte* const first = array.origin() + offset;
                result.insert(result.end(), first, first + problem.scalars(false) * scalar_bytes);
            }
        });
        return result;
    }

private:
    static GuardedMemory array(FuzzedDataProvider& bytes, const char* name, const Extent& extent,
                               Integer scalar_bytes) {
        using enum GuardedMemory::Fence;
        return {name, extent.lowest, extent.end, bytes.ConsumeIntegralInRange<Integer>(0, 7) * scalar_bytes,
                bytes.PickValueInArray({none, before, behind, behind})};
    }

    std::vector<GuardedMemory> input_, output_; ///< in place, no output
};

template <class R> typename Fftw<R>::Plan plan(const Problem& problem, const Arrays& arrays) {
    using Api = Fftw<R>;
    using Complex = typename Api::Complex;
    Complex *const ci = arrays.input<Complex>(), *const co = arrays.output<Complex>();
    R *const ri = arrays.input<R>(), *const ro = arrays.output<R>();
    const auto rank = static_cast<int>(problem.dimensions.size()),
               ranks = static_cast<int>(problem.loops.size());
    const Loop *const dimensions = problem.dimensions.data(), *const loops = problem.loops.data();
    const fftw_r2r_kind* const kinds = problem.kinds.data();
    const unsigned flags = problem.flags;
    const auto narrow = [](const std::vector<Loop>& wide) {
        std::vector<fftw_iodim> result;
        for (const Loop& loop : wide)
            result.push_back(
                {static_cast<int>(loop.n), static_cast<int>(loop.is), static_cast<int>(loop.os)});
        return result;
    };
    const std::vector<fftw_iodim> small_dimensions = narrow(problem.dimensions),
                                  small_loops = narrow(problem.loops);
    switch (problem.interface) {
    case Problem::Interface::many: {
        std::vector<int> n;
        for (const Loop& dimension : problem.dimensions) n.push_back(static_cast<int>(dimension.n));
        const auto planned = [&](auto planner, auto* in, auto* out, auto... last) {
            const Loop& loop = problem.loops[0];
            const auto stride = [&](ptrdiff_t Loop::*side) {
                return problem.dimensions.empty() ? 1 : static_cast<int>(problem.dimensions.back().*side);
            };
            return planner(rank, n.data(), static_cast<int>(loop.n), in, problem.input_embedding.data(),
                           stride(&Loop::is), static_cast<int>(loop.is), out, problem.output_embedding.data(),
                           stride(&Loop::os), static_cast<int>(loop.os), last..., flags);
        };
        switch (problem.kind) {
        case Problem::Kind::dft: return planned(Api::many_dft, ci, co, problem.sign);
        case Problem::Kind::r2c: return planned(Api::many_r2c, ri, co);
        case Problem::Kind::c2r: return planned(Api::many_c2r, ci, ro);
        case Problem::Kind::r2r: return planned(Api::many_r2r, ri, ro, kinds);
        }
        break;
    }
    case Problem::Interface::guru: {
        const auto planned = [&](auto planner, auto... arguments) {
            return planner(rank, small_dimensions.data(), ranks, small_loops.data(), arguments..., flags);
        };
        switch (problem.kind) {
        case Problem::Kind::dft: return planned(Api::guru_dft, ci, co, problem.sign);
        case Problem::Kind::r2c: return planned(Api::guru_r2c, ri, co);
        case Problem::Kind::c2r: return planned(Api::guru_c2r, ci, ro);
        case Problem::Kind::r2r: return planned(Api::guru_r2r, ri, ro, kinds);
        }
        break;
    }
    case Problem::Interface::guru64: {
        const auto planned = [&](auto planner, auto... arguments) {
            return planner(rank, dimensions, ranks, loops, arguments..., flags);
        };
        switch (problem.kind) {
        case Problem::Kind::dft: return planned(Api::guru64_dft, ci, co, problem.sign);
        case Problem::Kind::r2c: return planned(Api::guru64_r2c, ri, co);
        case Problem::Kind::c2r: return planned(Api::guru64_c2r, ci, ro);
        case Problem::Kind::r2r: return planned(Api::guru64_r2r, ri, ro, kinds);
        }
        break;
    }
    case Problem::Interface::split: {
        const auto planned = [&](auto planner, auto... arguments) {
            return planner(rank, dimensions, ranks, loops, arguments..., flags);
        };
        switch (problem.kind) {
        case Problem::Kind::dft:
            return planned(Api::split_dft, ri, arrays.input<R>(1), ro, arrays.output<R>(1));
        case Problem::Kind::r2c: return planned(Api::split_r2c, ri, ro, arrays.output<R>(1));
        case Problem::Kind::c2r: return planned(Api::split_c2r, ri, arrays.input<R>(1), ro);
        case Problem::Kind::r2r: break;
        }
        break;
    }
    }
    return nullptr;
}

template <class R>
void execute_on(typename Fftw<R>::Plan planned, const Problem& problem, const Arrays& arrays) {
    using Api = Fftw<R>;
    using Complex = typename Api::Complex;
    Complex *const ci = arrays.input<Complex>(), *const co = arrays.output<Complex>();
    R *const ri = arrays.input<R>(), *const ro = arrays.output<R>();
    switch (problem.kind) {
    case Problem::Kind::dft:
        return problem.is_split()
                   ? Api::execute_split_dft(planned, ri, arrays.input<R>(1), ro, arrays.output<R>(1))
                   : Api::execute_dft(planned, ci, co);
    case Problem::Kind::r2c:
        return problem.is_split() ? Api::execute_split_r2c(planned, ri, ro, arrays.output<R>(1))
                                  : Api::execute_r2c(planned, ri, co);
    case Problem::Kind::c2r:
        return problem.is_split() ? Api::execute_split_c2r(planned, ri, arrays.input<R>(1), ro)
                                  : Api::execute_c2r(planned, ci, ro);
    case Problem::Kind::r2r: return Api::execute_r2r(planned, ri, ro);
    }
}

template <class R> void print(typename Fftw<R>::Plan planned) {
    double add = 0, multiply = 0, fused = 0;
    Fftw<R>::flops(planned, &add, &multiply, &fused);
    if (!(add >= 0 && multiply >= 0 && fused >= 0 && Fftw<R>::cost(planned) >= 0 &&
          Fftw<R>::estimate_cost(planned) >= 0))
        std::abort();
    std::free(Fftw<R>::sprint_plan(planned));
}

template <class R> void compute(FuzzedDataProvider& bytes) {
    const Problem problem = draw_problem(bytes);
    Arrays arrays(bytes, problem, sizeof(R));
    arrays.fill<R>(problem);
    arrays.save();
    const typename Fftw<R>::Plan planned = plan<R>(problem, arrays);
    arrays.require_untouched();
    if (planned == nullptr) return;
    Fftw<R>::execute(planned);
    arrays.require_unharmed(problem, sizeof(R));
    if (bytes.ConsumeBool()) print<R>(planned);
    if (bytes.ConsumeBool()) {
        Arrays others(bytes, problem, sizeof(R));
        others.fill<R>(problem);
        others.save();
        execute_on<R>(planned, problem, others);
        others.require_unharmed(problem, sizeof(R));
        if (arrays.result(problem, sizeof(R)) != others.result(problem, sizeof(R))) {
            std::fputs("two executions of a plan differ\n", stderr);
            std::abort();
        }
    }
    Fftw<R>::destroy_plan(planned);
}

template <class R> void change_planner(FuzzedDataProvider& bytes) {
    switch (bytes.ConsumeIntegralInRange(0, 5)) {
    case 0: return Fftw<R>::cleanup();
    case 1: return Fftw<R>::forget_wisdom();
    case 2: return Fftw<R>::plan_with_nthreads(bytes.ConsumeIntegralInRange(1, 3));
    case 3: static_cast<void>(Fftw<R>::import_wisdom(bytes.ConsumeRandomLengthString(300).c_str())); return;
    case 4: {
        std::string text;
        if (char* const exported = Fftw<R>::export_wisdom()) {
            text = exported;
            std::free(exported);
        }
        if (!text.empty() && bytes.ConsumeBool()) // damaged
            text[bytes.ConsumeIntegralInRange<std::size_t>(0, text.size() - 1)] =
                bytes.ConsumeIntegral<char>();
        static_cast<void>(Fftw<R>::import_wisdom(text.c_str()));
        return;
    }
    default: return Fftw<R>::set_timelimit(bytes.PickValueInArray({0.0, 0.001, 0.003}));
    }
}

} // namespace
} // namespace swirl::fuzz

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    setenv("SWIRL_WISDOM", ":memory:", 1);
    setenv("SWIRL_KERNEL_CACHE", "off", 1);
    swirl::fuzz::Fftw<double>::set_timelimit(0.003);
    swirl::fuzz::Fftw<float>::set_timelimit(0.003);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace swirl::fuzz;
    FuzzedDataProvider bytes(data, size);
    try {
        for (int calls = 0; calls < 6 && bytes.remaining_bytes() > 0; ++calls) {
            const bool is_double = bytes.ConsumeBool();
            if (bytes.ConsumeIntegralInRange(0, 4) == 0)
                is_double ? change_planner<double>(bytes) : change_planner<float>(bytes);
            else
                is_double ? compute<double>(bytes) : compute<float>(bytes);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::abort();
    }
    return 0;
}
