"""Builds a package by its recipe for Spack, in the working directory, without Spack: this file is a stand-in for what the recipe uses.

    spack_build.py PACKAGE.py PREFIX

A name that Spack does not have is an error of the recipe; so is a version without a meaning for `dependencies`.
"""

import pathlib
import re
import subprocess
import sys
import types

SYSTEM = {"sqlite": "/usr"}  # where Debian has the libraries that are linked
DEPENDENCY = re.compile(r"[a-z0-9-]+(@[0-9.:]+)?")
called = []


def directive(name):
    def record(*arguments, **options):
        called.append((name, arguments, options))

    return record


class Spec:
    """Of the package with all its variants switched on."""

    prefix = None

    def __getitem__(self, name):
        assert any(each[1][0].partition("@")[0] == name for each in called if each[0] == "depends_on"), f"{name} is no dependency"
        return types.SimpleNamespace(prefix=SYSTEM[name])

    def satisfies(self, text):
        return text.startswith("+")


class CMakePackage:
    spec = Spec()
    stage = types.SimpleNamespace(source_path=str(pathlib.Path.cwd()))

    def define(self, name, value):
        if isinstance(value, bool):
            return f"-D{name}:BOOL={'ON' if value else 'OFF'}"
        return f"-D{name}:STRING={value}"

    def define_from_variant(self, name, variant):
        assert any(each[0] == "variant" and each[1][0] == variant for each in called), f"{variant} is no variant"
        return self.define(name, True)


def find_libraries(name, root, shared, recursive):
    return sorted(str(file) for file in pathlib.Path(root).rglob(f"{name}.{'so' if shared else 'a'}"))


def after(phase):
    assert phase in ("install", "build", "cmake")
    return lambda function: function


def main():
    recipe, prefix = pathlib.Path(sys.argv[1]), sys.argv[2]
    package = types.ModuleType("spack.package")
    for name in ("conflicts", "depends_on", "generator", "license", "maintainers", "resource", "variant", "version"):
        setattr(package, name, directive(name))
    package.Executable, package.find_libraries, package.run_after = object, find_libraries, after
    package.join_path = lambda *parts: "/".join(parts)
    package.on_package_attributes = lambda **attributes: lambda function: function
    systems = types.ModuleType("spack_repo.builtin.build_systems.cmake")
    systems.CMakePackage = CMakePackage
    for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["spack.package"], sys.modules[systems.__name__] = package, systems

    space = {"__name__": "recipe"}
    exec(compile(recipe.read_text(), recipe, "exec"), space)
    described = {name for name, _, _ in called}
    for needed in ("version", "license", "depends_on", "resource"):
        assert needed in described, f"the recipe has no {needed}"
    for name, arguments, _ in called:
        assert name != "depends_on" or DEPENDENCY.fullmatch(arguments[0]), arguments

    (swirl,) = (value for value in space.values() if isinstance(value, type) and issubclass(value, CMakePackage) and value is not CMakePackage)
    generator = next(arguments[0] for name, arguments, _ in called if name == "generator")
    options = swirl().cmake_args()
    print("\n".join(options))
    subprocess.run(
        ["cmake", "-S", ".", "-B", "build-spack", "-G", generator.capitalize(), "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_INSTALL_PREFIX={prefix}", *options],
        check=True,
    )
    subprocess.run(["cmake", "--build", "build-spack"], check=True)
    subprocess.run(["cmake", "--install", "build-spack"], check=True)


main()
