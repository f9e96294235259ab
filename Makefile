# A thin front end for CMake and scripts/; every target first installs its dependencies (scripts/setup).

# The Python package needs packages of PyPI, in build/venv. Without them it is left out, and the script says why.
python_options = $$(scripts/python_environment build/venv)

# As many as work at once with 2 GB of memory each.
cores = $$(free -g 2>/dev/null | awk -v cores=$$(nproc) '/^Mem:/ {most = int($$2 / 2); print most < 1 ? 1 : most < cores ? most : cores}')

.PHONY: help setup build demo check check-gpu check-mpi check-plans check-peers python_release wheel bench bench-python bench-gpu \
	fuzz fuzz-fftw fuzz-parsers packages check-packages check-recipes check-debian13 check-aarch64 sanitize format docs manual

help:
	@echo "make demo       build the release version and run the demonstration"
	@echo "make check      build, check layers, includes, units and formatting, run all tests"
	@echo "make bench      problems drawn at random on the CPU against other libraries (minutes; SEED= COUNT=)"
	@echo "make bench-python  calls drawn at random of the Python package against SciPy (minutes; SEED= COUNT=)"
	@echo "make bench-gpu  problems drawn at random on a GPU against cuFFT and cuBLAS (minutes; SEED= COUNT=)"
	@echo "make fuzz       random problems against references in long double: SECONDS=60 JOBS=1, SEED=N repeats a run"
	@echo "make sanitize   run all tests under ASan+UBSan, then under TSan"
	@echo "make fuzz-fftw  fuzz FFTW's interface under sanitizers (SECONDS=60, SEED=…)"
	@echo "make fuzz-parsers  fuzz all parsers (SECONDS=30 each, SEED=…)"
	@echo "make format     format all C and C++ files"
	@echo "make docs       regenerate the generated parts of docs/"
	@echo "make manual     build the manual as a site in build/manual, which works without a network"
	@echo "make check-gpu  run the tests that need a GPU; without one they are skipped"
	@echo "make check-mpi  run the tests of MPI, and lose 100 ranks in each way (a quarter of an hour)"
	@echo "make check-peers  run SciPy's, NumPy's and PyTorch's own tests with the Python package in place of theirs"
	@echo "make packages   build Debian packages and a tar file in build/packages"
	@echo "make check-packages  install them in a fresh Debian root and use them there (as root; debootstrap)"
	@echo "make check-recipes  build by the recipes for conda-forge, Spack and vcpkg in a fresh Debian root (as root; a quarter of an hour)"
	@echo "make check-debian13  build and test in a fresh Debian 13 (as root; half an hour)"
	@echo "make check-aarch64  cross-build for AArch64 and test by qemu (half an hour)"
	@echo "make wheel      build the Python package as a wheel in build/wheels"
	@echo "make check-plans  plan very many problems, run none (hours; SEED= COUNT= SECONDS= JOBS= PART=2/16 SKIP=)"

setup:
	@scripts/setup

# PRECOMPILE=OFF: without precompiled headers, as CI builds, which finds missing #includes.
build: setup
	cmake --preset dev -DSWIRL_PRECOMPILE=$(or $(PRECOMPILE),ON) $(python_options)
	cmake --build --preset dev --parallel $(cores)

demo:
	@echo "make demo installs what is missing, builds swirl (some minutes on two cores, later runs seconds), and runs the demonstration."
	@scripts/setup
	cmake --preset release
	cmake --build --preset release --parallel $(cores) --target swirl_cli example_recording_cpp
	scripts/demo

check:
	@echo "make check installs what is missing, builds swirl and its tests, and runs them: a quarter of an hour on two cores."
	@$(MAKE) --no-print-directory build
	scripts/check_layers
	scripts/check_includes
	scripts/check_units
	scripts/check_format
	ctest --preset dev --progress --parallel $(cores)

# Without a GPU these tests are skipped, and say why.
check-gpu: setup
	cmake --preset release
	cmake --build --preset release --target test_gpu
	ctest --test-dir build/release --label-regex '^gpu$$' --verbose

# With OpenMPI and MPICH. `make check` runs a few of these trials.
check-mpi: setup
	cmake --preset dev
	cmake --build --preset dev --target test_mpi_openmpi test_mpi_mpich test_fftw_mpi_openmpi test_fftw_mpi_mpich \
		test_scalapack_openmpi test_scalapack_mpich
	scripts/check_mpi openmpi build/dev/bin --exchanges 100
	scripts/check_mpi mpich build/dev/bin --exchanges 100
	scripts/check_fftw_mpi openmpi build/dev/bin --runs 60 --with-fftw
	scripts/check_fftw_mpi mpich build/dev/bin --runs 60
	scripts/check_scalapack openmpi build/dev/bin --runs 60
	scripts/check_scalapack mpich build/dev/bin --runs 60

wheel: setup
	scripts/python_environment build/venv >/dev/null
	scripts/wheel build/venv build/wheels

