// The snippets of docs/how-to on choosing plans, wisdom and memory. Each is between its name in brackets and "[end]".
#include <swirl/swirl.hpp>

#include <complex>
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace {

void choose() {
    std::vector<std::complex<double>> x(1024 * 100, 1.0), y(1024 * 100);
    // [effort]
    const swirl::Plan quick = swirl::plan("dft 1024 batch=100"); // a model decides
    const swirl::Plan measured =
        swirl::plan("dft 1024 batch=100",
                    {.effort = swirl::Effort::measure, .time_budget_seconds = 0.2}); // timing decides
    const swirl::Plan same =
        swirl::plan("dft 1024 batch=100", {.schedule = measured.schedule()}); // you decide
    // [end]
    for (const swirl::Plan& plan : {quick, measured, same}) plan.execute(x, y);
}

void ship() {
    // [export]
    std::ostringstream file; // or an std::ofstream
    const swirl::Integer entries = swirl::wisdom::export_to(file);
    // [end]
    // [import]
    std::istringstream shipped(file.str()); // or an std::ifstream
    const swirl::wisdom::Imported imported = swirl::wisdom::import_from(shipped);
    if (imported.unreadable > 0) std::fprintf(stderr, "the wisdom file is damaged\n");
    // [end]
    std::printf("entries: %s\n", entries == imported.stored + imported.unchanged ? "all" : "some");
}

void memory() {
    // [limit]
    try {
        swirl::plan("dft 1000003", {.memory_limit_bytes = 1 << 20});
    } catch (const swirl::OutOfMemory& error) {
        std::printf("%s\n", error.what()); // what is needed, and what for
    }
    // [end]
    std::vector<std::complex<double>> x(1 << 20, 1.0), y(1 << 20);
    // [workspace]
    const swirl::Plan plan = swirl::plan("dft 2^20");
    std::vector<char> memory(plan.workspace_bytes() + 64); // and as much for each execution at the same time
    void* aligned = memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64;
    plan.execute(x, y, swirl::Workspace{aligned, plan.workspace_bytes()});
    // [end]
}

} // namespace

int main() {
    choose();
    ship();
    memory();
}
