"""Checks conda-forge's recipe, and builds it by rattler-build without its requirements.

    conda_build.py RECIPE.yaml ASMJIT OUTPUT

ASMJIT is a folder of AsmJit's sources; programs and libraries that the recipe requires are the system's. The package, which its tests have
tried, is in OUTPUT/linux-64.
"""

import os
import pathlib
import sys
import tempfile

import rattler_build
import yaml

recipe, asmjit, output = map(pathlib.Path, sys.argv[1:])

# As it is: every expression is rendered, with the variables that conda-forge has for all recipes.
variants = rattler_build.VariantConfig({"c_stdlib": ["sysroot"], "c_stdlib_version": ["2.17"]})
(rendered,) = rattler_build.Stage0Recipe.from_file(str(recipe)).render(variants)
print("rendered:", rendered)

text = yaml.safe_load(recipe.read_text())
del text["requirements"]
text["source"] = [
    {"path": str((recipe.parent / text["source"][0]["path"]).resolve())},
    {"path": str(asmjit.resolve()), "target_directory": text["source"][1]["target_directory"]},
]
script = recipe.parent / text["build"]["script"]
keep = [name for name in ("CCACHE_DIR", "CCACHE_BASEDIR", "CCACHE_NOHASHDIR") if name in os.environ]
text["build"]["script"] = {
    "file": script.name,
    "env": {"SQLITE_LIBRARY": "/usr/lib/x86_64-linux-gnu/libsqlite3.so"} | {name: os.environ[name] for name in keep},
}
text["build"]["dynamic_linking"] = {"missing_dso_allowlist": ["*"]}
with tempfile.TemporaryDirectory() as folder:
    changed, log = pathlib.Path(folder) / "recipe.yaml", pathlib.Path(folder) / "log"
    changed.write_text(yaml.safe_dump(text, sort_keys=False))
    first, _, rest = script.read_text().partition("\n")
    (changed.parent / script.name).write_text(f"{first}\nexec >>{log} 2>&1\n{rest}")  # rattler-build keeps it to itself
    try:
        rattler_build.build_recipes([changed], output_dir=str(output), channel=[str(output)], test="native")
    except rattler_build.RattlerBuildError:
        sys.exit(log.read_text()[-4000:] if log.exists() else "the recipe's script was not run, or a test failed")