packages:
	@scripts/setup --packages
	cmake --preset packages
	cmake --build --preset packages
	cd build/packages && rm -f *.deb && cpack -G "DEB;TGZ"

check-packages: packages wheel
	scripts/check_packages

check-recipes:
	scripts/check_recipes

check-debian13:
	scripts/check_debian13

check-aarch64:
	@scripts/setup --packages
	scripts/check_aarch64

# SciPy's, NumPy's and PyTorch's own tests with swirl in place of their functions; swirl.fft against SciPy's.
python_release: setup
	cmake --preset release $(python_options)
	cmake --build --preset release --target swirl_python

# Where PyTorch cannot be installed its tests are skipped, and say so.
check-peers: python_release
	-build/venv/bin/pip install --quiet --disable-pip-version-check --requirement python/requirements_peers.txt
	PYTHONPATH=build/release/python build/venv/bin/python scripts/check_python_peers
	PYTHONPATH=build/release/python build/venv/bin/python scripts/check_torch_peers

bench-python: python_release
	PYTHONPATH=build/release/python build/venv/bin/python scripts/bench_python $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT))

# Plans only, and reports those that fail, take over 2 s or over 200 MiB. No GPU is needed.
check-plans: setup
	cmake --preset release
	cmake --build --preset release --target bench_planning
	build/release/bin/bench_planning $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) \
		$(if $(SECONDS),--seconds $(SECONDS)) $(if $(JOBS),--jobs $(JOBS)) $(if $(PART),--part $(PART)) $(if $(SKIP),--skip $(SKIP))

# Problems drawn at random: the same SEED draws the same ones. Results are in build/results; scripts/report makes tables of them.
seed = $(or $(SEED),$(shell date +%Y%m%d))
define run_bench
	mkdir -p build/results
	build/release/bin/bench --draw transforms --seed $(seed) --count $(or $(COUNT),40) --seconds 1 --fftw-seconds 2 \
		--device $(1) --json build/results/$(1)-transforms.jsonl
	build/release/bin/bench --draw products --seed $(seed) --count $(or $(COUNT),40) --seconds 1 \
		--device $(1) --json build/results/$(1)-products.jsonl
	scripts/report build/results/$(1)-transforms.jsonl build/results/$(1)-products.jsonl
endef

bench: setup
	@scripts/peers
	cmake --preset release
	cmake --build --preset release --target swirl_bench
	$(call run_bench,cpu)

bench-gpu: setup
	cmake --preset release
	cmake --build --preset release --target swirl_bench
	$(call run_bench,gpu)

sanitize: setup
	cmake --preset asan
	cmake --build --preset asan
	ctest --preset asan --progress
	cmake --preset tsan
	cmake --build --preset tsan
	ctest --preset tsan --progress

fuzz: setup
	cmake --preset dev
	cmake --build --preset dev --target swirl_fuzz
	build/dev/bin/fuzz --seconds $(or $(SECONDS),60) --jobs $(or $(JOBS),1) $(if $(SEED),--seed $(SEED)) $(FUZZ)

# Give SEED and SECONDS on make's command line: in the environment bash replaces SECONDS by its own.
fuzz-parsers: setup
	cmake -S . -B build/fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang -DSWIRL_FUZZ_PARSERS=ON \
		-DSWIRL_BUILD_TESTS=OFF -DSWIRL_BUILD_BENCH=OFF -DSWIRL_BUILD_EXAMPLES=OFF
	cmake --build build/fuzz --target fuzz_parsers
	SECONDS_EACH=$(or $(SECONDS),30) SEED=$(SEED) scripts/fuzz_parsers

fuzz-fftw: setup
	cmake -S . -B build/fuzz-fftw -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang -DSWIRL_FUZZ_FFTW=ON \
		-DSWIRL_BUILD_CLI=OFF -DSWIRL_BUILD_TESTS=OFF -DSWIRL_BUILD_BENCH=OFF -DSWIRL_BUILD_EXAMPLES=OFF \
		-DCMAKE_BUILD_TYPE=RelWithDebInfo -DSWIRL_UNITE=ON \
		-DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"
	cmake --build build/fuzz-fftw --target fuzz_fftw
	mkdir -p build/fuzz-fftw/corpus
	build/fuzz-fftw/bin/fuzz_fftw $(if $(SEED),-seed=$(SEED)) -max_total_time=$(or $(SECONDS),60) -timeout=60 \
		-rss_limit_mb=4000 -artifact_prefix=build/fuzz-fftw/ build/fuzz-fftw/corpus

format: setup
	scripts/check_format --fix

# Tests in tests/docs compare each generated part with swirl's output; with this variable they write it.
docs: build
	SWIRL_UPDATE_DOCS=1 ctest --preset dev --label-regex '^docs$$'

# MkDocs and Doxygen are needed for this alone. docs/ can be read without it.
manual:
	@scripts/setup --manual
	@scripts/manual
