// libblas.so.3: libswirl_blas with levels 1 and 2, under the name that programs look for. Calls of levels 1 and 2 jump to another
// BLAS of the system, which is opened when this library is loaded: the file that SWIRL_OTHER_BLAS names, else the first of
// Debian's alternatives that is installed.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#define JUMP(target) "jmp *" target "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(target) "adrp x16, " target "\nldr x16, [x16, :lo12:" target "]\nbr x16\n"
#else
#error "jumps to another BLAS are written for x86-64 and AArch64"
#endif

// Each routine is a jump through a pointer, so that arguments, results and the stack stay as the caller has made them.
#define SWIRL_BLAS_NAME(name)                                             \
    __attribute__((visibility("hidden"))) void* swirl_other_##name;       \
    __asm__(".text\n.globl " #name "\n.type " #name ", %function\n" #name \
            ":\n" JUMP("swirl_other_" #name) ".size " #name ", .-" #name "\n");
#include "names.inc"
#undef SWIRL_BLAS_NAME

static const struct {
    const char* name;
    void** target;
} routines[] = {
#define SWIRL_BLAS_NAME(name) {#name, &swirl_other_##name},
#include "names.inc"
#undef SWIRL_BLAS_NAME
};

static void end_without_other_blas(void) {
    fputs(
        "libblas.so.3 of swirl: a routine of level 1 or 2 was called, and no other BLAS has it\n"
        "  install one (on Debian: apt install libblas3), or name its file in SWIRL_OTHER_BLAS\n",
        stderr);
    abort();
}

/// The folder of libraries that this one lies in a folder of, with a slash; empty if that is unknown.
static void find_folder(char folder[PATH_MAX]) {
    Dl_info self;
    folder[0] = 0;
    if (dladdr(routines, &self) == 0 || realpath(self.dli_fname, folder) == NULL) {
        folder[0] = 0;
        return;
    }
    for (int level = 0; level < 2; ++level) {
        char* const slash = strrchr(folder, '/');
        if (slash == NULL) break;
        *slash = 0;
    }
    if (strlen(folder) + 1 < PATH_MAX) strcat(folder, "/");
}

static void* open_other_blas(void) {
    static const char* const alternatives[] = {
        "openblas-pthread", "openblas-openmp", "openblas-serial", "blis-pthread",
        "blis-openmp",      "blis-serial",     "atlas",           "blas"};
    const char* const named = getenv("SWIRL_OTHER_BLAS");
    if (named != NULL && *named != 0) {
        void* const library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) fprintf(stderr, "libblas.so.3 of swirl: SWIRL_OTHER_BLAS: %s\n", dlerror());
        return library;
    }
    char folder[PATH_MAX];
    find_folder(folder);
    for (size_t i = 0; i < sizeof alternatives / sizeof *alternatives; ++i) {
        char file[PATH_MAX];
        const int length = snprintf(file, sizeof file, "%s%s/libblas.so.3", folder, alternatives[i]);
        if (length < 0 || (size_t)length >= sizeof file) continue;
        void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (library != NULL) return library;
    }
    return NULL;
}

__attribute__((constructor)) static void connect(void) {
    void* const other = open_other_blas();
    void (*const missing)(void) = end_without_other_blas;
    for (size_t i = 0; i < sizeof routines / sizeof *routines; ++i) {
        *routines[i].target = other == NULL ? NULL : dlsym(other, routines[i].name);
        if (*routines[i].target == NULL) memcpy(routines[i].target, &missing, sizeof missing);
    }
}
