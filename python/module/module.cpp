/// The extension module swirl._core: plans, the transforms of swirl.fft, matrix products.
#define SWIRL_IMPORTS_NUMPY
#include "numpy.hpp"

#include "convolution.hpp"
#include "distributed.hpp"
#include "errors.hpp"
#include "fourier.hpp"
#include "plan.hpp"
#include "products.hpp"
#include "reports.hpp"
#include "spectral.hpp"
#include "stft.hpp"
#include "xla.hpp"

#include <nanobind/stl/string_view.h>

#include <swirl/version.hpp>

namespace {

void import_numpy() {
    if (_import_array() < 0) throw nanobind::python_error();
}

} // namespace

NB_MODULE(_core, module) {
    import_numpy();
    nanobind::set_leak_warnings(false); // cached plans live until the process ends
    swirl::python::define_errors(module);
    swirl::python::define_plan(module);
    swirl::python::define_transforms(module);
    swirl::python::define_memory_transforms(module);
    swirl::python::define_convolutions(module);
    swirl::python::define_products(module);
    swirl::python::define_distributed(module);
    swirl::python::define_stft(module);
    swirl::python::define_reports(module);
    swirl::python::define_xla_handlers(module);
    module.attr("version") = swirl::version();
}
