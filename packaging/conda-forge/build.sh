#!/bin/bash
# Builds and installs into $PREFIX, from the sources in $SRC_DIR. SQLite is the shared one of the environment, so there are no
# static libraries.
set -euo pipefail

cmake -S "$SRC_DIR" -B build-conda -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
    -DSWIRL_ASMJIT_SOURCE_DIR="$SRC_DIR/asmjit" -DSWIRL_SQLITE_LIBRARY="${SQLITE_LIBRARY:-$PREFIX/lib/libsqlite3.so}" \
    -DSWIRL_UNITE=ON -DSWIRL_WERROR=OFF -DSWIRL_BUILD_TESTS=OFF -DSWIRL_BUILD_BENCH=OFF -DSWIRL_BUILD_EXAMPLES=OFF
cmake --build build-conda --parallel "${CPU_COUNT:-2}"
cmake --install build-conda
