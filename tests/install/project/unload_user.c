/* Unloads the library, which is the argument, while a search in the background goes on. */
#include <swirl/swirl.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void* function_of(void* library, const char* name) {
    void* const function = dlsym(library, name);
    if (function == NULL) puts(name);
    return function;
}

static int unload_after(const char* file, long nanoseconds) {
    const struct timespec pause = {0, nanoseconds};
    swirl_status (*plan_from_text)(const char*, const swirl_options*, swirl_plan**);
    void (*destroy)(swirl_plan*);
    void* found;
    swirl_options options = SWIRL_OPTIONS_INIT;
    swirl_plan* plan;
    void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        puts(dlerror());
        return 0;
    }
    found = function_of(library, "swirl_plan_from_text");
    memcpy(&plan_from_text, &found, sizeof found);
    found = function_of(library, "swirl_plan_destroy");
    memcpy(&destroy, &found, sizeof found);
    options.effort = SWIRL_BACKGROUND;
    options.time_budget_seconds = 1e4;
    if (plan_from_text("dft 5040", &options, &plan) != SWIRL_OK) return 0;
    nanosleep(&pause, NULL);
    destroy(plan);
    return dlclose(library) == 0;
}

int main(int count, char** arguments) {
    const char* const file = count == 2 ? arguments[1] : "";
    return unload_after(file, 0) && unload_after(file, 1000000) && unload_after(file, 300000000) ? 0 : 1;
}
