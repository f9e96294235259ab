// generate_builtin FOLDER FILES: writes the built-in codelets' and tiles' C++ into FOLDER; see emit/cpp/builtin.hpp,
// emit/cpp/builtin_tiles.hpp.

#include "emit/cpp/builtin.hpp"
#include "emit/cpp/builtin_tiles.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: generate_builtin FOLDER FILES\n";
        return 2;
    }
    try {
        const std::filesystem::path folder = argv[1];
        std::filesystem::create_directories(folder);
        auto sources = swirl::emit::builtin_sources(std::stoul(argv[2]));
        for (auto& source : swirl::emit::builtin_tile_sources()) sources.push_back(std::move(source));
        for (const auto& source : sources) {
            std::ofstream file(folder / source.name, std::ios::binary);
            file << source.text;
            file.close();
            if (!file) throw std::runtime_error("cannot write " + (folder / source.name).string());
        }
    } catch (const std::exception& error) {
        std::cerr << "generate_builtin: " << error.what() << "\n";
        return 1;
    }
    return 0;
}
