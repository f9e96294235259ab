#include "errors.hpp"

#include <swirl/error.hpp>

#include <new>

namespace swirl::python {
namespace {

/// A new exception class of the module. It lives as long as the process.
PyObject* define(nb::module_& module, const char* name, PyObject* base, const char* meaning) {
    const std::string path = std::string("swirl.") + name;
    PyObject* const type = PyErr_NewExceptionWithDoc(path.c_str(), meaning, base, nullptr);
    if (type == nullptr) throw nb::python_error();
    module.attr(name) = nb::borrow(type);
    return type;
}

struct Classes {
    PyObject* unavailable;
    PyObject* unsupported;
    PyObject* out_of_time;
    PyObject* internal;
};

void translate(const std::exception_ptr& thrown, void* payload) {
    const Classes& classes = *static_cast<const Classes*>(payload);
    try {
        std::rethrow_exception(thrown);
    } catch (const UserError& error) {
        PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const Unavailable& error) {
        PyErr_SetString(classes.unavailable, error.what());
    } catch (const Unsupported& error) {
        PyErr_SetString(classes.unsupported, error.what());
    } catch (const OutOfMemory& error) {
        PyErr_SetString(PyExc_MemoryError, error.what());
    } catch (const OutOfTime& error) {
        PyErr_SetString(classes.out_of_time, error.what());
    } catch (const Cancelled& error) {
        // A signal handler or a callback has set the exception that cancelled the plan.
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_KeyboardInterrupt, error.what());
    } catch (const SystemError& error) {
        PyErr_SetString(PyExc_OSError, error.what());
    } catch (const InternalError& error) {
        PyErr_SetString(classes.internal, error.what());
    }
}

} // namespace

void define_errors(nb::module_& module) {
    static Classes classes; // for the life of the process, as the interpreter keeps the translator
    classes.unavailable = define(module, "Unavailable", PyExc_RuntimeError,
                                 "This machine lacks what was asked for, such as a CPU's instructions.");
    classes.unsupported = define(module, "Unsupported", PyExc_NotImplementedError,
                                 "A valid request that this version of swirl does not implement.");
    classes.out_of_time = define(module, "OutOfTime", PyExc_TimeoutError,
                                 "Planning would take longer than `planning_limit` seconds.");
    classes.internal = define(module, "InternalError", PyExc_RuntimeError, "A bug in swirl.");
    nb::register_exception_translator(translate, &classes);
}

} // namespace swirl::python
