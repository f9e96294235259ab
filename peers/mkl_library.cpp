#include "peers/mkl_library.hpp"

#include "peers/peer.hpp"

#include <fmt/format.h>

#include <array>

namespace swirl::peers {
namespace {

enum Threading : int { sequential = 1, gnu = 3 };

std::vector<std::string> mkl_files() {
    std::vector<std::string> result;
    for (const char* name : {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"})
        result.push_back(peers_folder() / "mkl" / "lib" / name);
    result.emplace_back("libmkl_rt.so");
    return result;
}

} // namespace

MklLibrary::MklLibrary() : library_(mkl_files()) {
    complete_ = library_.load(get_version_, "MKL_Get_Version_String") &&
                library_.load(set_threading_layer_, "MKL_Set_Threading_Layer") &&
                library_.load(set_num_threads_, "MKL_Set_Num_Threads");
}

const MklLibrary& MklLibrary::get() {
    static const MklLibrary library;
    return library;
}

std::string MklLibrary::absent_because() const {
    if (!library_.is_open()) return library_.absent_because();
    return complete_ ? "" : "libmkl_rt lacks functions of oneMKL";
}

std::string MklLibrary::version() const {
    std::array<char, 256> text{};
    get_version_(text.data(), static_cast<int>(text.size()) - 1);
    std::string version = text.data();
    // "Intel(R) oneAPI Math Kernel Library Version 2025.3-Product Build …"
    if (const auto at = version.find("Version "); at != std::string::npos) version.erase(0, at + 8);
    const std::string kernels =
        loaded_library({"libmkl_avx10", "libmkl_avx512", "libmkl_avx2", "libmkl_def", "libmkl_mc3"});
    return fmt::format("oneMKL {}, kernels of {}", version.substr(0, version.find('-')), kernels);
}

void MklLibrary::use_threads(int threads) const {
    set_threading_layer_(threads == 1 ? sequential : gnu);
    set_num_threads_(threads);
}

} // namespace swirl::peers
