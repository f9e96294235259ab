#pragma once

#include "machine/code.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace swirl::machine {

using Bytes = std::vector<std::byte>;

/// Compiled kernels in ELF, as NVIDIA's compilers write them.
class Cubin {
public:
    struct Kernel {
        std::string name;
        std::size_t first_byte = 0; ///< of its instructions in the file
        std::size_t words = 0;
        int registers = 0;             ///< of a thread
        std::size_t static_shared = 0; ///< bytes of a block that the kernel itself declares
    };

    /// UserError where it is no such file, or one that is cut short.
    explicit Cubin(Bytes image);

    const std::vector<Kernel>& kernels() const { return kernels_; }
    /// UserError, naming those that are there, where there is none of this name.
    const Kernel& kernel(const std::string& name) const;
    Code code(const Kernel& kernel) const;
    /// The file with other instructions, as many as there were.
    Bytes with_code(const Kernel& kernel, const Code& code) const;

private:
    Bytes image_;
    std::vector<Kernel> kernels_;
};

} // namespace swirl::machine
