#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace swirl::emit {

/// NVIDIA's compiler of CUDA C++ at run time, if its library is here: where CUDA's toolkit or PyPI's nvidia-cuda-nvrtc puts
/// it, or where the loader finds it.
std::optional<std::string> nvrtc_library();

/// What it says of a text: nothing where it accepts it, for one GPU such as "sm_80", without a warning.
std::string nvrtc_complaints(const std::string& library, const std::string& text, const std::string& target,
                             const std::vector<std::string>& more_options = {});

} // namespace swirl::emit
