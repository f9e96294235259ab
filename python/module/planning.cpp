#include "planning.hpp"

#include <swirl/error.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace swirl::python {
namespace {

template <class Value> struct Word {
    const char* word;
    Value value;
};
constexpr Word<Effort> efforts[] = {{"estimate", Effort::estimate},
                                    {"measure", Effort::measure},
                                    {"exhaustive", Effort::exhaustive},
                                    {"background", Effort::background}};
constexpr Word<Accuracy> accuracies[] = {{"ordinary", Accuracy::ordinary},
                                         {"ordinary_in_range", Accuracy::ordinary_in_range},
                                         {"reduced", Accuracy::reduced},
                                         {"eleven_bits", Accuracy::eleven_bits},
                                         {"low", Accuracy::low}};

template <class Value, std::size_t count>
Value value_of(const Word<Value> (&words)[count], const char* option, const std::string& given) {
    std::string known;
    for (const Word<Value>& word : words) {
        if (given == word.word) return word.value;
        known += std::string(known.empty() ? "" : ", ") + "'" + word.word + "'";
    }
    throw UserError(std::string(option) + " is '" + given + "'; it can be " + known);
}

/// What the thread that measures tells the thread that waits for it, and the other way round.
struct Search {
    std::atomic<bool> is_cancelled = false;
    std::atomic<bool> is_interrupted = false; ///< by Ctrl-C: what is fastest so far becomes wisdom
    std::atomic<bool> has_begun = false;      ///< to measure
    std::atomic<bool> has_ended_early = false;
    std::mutex mutex;
    std::vector<std::string> lines;

    std::vector<std::string> take_lines() {
        const std::lock_guard lock(mutex);
        return std::exchange(lines, {});
    }
};

/// How long a search that is interrupted may take to keep what it has: its longest sample.
constexpr std::chrono::seconds longest_farewell(5);

/// Plans on a thread of its own, which never needs the interpreter's lock: another thread may hold that lock in fork(), which
/// waits until no thread plans.
Plan plan_while_handling_signals(const Problem& problem, Options options, nb::handle progress) {
    Search search;
    // A search that ended early has stored what it has; its plan is not made.
    options.cancelled = [&search] { return search.is_cancelled || search.has_ended_early; };
    options.enough = [&search] {
        search.has_begun = true;
        if (search.is_interrupted) search.has_ended_early = true;
        return search.is_interrupted.load();
    };
    if (!progress.is_none())
        options.progress = [&search](const std::string& line) {
            const std::lock_guard lock(search.mutex);
            search.lines.push_back(line);
        };
    std::future<Plan> result = std::async(std::launch::async, [&] { return plan(problem, options); });
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr; // the exception that cancelled the plan
    std::chrono::steady_clock::time_point farewell = {};
    bool is_ready = false;
    while (!is_ready) {
        {
            nb::gil_scoped_release released;
            is_ready = result.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready;
        }
        if (type != nullptr) {
            if (search.is_cancelled) continue;
            const bool is_impatient = PyErr_CheckSignals() != 0;
            if (is_impatient) PyErr_Clear(); // the first exception is thrown
            search.is_cancelled = is_impatient || std::chrono::steady_clock::now() > farewell;
            continue;
        }
        bool is_wanted = PyErr_CheckSignals() == 0;
        for (const std::string& line : search.take_lines()) {
            if (!is_wanted) break;
            PyObject* const returned = PyObject_CallFunction(progress.ptr(), "s", line.c_str());
            is_wanted = returned != nullptr;
            Py_XDECREF(returned);
        }
        if (!is_wanted) {
            const bool is_interrupt = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0;
            PyErr_Fetch(&type, &value, &trace);
            farewell = std::chrono::steady_clock::now() + longest_farewell;
            search.is_interrupted = is_interrupt && search.has_begun;
            search.is_cancelled = !search.is_interrupted;
        }
    }
    if (type == nullptr) return result.get();
    result.wait();
    PyErr_Restore(type, value, trace);
    throw nb::python_error();
}

} // namespace

Options library_options(const PlanOptions& given) {
    Options options;
    options.device = given.device;
    options.threads = given.threads;
    options.effort = value_of(efforts, "effort", given.effort);
    if (given.time_budget >= 0) options.time_budget_seconds = given.time_budget;
    options.accuracy = value_of(accuracies, "accuracy", given.accuracy);
    options.schedule = given.schedule;
    options.cpu = given.cpu;
    options.memory_limit_bytes = given.memory_limit;
    options.planning_limit_seconds = given.planning_limit;
    options.check = given.check;
    options.use_wisdom = given.use_wisdom;
    options.use_kernel_cache = given.use_kernel_cache;
    return options;
}

Plan make_plan(const Problem& problem, const PlanOptions& given, nb::handle progress) {
    const Options options = library_options(given);
    if (options.effort == Effort::measure || options.effort == Effort::exhaustive)
        return plan_while_handling_signals(problem, options, progress);
    nb::gil_scoped_release released;
    return plan(problem, options);
}

Device device_named(nb::handle device) {
    if (device.is_none()) return {};
    const std::string text = nb::str(device).c_str();
    const std::string_view given = text;
    const std::string_view number = given.starts_with("cuda")  ? given.substr(4)
                                    : given.starts_with("gpu") ? given.substr(3)
                                                               : given;
    const bool is_named = number.size() < given.size();
    if (given == "cpu") return {};
    if (is_named && number.empty()) return Device::gpu();
    const std::string_view digits = is_named && number.starts_with(':') ? number.substr(1) : number;
    const bool is_number = !digits.empty() && digits.size() < 6 &&
                           (digits.size() < number.size() || !is_named) &&
                           digits.find_first_not_of("0123456789") == std::string_view::npos;
    if (!is_number)
        throw UserError("device is '" + text +
                        "'; it can be 'cpu', 'cuda', 'cuda:1' and so on, or the number of a GPU");
    return Device::gpu(std::stoi(std::string(digits)));
}

std::string name_of(Device device) {
    return device.is_gpu() ? "cuda:" + std::to_string(device.ordinal()) : "cpu";
}

Plan make_estimated_plan(const Problem& problem, int threads, Device device) {
    Options options;
    options.device = device;
    options.threads = threads;
    nb::gil_scoped_release released;
    return plan(problem, options);
}

} // namespace swirl::python
