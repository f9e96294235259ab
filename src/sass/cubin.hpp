#pragma once

#include "sass/code.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace swirl::sass {

using Bytes = std::vector<std::byte>;

/// Compiled kernels in ELF, as NVIDIA's compilers write them.
class Cubin {
public:
    struct Kernel {
        std::string name;
        std::size_t first_byte = 0; ///< file offset of its instructions
        std::size_t words = 0;
        int registers = 0;             ///< per thread
        std::size_t static_shared = 0; ///< bytes per block that the kernel declares itself
    };

    /// UserError if the image is not such a file or is truncated.
    explicit Cubin(Bytes image);

    const std::vector<Kernel>& kernels() const { return kernels_; }
    /// UserError, listing the kernels, if none has this name.
    const Kernel& kernel(const std::string& name) const;
    Code code(const Kernel& kernel) const;
    /// The file with a kernel's instructions replaced by as many others.
    Bytes with_code(const Kernel& kernel, const Code& code) const;

private:
    Bytes image_;
    std::vector<Kernel> kernels_;
};

} // namespace swirl::sass
