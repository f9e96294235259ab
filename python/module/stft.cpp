/// swirl::Stft for Python: mel energies. Arrays are addresses; swirl.mel checks them.
#include "stft.hpp"

#include <swirl/options.hpp>
#include <swirl/stft.hpp>

#include <nanobind/stl/vector.h>

#include <cstdint>
#include <new>
#include <vector>

namespace swirl::python {

void define_stft(nb::module_& module) {
    using nb::arg;
    nb::class_<Stft>(module, "Stft")
        .def(
            "__init__",
            [](Stft* self, bool is_float32, Integer count, Integer samples, Integer n_fft, Integer hop,
               const std::vector<double>& window, int ends, Integer mels, double sample_rate, double lowest,
               double highest, bool is_htk, bool has_area_norm, int threads) {
                const StftOptions stft{
                    .hop = hop,
                    .window = window,
                    .ends = static_cast<StftEnds>(ends),
                    .signals = count,
                    .data_type = is_float32 ? DataType::float32 : DataType::float64,
                    .mel = {mels, sample_rate, lowest, highest, is_htk ? MelScale::htk : MelScale::slaney,
                            has_area_norm ? MelNorm::area : MelNorm::none}};
                Options options;
                options.threads = threads;
                const nb::gil_scoped_release released;
                new (self) Stft(samples, n_fft, stft, options);
            },
            arg("is_float32"), arg("count"), arg("samples"), arg("n_fft"), arg("hop"), arg("window"),
            arg("ends"), arg("mels"), arg("sample_rate"), arg("lowest"), arg("highest"), arg("is_htk"),
            arg("has_area_norm"), arg("threads"))
        .def_prop_ro("frames", &Stft::frames)
        .def("mel", [](const Stft& stft, std::uintptr_t signals, std::uintptr_t energies) {
            const nb::gil_scoped_release released;
            stft.mel(reinterpret_cast<const void*>(signals), reinterpret_cast<void*>(energies));
        });
}

} // namespace swirl::python
