#include "base/build_id.hpp"

#include <fmt/format.h>

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace swirl {
namespace {

std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

/// The build ID in a note segment, in hexadecimal digits.
std::string mark_in(const std::byte* notes, std::size_t bytes) {
    constexpr std::string_view owner{"GNU\0", 4};
    for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes;) {
        ElfW(Nhdr) note;
        std::memcpy(&note, notes + at, sizeof note);
        at += sizeof note;
        const std::size_t content = at + padded(note.n_namesz), end = content + padded(note.n_descsz);
        if (end > bytes) break;
        const std::string_view name(reinterpret_cast<const char*>(notes + at), note.n_namesz);
        if (note.n_type == NT_GNU_BUILD_ID && name == owner) {
            std::string text;
            for (std::size_t k = content; k < content + note.n_descsz; ++k)
                text += fmt::format("{:02x}", static_cast<unsigned>(notes[k]));
            return text;
        }
        at = end;
    }
    return {};
}

/// Called for each loaded object; stops with the build ID of the one that contains this code.
int check_values(dl_phdr_info* object, std::size_t, void* result) {
    const auto here = reinterpret_cast<std::uintptr_t>(&check_values);
    bool is_this = false;
    std::string mark;
    for (std::size_t k = 0; k < object->dlpi_phnum; ++k) {
        const auto& segment = object->dlpi_phdr[k];
        const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
        if (segment.p_type == PT_LOAD && here >= begin && here < begin + segment.p_memsz) is_this = true;
        if (segment.p_type == PT_NOTE && mark.empty())
            mark = mark_in(reinterpret_cast<const std::byte*>(begin), segment.p_memsz);
    }
    if (!is_this) return 0;
    *static_cast<std::string*>(result) = mark;
    return 1;
}

std::string find_build_id() {
    std::string result;
    dl_iterate_phdr(check_values, &result);
    return result;
}

} // namespace

const std::string& build_id() {
    static const auto& id = *new std::string(find_build_id()); // never destroyed: may be in use at exit
    return id;
}

} // namespace swirl
