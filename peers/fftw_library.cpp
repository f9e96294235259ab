#include "peers/fftw_library.hpp"

#include "peers/peer.hpp"

#include <fmt/format.h>

namespace swirl::peers {
namespace {

std::string file_of(FftwLibrary::Build build, const std::string& name) {
    if (build == FftwLibrary::Build::system) return name;
    return peers_folder() / (build == FftwLibrary::Build::aocl ? "aocl-fftw" : "fftw") / "lib" / name;
}

} // namespace

FftwLibrary::FftwLibrary(Build build, DataType precision)
    : prefix_(precision == DataType::float32 ? "fftwf_" : "fftw_"),
      file_(precision == DataType::float32 ? "libfftw3f.so.3" : "libfftw3.so.3"),
      library_({file_of(build, file_)},
               build == Build::system ? SharedLibrary::Symbols::shared : SharedLibrary::Symbols::own) {
    if (!library_.is_open()) return;
    complete_ = load(plan_dft, "plan_guru64_dft") && load(plan_split_dft, "plan_guru64_split_dft") &&
                load(plan_r2c, "plan_guru64_dft_r2c") && load(plan_c2r, "plan_guru64_dft_c2r") &&
                load(plan_split_r2c, "plan_guru64_split_dft_r2c") &&
                load(plan_split_c2r, "plan_guru64_split_dft_c2r") && load(plan_r2r, "plan_guru64_r2r") &&
                load(execute, "execute") && load(destroy_plan, "destroy_plan") &&
                load(set_timelimit, "set_timelimit") && load(forget_wisdom, "forget_wisdom") &&
                load(export_wisdom_to_filename, "export_wisdom_to_filename") &&
                load(import_wisdom_from_filename, "import_wisdom_from_filename");
    load(version_, "version");
    if (complete_) load_threads(build);
}

void FftwLibrary::load_threads(Build build) {
    int (*init_threads)() = nullptr;
    const std::string name = prefix_ == "fftwf_" ? "libfftw3f_threads.so.3" : "libfftw3_threads.so.3";
    const SharedLibrary separate(build == Build::system ? std::vector<std::string>{name}
                                                        : std::vector<std::string>{});
    const SharedLibrary* const libraries[] = {&library_, &separate};
    for (const SharedLibrary* library : libraries)
        if (library->load(init_threads, prefix_ + "init_threads") &&
            library->load(plan_with_nthreads_, prefix_ + "plan_with_nthreads")) {
            if (init_threads() == 0) plan_with_nthreads_ = nullptr;
            return;
        }
}

const FftwLibrary& FftwLibrary::get(Build build, DataType precision) {
    // The system's libraries come first: asked for by the name that both have, the dynamic linker gives what is
    // already there.
    static const FftwLibrary system_double(Build::system, DataType::float64);
    static const FftwLibrary system_float(Build::system, DataType::float32);
    if (build == Build::system) return precision == DataType::float32 ? system_float : system_double;
    if (build == Build::aocl) {
        static const FftwLibrary aocl_double(Build::aocl, DataType::float64);
        static const FftwLibrary aocl_float(Build::aocl, DataType::float32);
        return precision == DataType::float32 ? aocl_float : aocl_double;
    }
    static const FftwLibrary avx512_double(Build::avx512, DataType::float64);
    static const FftwLibrary avx512_float(Build::avx512, DataType::float32);
    return precision == DataType::float32 ? avx512_float : avx512_double;
}

std::string FftwLibrary::absent_because() const {
    if (!library_.is_open()) return library_.absent_because();
    return complete_ ? "" : fmt::format("{} lacks functions of FFTW 3.3", file_);
}

std::string FftwLibrary::version() const { return version_ == nullptr ? file_ : version_; }

bool FftwLibrary::use_threads(int threads) const {
    if (plan_with_nthreads_ == nullptr) return threads == 1;
    plan_with_nthreads_(threads);
    return true;
}

} // namespace swirl::peers
