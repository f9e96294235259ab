"""A recipe of Spack:   spack repo add packaging/spack && spack dev-build swirl@main

It builds the tree in the working directory. A release has a `version` of its own, with its tar file and sha256.
"""

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Swirl(CMakePackage):
    """Self-tuning FFT and matrix multiplication for CPUs and GPUs: kernels are generated for each size, stride, data type and machine,
    checked, and tuned."""

    license("Apache-2.0")

    version("main")

    variant("cli", default=True, description="Build the program swirl")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("fmt@9:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("xxhash", type="build")
    depends_on("cli11@2.1:", type="build", when="+cli")
    depends_on("sqlite", type="link")

    # AsmJit has no releases, and Spack no package of it. It is linked in and hidden.
    resource(
        name="asmjit",
        git="https://github.com/asmjit/asmjit.git",
        commit="9eb6edbf711ceb25346ee40bae68b40a4505cdf5",
        placement="asmjit",
    )

    conflicts("platform=darwin")
    conflicts("platform=windows")
    conflicts("%gcc@:11", msg="swirl is written in C++20")
    conflicts("%clang@:13", msg="swirl is written in C++20")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define_from_variant("SWIRL_BUILD_CLI", "cli"),
            self.define("SWIRL_ASMJIT_SOURCE_DIR", join_path(self.stage.source_path, "asmjit")),
            self.define("SWIRL_SQLITE_LIBRARY", find_libraries("libsqlite3", self.spec["sqlite"].prefix, True, True)[0]),
            self.define("SWIRL_UNITE", True),
            self.define("SWIRL_WERROR", False),
            self.define("SWIRL_BUILD_TESTS", False),
            self.define("SWIRL_BUILD_BENCH", False),
            self.define("SWIRL_BUILD_EXAMPLES", False),
        ]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        if self.spec.satisfies("+cli"):
            Executable(self.prefix.bin.swirl)("verify", "--quiet", "--sizes", "1..64", "dft", "n")
