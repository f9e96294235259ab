#include "sass/cubin.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>

namespace swirl::sass {

namespace {

// Offsets in the headers of 64-bit ELF (System V ABI).
constexpr std::size_t header_bytes = 64, sections_at = 0x28, section_size_at = 0x3a, section_count_at = 0x3c,
                      names_section_at = 0x3e;
constexpr std::size_t section_bytes = 64, symbol_bytes = 24;
constexpr std::string_view magic = "\177ELF\002\001"; // 64 bits, little-endian
constexpr std::uint32_t without_bytes = 8;            // SHT_NOBITS: a section without bytes in the file
constexpr std::string_view text_prefix = ".text.", shared_prefix = ".nv.shared.";
/// Attributes in .nv.info: a format byte, an attribute, a size or value, and for sized ones that many bytes.
constexpr std::uint8_t sized_attribute = 4, register_count = 0x2f;

struct Section {
    std::string name;
    std::uint32_t type = 0;
    std::uint64_t at = 0;
    std::uint64_t bytes = 0;
    std::uint32_t link = 0;
};

class CubinReader {
public:
    explicit CubinReader(std::span<const std::byte> image) : image_(image) {}

    template <class T> T read(std::uint64_t at) const {
        require(at, sizeof(T));
        T value;
        std::memcpy(&value, image_.data() + at, sizeof value);
        return value;
    }
    std::string text(std::uint64_t at) const {
        std::string result;
        for (; read<char>(at) != 0; ++at) result += read<char>(at);
        return result;
    }
    void require(std::uint64_t at, std::uint64_t bytes) const {
        if (at > image_.size() || bytes > image_.size() - at)
            throw UserError("the cubin is cut short: it has {} bytes, but refers to byte {}", image_.size(),
                            at + bytes);
    }

    std::vector<Section> sections() const {
        std::vector<Section> result;
        const auto at = read<std::uint64_t>(sections_at);
        const auto size = read<std::uint16_t>(section_size_at);
        const auto count = read<std::uint16_t>(section_count_at);
        if (size != section_bytes)
            throw UserError("the cubin has section headers of {} bytes, not {}", size, section_bytes);
        const auto names =
            read<std::uint64_t>(at + read<std::uint16_t>(names_section_at) * section_bytes + 24);
        for (std::uint64_t k = 0; k < count; ++k) {
            const std::uint64_t row = at + k * section_bytes;
            Section section{text(names + read<std::uint32_t>(row)), read<std::uint32_t>(row + 4),
                            read<std::uint64_t>(row + 24), read<std::uint64_t>(row + 32),
                            read<std::uint32_t>(row + 40)};
            if (section.type != without_bytes) require(section.at, section.bytes);
            result.push_back(std::move(section));
        }
        return result;
    }

    /// Register counts by kernel.
    std::map<std::string, int> registers(const std::vector<Section>& sections) const {
        std::map<std::string, int> result;
        for (const Section& section : sections) {
            if (section.name != ".nv.info" || section.link >= sections.size()) continue;
            const Section& symbols = sections[section.link];
            if (symbols.link >= sections.size()) continue;
            for (std::uint64_t at = section.at; at + 4 <= section.at + section.bytes;) {
                const auto format = read<std::uint8_t>(at), attribute = read<std::uint8_t>(at + 1);
                const auto size = read<std::uint16_t>(at + 2);
                if (format == sized_attribute && attribute == register_count) {
                    const std::uint64_t symbol = symbols.at + read<std::uint32_t>(at + 4) * symbol_bytes;
                    const std::string name = text(sections[symbols.link].at + read<std::uint32_t>(symbol));
                    result[name] = static_cast<int>(read<std::uint32_t>(at + 8));
                }
                at += 4 + (format == sized_attribute ? size : std::uint64_t{0});
            }
        }
        return result;
    }

private:
    std::span<const std::byte> image_;
};

} // namespace

Cubin::Cubin(Bytes image) : image_(std::move(image)) {
    if (image_.size() < header_bytes || std::memcmp(image_.data(), magic.data(), magic.size()) != 0)
        throw UserError("these {} bytes are no cubin: they have no ELF64 header", image_.size());
    const CubinReader reader(image_);
    const std::vector<Section> sections = reader.sections();
    const std::map<std::string, int> registers = reader.registers(sections);
    for (const Section& section : sections) {
        if (!section.name.starts_with(text_prefix)) continue;
        Kernel kernel{section.name.substr(text_prefix.size()), section.at, section.bytes / word_bytes, 0, 0};
        if (const auto found = registers.find(kernel.name); found != registers.end())
            kernel.registers = found->second;
        for (const Section& other : sections)
            if (other.name == std::string(shared_prefix) + kernel.name) kernel.static_shared = other.bytes;
        kernels_.push_back(std::move(kernel));
    }
}

const Cubin::Kernel& Cubin::kernel(const std::string& name) const {
    const auto found = std::ranges::find(kernels_, name, &Kernel::name);
    if (found != kernels_.end()) return *found;
    std::vector<std::string_view> names;
    for (const Kernel& kernel : kernels_) names.push_back(kernel.name);
    throw UserError("the cubin has no kernel '{}'; it has {}", name, fmt::join(names, ", "));
}

Code Cubin::code(const Kernel& kernel) const {
    Code result;
    for (std::size_t k = 0; k < kernel.words; ++k) {
        Word word;
        std::memcpy(&word, image_.data() + kernel.first_byte + k * word_bytes, word_bytes);
        result.push_back(decode(word));
    }
    return result;
}

Bytes Cubin::with_code(const Kernel& kernel, const Code& code) const {
    ensure(code.size() == kernel.words, "kernel {} has {} instructions, not {}", kernel.name, kernel.words,
           code.size());
    Bytes result = image_;
    for (std::size_t k = 0; k < code.size(); ++k) {
        const Word word = encode(code[k]);
        std::memcpy(result.data() + kernel.first_byte + k * word_bytes, &word, word_bytes);
    }
    return result;
}

} // namespace swirl::sass
