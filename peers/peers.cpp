#include "base/error.hpp"
#include "peers/peer.hpp"

#include <fmt/ranges.h>

#include <cstdlib>
#include <sstream>

namespace swirl::peers {

std::span<const Peer* const> all_peers() {
    static const Peer* const peers[] = {&fftw_estimate, &fftw_measure, &fftw_patient, &fftw,  &fftw_avx512,
                                        &aocl_fftw,     &mkl,          &kfr,          &ducc0, &pocketfft};
    return peers;
}

std::vector<const Peer*> parse_peers(const std::string& option, const std::string& list) {
    std::vector<const Peer*> chosen;
    std::istringstream words(list);
    for (std::string name; std::getline(words, name, ',');) {
        if (name == "none") continue;
        const Peer* found = nullptr;
        std::vector<std::string_view> names{"none"};
        for (const Peer* candidate : all_peers()) {
            names.push_back(candidate->name);
            if (name == candidate->name) found = candidate;
        }
        if (found == nullptr) throw UserError("{} has '{}'; use {}", option, name, fmt::join(names, ", "));
        chosen.push_back(found);
    }
    return chosen;
}

std::filesystem::path peers_folder() {
    const auto variable = [](const char* name) -> std::filesystem::path {
        const char* const value = std::getenv(name);
        return value == nullptr ? "" : value;
    };
    if (const auto own = variable("SWIRL_PEERS"); !own.empty()) return own;
    if (const auto cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache / "swirl-peers";
    return variable("HOME") / ".cache" / "swirl-peers";
}

} // namespace swirl::peers
