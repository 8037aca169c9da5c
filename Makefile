# Makefile: one file, no recursion. `make help` lists what it can do. (Longer than our 250 lines: one file is one place
# to look for a rule.)
#
# New files need no line here: everything is found by its place in the tree.
#
#   lib/**/*.c             -> build/libdist.a (all but lib/launch/distrun.c)
#   lib/launch/distrun.c   -> build/bin/distrun
#   diagrams/*.c           -> build/bin/draw, build/bin/play, build/bin/topology and build/bin/explain
#   chapters/13_scale/predict/*.c -> build/bin/predict, and what that chapter's programs are linked with
#   chapters/NN_x/NAME.c   -> build/chapters/NN_x/NAME
#   chapters/NN_x/NAME.cu  -> the same, where the CUDA device is built
#   tests/test_*.c         -> build/tests/test_*, a Criterion suite each; the other tests/*.c help them
#   lib/devices/cuda/*.cu  -> in libdist.a, where there is a GPU (section CUDA)
#   tests/doubles/*/*.c    -> doubles of CUDA and NCCL, which help the suites
#   tests/gpu/*            -> build/tests/gpu/*, for make test-gpu
#   tests/programs/NAME.c  -> build/tests/programs/NAME, started by suites
#   tests/tsan/NAME.c      -> build/tsan/tests/tsan/NAME, plain programs that run under ThreadSanitizer
#   tests/bench/bench_*.c  -> build/tests/bench/bench_*; bench_mpi.c and bench_gloo.cc are built by peers.sh
#   exercises/NN_x/K_y.c   -> build/exercises/NN_x/K_y, and exercise-NN.K; solutions/ alike
#   tests/graders/NN_x/K_y.c -> build/tests/graders/NN_x/K_y, which grades exercise-NN.K
#
# Paths must be free of blanks: make cannot hold them apart.

.DEFAULT_GOAL := chapters
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory -j$(shell nproc 2>/dev/null || echo 2)

# A word as the shell takes it, and a string as C does, whatever stands in it.
quoted = '$(subst ','\'',$1)'
c_string = "$(subst ",\",$(subst \,\\,$1))"

# Where a command is. (Makes before 4.3 call what has no redirection without a shell, and then there is no `command`.)
where = $(shell command -v $1 2>/dev/null)

# Scripts want a folder for their files without blanks, as make does.
ifneq ($(word 2,$(TMPDIR)),)
unexport TMPDIR
endif

# ---- the compiler and its flags --------------------------------------------------

# make's own default is cc, which a small machine may lack. (With make -R, or CC= in the environment, there is none.)
ifeq ($(if $(filter default undefined,$(origin CC)),,$(CC)),)
override CC := $(firstword $(notdir $(shell command -v cc || command -v gcc || command -v clang)) cc)
endif

# ld, ar and objcopy as this compiler would call them: a cross compiler has its own, and knows where.
beside = $(shell $(CC) -print-prog-name=$1 2>/dev/null || echo $1)

CFLAGS ?= -O3 -g
CPPFLAGS ?=
LDFLAGS ?=
# A newer compiler's new warning must not stop a reader: warnings are errors in `make check`, and where WERROR=-Werror.
WERROR ?=
WARNINGS := -Wall -Wextra -Wpedantic $(WERROR)

# No fused multiply-add and no errno from sqrt: the same bits under every compiler, and loops that vectorise. And no link-time
# optimisation, which systems set for their packages: ld and objcopy make the library of machine code.
FLAGS := -std=c11 -Ilib -pthread $(CPPFLAGS) $(CFLAGS) -ffp-contract=off -fno-math-errno -fno-lto $(WARNINGS)
LINKER = $(CC) $(CFLAGS) $(LDFLAGS) -fno-lto

# All functions of shared libraries are found before main, once, and not by each rank when it first calls one.
# (dlopen is in a library of its own before glibc 2.34.)
LIBS := -pthread -lm -ldl -Wl,-z,now

ASAN := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g
TSAN := -fsanitize=thread -O1 -g

# Criterion is asked for late: `make test` may have installed it only a moment ago. RUNNER=small: a small runner of ours in its
# place, for another libc or another processor than this machine's.
RUNNER_SOURCE := $(if $(filter small,$(RUNNER)),tests/doubles/criterion/criterion.c)
CRITERION_CFLAGS = $(if $(RUNNER_SOURCE),-Itests/doubles -D_GNU_SOURCE=,$(shell pkg-config --cflags criterion 2>/dev/null))
CRITERION_LIBS = $(if $(RUNNER_SOURCE),,$(shell pkg-config --libs criterion 2>/dev/null || echo -lcriterion))

# Quiet unless V=1: `$(call say,CC,file) command` tells what happens, $Q hides how.
Q := $(if $(V),,@)
say = $(if $(V),,@tests/tools/step.sh '$(1)' '$(2)')
$(shell rm -rf build/steps 2>/dev/null)

# A tree on a read-only disk, or in which somebody else (root, say) has built.
ifneq ($(filter-out help doctor next progress,$(or $(MAKECMDGOALS),chapters)),)
ifeq ($(shell if [ -e build ]; then [ -w build ]; else [ -w . ]; fi && echo yes),)
$(error $(CURDIR)/build cannot be written; copy the folder to where you may write, or make it yours (sudo chown -R "$$(id -u)" build))
endif
endif

# Steps pass on what the compiler says, so it must be told that it speaks to a terminal.
COLOR := $(if $(MAKE_TERMERR),-fdiagnostics-color=always)

# ---- NCCL -------------------------------------------------------------------------
#
# The headers are all that the nccl backend needs to be built; the library itself is opened when a program asks for
# BACKEND=nccl. Looked for in NCCL_HOME, CUDA_HOME, conda, wheels of pip, and where systems put it.

PIP_PLACES := $(wildcard $(foreach d,$(VIRTUAL_ENV) $(HOME)/.local /usr/local /usr,$d/lib/python3*/*-packages/nvidia/*))
NCCL_PLACES := $(NCCL_HOME) $(CUDA_HOME) /usr/local/cuda $(CONDA_PREFIX) $(PIP_PLACES) /usr /usr/local
place_of = $(firstword $(foreach d,$(NCCL_PLACES),$(if $(wildcard $d/include/$1),$d)))
NCCL_PLACE := $(call place_of,nccl.h)
CUDART_PLACE := $(call place_of,cuda_runtime.h)
NCCL_LIB := $(firstword $(wildcard $(NCCL_PLACE)/lib*/libnccl.so.2 $(NCCL_PLACE)/lib/*/libnccl.so.2))
HAS_NCCL := $(and $(NCCL_PLACE),$(CUDART_PLACE))
ifneq ($(HAS_NCCL),)
# The compiler looks through /usr anyway, and must not do so earlier than it wants.
FLAGS += $(patsubst %,-isystem %/include,$(filter-out /usr /usr/local,$(sort $(NCCL_PLACE) $(CUDART_PLACE)))) \
         -DHAVE_NCCL $(if $(NCCL_LIB),-DNCCL_FOUND_IN=$(dir $(NCCL_LIB)))
endif

# ---- MPI --------------------------------------------------------------------------
#
# BACKEND=mpi opens a plug-in, one for each MPI that is here: by the names of their compilers, as Debian has them, or mpicc's own.
# It counts if it can compile and link: mpicc may be here without headers, or its compiler may be gone.

mpi_compiler = env OMPI_CC=$(call quoted,$(CC)) MPICH_CC=$(call quoted,$(CC)) $1
has_mpi = $(shell $(call mpi_compiler,$1) -shared -fPIC -x c -include mpi.h /dev/null -o /dev/null 2>/dev/null && echo yes)
is_openmpi = $(shell $(call mpi_compiler,$1) -E -dM -x c -include mpi.h /dev/null 2>/dev/null | grep -w OPEN_MPI)
MPI_NAMED := $(foreach m,openmpi mpich,$(if $(call has_mpi,mpicc.$m),$m))
MPIS := $(or $(MPI_NAMED),$(if $(call has_mpi,mpicc),$(if $(call is_openmpi,mpicc),openmpi,mpich)))
MPI_PLUGINS = $(if $(CROSS),,$(MPIS:%=build/plugins/dist-%.so))

# ---- Gloo -------------------------------------------------------------------------

# Its smallest header stands for all of them, of which some take a second.
HAS_GLOO := $(shell $(CXX) -std=c++14 -shared -fPIC -x c++ -include gloo/config.h /dev/null -lgloo -o /dev/null 2>/dev/null && echo yes)
engines = MPIS="$(MPIS)" HAS_GLOO="$(HAS_GLOO)"
GLOO_PLUGIN = $(if $(CROSS),,$(if $(HAS_GLOO),build/plugins/dist-gloo.so))

# ---- CUDA -------------------------------------------------------------------------
#
# The device "cuda" is built where it can run: with nvcc, and a GPU. Its kernels are compiled for the GPUs of this machine,
# which takes seconds. For one of each generation that nvcc knows it takes a minute: so that is done only when asked for,
# with CUDA_FOR=all, on a machine that builds for others. CUDA_FOR=nothing leaves the device out.

CUDA_PLACES := $(CUDA_HOME) $(patsubst %/bin/nvcc,%,$(call where,nvcc)) /usr/local/cuda $(CONDA_PREFIX) $(PIP_PLACES)
CUDA_PLACE := $(firstword $(foreach d,$(CUDA_PLACES),$(if $(wildcard $d/bin/nvcc),$d)))
NVCC := $(if $(CUDA_PLACE),$(CUDA_PLACE)/bin/nvcc)
cuda_lib = $(firstword $(wildcard $(foreach d,$(CUDA_PLACE) $(CUDART_PLACE),$(foreach l,lib64 lib targets/*/lib lib/*,$d/$l/$1))))
CUDART := $(or $(call cuda_lib,libcudart_static.a),$(call cuda_lib,libcudart.so*))
CUBLAS := $(or $(call cuda_lib,libcublas.so.*),$(firstword $(wildcard $(PIP_PLACES:%=%/lib/libcublas.so.*))))
HAS_CUDA := $(and $(NVCC),$(CUDART),$(CUDART_PLACE))

# CUDA_FOR=amd: the same sources for AMD's GPUs, on HIP and RCCL, through a thin map of names (lib/devices/amd). That has been
# compiled, and has not run on a GPU.
HIPCC := $(firstword $(wildcard $(or $(ROCM_PATH),/opt/rocm)/bin/hipcc) $(call where,hipcc))
HIP_PLACE := $(patsubst %/bin/hipcc,%,$(HIPCC))
AMD_GPUS ?= gfx90a
AMD_FLAGS := -Ilib/devices/amd -D__HIP_PLATFORM_AMD__ -D__HIP_PLATFORM_HCC__ \
    $(patsubst %,-isystem %/include,$(filter-out /usr,$(HIP_PLACE)))
HIP_FLAGS = -x hip -std=c++17 -O3 -ffp-contract=off -Ilib $(AMD_FLAGS) $(AMD_GPUS:%=--offload-arch=%) \
    -Wno-unused-command-line-argument -Wno-c99-designator

# What CC compiles for, if that is not this kind of machine: nvcc's own compiler would still make objects for this one.
MACHINE := $(shell uname -m)
CROSS := $(filter-out $(MACHINE)-%,$(shell $(CC) $(CFLAGS) -dumpmachine 2>/dev/null))
CUDA_FOR ?= $(if $(CROSS),nothing,$(if $(and $(HAS_CUDA),$(wildcard /dev/nvidiactl /dev/nvidia0 /dev/dxg)),here,nothing))
ifeq ($(filter here all nothing amd,$(CUDA_FOR)),)
$(error CUDA_FOR is "$(CUDA_FOR)"; it must be here, all, nothing or amd)
endif
ifneq ($(CUDA_FOR),nothing)
ifneq ($(CROSS),)
$(error CUDA_FOR=$(CUDA_FOR) compiles for $(MACHINE), and CC=$(CC) for $(CROSS); take a compiler for $(MACHINE), or CUDA_FOR=nothing)
endif
ifeq ($(CUDA_FOR)$(HIPCC),amd)
$(error CUDA_FOR=amd needs hipcc; install ROCm (Debian: hipcc libamdhip64-dev), or say where it is: ROCM_PATH=/opt/rocm)
endif
ifeq ($(or $(HAS_CUDA),$(filter amd,$(CUDA_FOR))),)
$(error CUDA_FOR=$(CUDA_FOR) needs nvcc and libcudart; install the CUDA toolkit, or say where it is: CUDA_HOME=/usr/local/cuda)
endif
CUDA_OBJECTS := $(patsubst %,build/%.o,$(basename $(wildcard lib/devices/cuda/*.c lib/devices/cuda/*.cu)))
endif

comma := ,

ifeq ($(CUDA_FOR),amd)
# Everything is compiled anew for another kind of GPU.
FLAGS += -DCUDA_FOR_AMD
NVCC := $(HIPCC)
CUDART := $(or $(firstword $(wildcard $(HIP_PLACE)/lib/libamdhip64.so $(HIP_PLACE)/lib/*/libamdhip64.so)),-lamdhip64)
CUBLAS :=
endif

# Programs carry the runtime in them and start without it, and without a driver. (Where there is only a shared one they need it.)
CUDART_INSIDE := $(if $(CUDA_OBJECTS),$(filter %.a,$(CUDART)))
LIBS += $(if $(CUDA_OBJECTS),$(CUDART) $(if $(CUDART_INSIDE),-ldl -lrt,-Wl$(comma)-rpath$(comma)$(dir $(CUDART))))

# No fused multiply-add: the host's bits. One GPU of each generation runs on all of it, and text for those to come.
NVCC_FLAGS = -std=c++17 -O3 -fmad=false -Ilib $(if $(WERROR),-Werror all-warnings) $(CUDA_CODE) -Xfatbin -compress-all -t 0 \
    $(patsubst %,-isystem %/include,$(filter-out /usr $(CUDA_PLACE),$(CUDART_PLACE))) \
    -Xcompiler -Wall,-Wextra,-Wno-unknown-pragmas,-ffp-contract=off,-fno-exceptions,-fno-threadsafe-statics
ifeq ($(CUDA_FOR),amd)
NVCC_FLAGS = $(HIP_FLAGS)
endif
CUDA_CODE = $(if $(filter all,$(CUDA_FOR)),$(all_gpus),-arch=native)
all_gpus = $(shell $(NVCC) --list-gpu-code | sed -n 's/^sm_\([0-9]*\)$$/\1/p' | sort -n | awk '\
    $$1 >= 75 && !seen[int($$1 / 10)]++ { print "-gencode arch=compute_" $$1 ",code=sm_" $$1; last = $$1 } \
    END { print "-gencode arch=compute_" last ",code=compute_" last }')

# ---- what there is ----------------------------------------------------------------

# The backend, or what stands in for it.
NCCL_LEFT_OUT := $(if $(HAS_NCCL),lib/backends/nccl/absent.c,$(filter-out %/absent.c,$(wildcard lib/backends/nccl/*.c)))
LIB_SOURCES := $(filter-out lib/launch/distrun.c lib/devices/cuda/% %/plugin.c $(NCCL_LEFT_OUT),$(wildcard lib/*.c lib/*/*.c lib/*/*/*.c))
# The objects of one flavour: only programs in build/ and what is installed use GPUs.
WITH_GPUS := build build/pic
lib_objects = $(if $(and $(CUDA_OBJECTS),$(filter $(WITH_GPUS),$1)), \
              $(filter-out %/no_cuda.o,$(LIB_SOURCES:%.c=$1/%.o)) $(CUDA_OBJECTS:build/%=$1/%), \
              $(LIB_SOURCES:%.c=$1/%.o))
# Chapter by chapter: its programs in the order in which the lesson shows them, then those that it does not show.
SHOWN := $(shell awk '$$2 == "insert:" && $$3 ~ /^[^\/]*\.c$$/ { file = FILENAME; sub(/README.md/, $$3, file); \
                 if (!seen[file]++) print file }' $(wildcard chapters/*/README.md) /dev/null)
CHAPTER_SOURCES := $(foreach c,$(sort $(wildcard chapters/*/)),$(filter $c%,$(SHOWN)) $(filter-out $(SHOWN),$(wildcard $c*.c)))
HAS_NVTX := $(if $(HAS_NCCL),$(wildcard $(patsubst %,%/include/nvtx3/nvToolsExt.h,$(NCCL_PLACE) $(CUDART_PLACE) /usr)))
# A suite that needs what this machine lacks is not built, and test.sh tells why: NAME:WHY, with _ for blanks.
SUITES_LEFT_OUT := $(if $(MPIS),,test_mpi:no_MPI_is_here_(Debian:_libopenmpi-dev_openmpi-bin_or_libmpich-dev_mpich;_make_doctor)) \
                   $(if $(HAS_GLOO),,test_gloo:Gloo_is_not_here_(Debian:_libgloo-dev_g++;_make_doctor)) \
                   $(if $(HAS_NCCL),,$(patsubst tests/%.c,%:nccl.h_or_cuda_runtime.h_is_missing_(make_doctor),$(wildcard tests/test_nccl_*.c))) \
                   $(if $(HAS_NVTX),,test_cuda_ranges:nvtx3/nvToolsExt.h_is_missing_(it_comes_with_CUDA))
LEFT_OUT_SOURCES := $(foreach s,$(SUITES_LEFT_OUT),tests/$(firstword $(subst :, ,$s)).c)
SUITE_SOURCES := $(filter-out $(LEFT_OUT_SOURCES),$(sort $(wildcard tests/test_*.c)))
HELPER_SOURCES := $(filter-out tests/test_%,$(wildcard tests/*.c)) \
                  $(if $(HAS_NCCL),$(wildcard tests/doubles/nccl/*.c)) $(wildcard tests/doubles/cuda/*.c)
MODEL_SOURCES := $(wildcard tests/model/*.c)
TEST_PROGRAM_SOURCES := $(sort $(wildcard tests/programs/*.c))
KILLS := build/tests/kills/kills
TSAN_SOURCES := $(sort $(wildcard tests/tsan/*.c))
BENCH_INSIDE := build/tests/bench/bench_checks build/tests/bench/bench_tracing
BENCH_SOURCES := $(filter-out %/bench_mpi.c %/bench_gpu.c %/bench_nccl.c $(BENCH_INSIDE:build/%=%.c),$(wildcard tests/bench/bench_*.c))
BENCH_CASES := $(patsubst %,build/tests/bench/%.o,run pace messages collectives patterns peers_at_once costs)

# Chapter by chapter, and in each by the number that a name begins with: that is the order of the exercises.
EXERCISE_SOURCES := $(sort $(wildcard exercises/*/[0-9]*.c))
SOLUTION_SOURCES := $(sort $(wildcard solutions/*/[0-9]*.c))
GRADER_SOURCES := $(filter-out %.desk.c,$(sort $(wildcard tests/graders/*/*.c)))
DESK_SOURCES := $(sort $(wildcard tests/graders/*/*.desk.c)) tests/grader/desk.c tests/grader/late.c tests/grader/confine.c \
        tests/grader/stand.c tests/grader/denied.c tests/grader/held.c tests/grader/heap.c
GRADING_SOURCES := $(filter-out $(DESK_SOURCES),$(wildcard tests/grader/*.c))
GRADERS := $(GRADER_SOURCES:%.c=build/%)
DESKS_SHARED := build/tests/grader/libdesk.a build/libdist.a
DESKS := $(DESK_SOURCES:%.c=build/%.o) $(DESKS_SHARED)

BENCHES := $(BENCH_SOURCES:%.c=build/%) $(BENCH_INSIDE) $(BENCH_CASES)
LESSONS := $(wildcard README.md chapters/*/README.md)
DRAW_SOURCES := $(filter-out diagrams/draw.c diagrams/play.c diagrams/topology.c diagrams/explain.c,$(wildcard diagrams/*.c))
DRAWERS := build/bin/draw build/bin/play build/bin/topology build/bin/explain
PREDICT := chapters/13_scale/predict
PREDICT_SOURCES := $(filter-out %/main.c,$(wildcard $(PREDICT)/*.c))
PREDICTOR := $(if $(PREDICT_SOURCES),build/bin/predict)
DISTRUN := $(if $(wildcard lib/launch/distrun.c),build/bin/distrun)
CHAPTERS := $(CHAPTER_SOURCES:%.c=build/%)
# Those with kernels of their own. Built with the CUDA device (else no word is lost about them); run where there is a GPU.
CUDA_CHAPTERS := $(if $(CUDA_OBJECTS),$(patsubst %.cu,build/%,$(wildcard chapters/*/*.cu)))
SUITES := $(SUITE_SOURCES:%.c=build/%)
TEST_PROGRAMS := $(TEST_PROGRAM_SOURCES:%.c=build/%)

# ---- compile and link ------------------------------------------------------------

# Rewritten only when compiler or flags differ from last time; everything compiled depends on it.
build/flags: FORCE
	$Q mkdir -p $(@D)
	$Q echo $(flags_now) | cmp -s - $@ || echo $(flags_now) >$@
flags_now = $(call quoted,$(LINKER) $(FLAGS))

# What a program may call: the functions of the headers that it may include.
PUBLIC_HEADERS := lib/tensor.h $(sort $(wildcard lib/dist*.h))
open := (
PUBLIC_NAMES := $(shell grep -ohE '(dist|tensor|algorithm)_[a-z0-9_]+[$(open)]' $(PUBLIC_HEADERS) lib/algorithms/algorithms.h | \
                tr -d '$(open)' | sort -u)
# And those of the CUDA runtime that is inside: a program with kernels of its own (.cu) shares it, and cannot be linked with two.
CUDART_NAMES := $(if $(CUDART_INSIDE),cuda[A-Z]* __cuda* libcudart_static_*)

# The same sources in four flavours: build/ for everybody, build/asan/ and build/tsan/ for the sanitizers, build/pic/ for
# what is installed (section "install").
# $(1) is the folder, $(2) the flags that make it different.
define flavour
$(1)/%.o: %.c build/flags
	$$Q mkdir -p $$(@D)
	$$(call say,CC,$$<$(if $(2), ($(notdir $(1))))) $$(CC) $$(FLAGS) $$(COLOR) $(2) $$(EXTRA) -MMD -MP -c $$< -o $$@

$(1)/libinside.a: $(call lib_objects,$(1)) build/cuda/flags
	$$Q rm -f $$@
	$$(call say,AR,$$@) $$(call beside,ar) rcs $$@ $$(filter %.o,$$^)

# For programs: one object in which only the public names can be seen, so that a program may have a `report` of its own.
$(1)/libdist.a: $(call lib_objects,$(1)) build/cuda/flags Makefile
	$$Q rm -f $$@
	$$(call say,AR,$$@) $$(call beside,ld) -r $$(filter %.o,$$^) $(if $(filter $(WITH_GPUS),$(1)),$(CUDART_INSIDE)) -o $(1)/dist.o
	$$Q $$(call beside,objcopy) --wildcard $$(patsubst %,--keep-global-symbol='%',$$(PUBLIC_NAMES) $$(CUDART_NAMES)) $(1)/dist.o
	$$Q $$(call beside,ar) rcs $$@ $(1)/dist.o

# The CUDA device once more, on a double of CUDA (tests/doubles/cuda).
$(1)/double/%.o: %.c build/flags
	$$Q mkdir -p $$(@D)
	$$(call say,CC,$$< (on the double$(if $(2),$(comma) $(notdir $(1))))) $$(CC) $$(FLAGS) $(2) -Itests/doubles/cuda -MMD -MP -c $$< -o $$@

$(1)/tests/libhelpers.a: $$(HELPER_SOURCES:%.c=$(1)/%.o) $$(patsubst %.c,$(1)/double/%.o,$(wildcard lib/devices/cuda/*.c))
	$$Q rm -f $$@
	$$(call say,AR,$$@) $$(call beside,ar) rcs $$@ $$^

# What passes for cuBLAS there: a suite opens it.
$(1)/tests/doubles/libcublas.so: tests/doubles/cublas/library.c tests/doubles/cublas/library.h build/flags
	$$Q mkdir -p $$(@D)
	$$(call say,LINK,$$@) $$(LINKER) $$(FLAGS) $(2) -fPIC -shared -Wl,-soname,libcublas.so.13 $$< -o $$@
$(1)/tests/test_cuda_waits: | $(1)/tests/doubles/libcublas.so

$(1)/diagrams/libdraw.a: $$(DRAW_SOURCES:%.c=$(1)/%.o)
	$$Q rm -f $$@
	$$(call say,AR,$$@) $$(call beside,ar) rcs $$@ $$^

$(1)/bin/draw $(1)/bin/play $(1)/bin/topology $(1)/bin/explain: $(1)/bin/%: $(1)/diagrams/%.o $(1)/diagrams/libdraw.a $(1)/libinside.a
	$$Q mkdir -p $$(@D)
	$$(call say,LINK,$$@) $$(LINKER) $(2) $$^ $$(LIBS) -o $$@

$(1)/$(PREDICT).a: $$(PREDICT_SOURCES:%.c=$(1)/%.o)
	$$Q rm -f $$@
	$$(call say,AR,$$@) $$(call beside,ar) rcs $$@ $$^

$(1)/bin/predict: $(1)/$(PREDICT)/main.o $(1)/$(PREDICT).a
	$$Q mkdir -p $$(@D)
	$$(call say,LINK,$$@) $$(LINKER) $(2) $$^ $$(LIBS) -o $$@

$$(patsubst %.c,$(1)/%,$$(filter $(dir $(PREDICT))%,$$(CHAPTER_SOURCES))): $(1)/$(PREDICT).a

$$(SUITE_SOURCES:%.c=$(1)/%): $(1)/%: $(1)/%.o $(RUNNER_SOURCE:%.c=$(1)/%.o) $(1)/tests/libhelpers.a $(1)/diagrams/libdraw.a $(1)/libinside.a
	$$(call say,LINK,$$@) $$(LINKER) $(2) $$^ $$(CRITERION_LIBS) $$(LIBS) -o $$@

$$(PROGRAM_SOURCES:%.c=$(1)/%): $(1)/%: $(1)/%.o $(1)/libdist.a
	$$(call say,LINK,$$@) $$(LINKER) $(2) $$^ $$(LIBS) -o $$@

$$(CRITERION_SOURCES:%.c=$(1)/%.o): EXTRA = $$(CRITERION_CFLAGS)
$$(CRITERION_SOURCES:%.c=$(1)/%.o): | $(if $(RUNNER_SOURCE),,criterion)
$(patsubst %.c,$(1)/%.o,$(wildcard tests/doubles/cuda/*.c)): EXTRA = -Itests/doubles/cuda
endef

PROGRAM_SOURCES := $(CHAPTER_SOURCES) $(TEST_PROGRAM_SOURCES) $(TSAN_SOURCES) $(BENCH_SOURCES) $(EXERCISE_SOURCES) \
                   $(SOLUTION_SOURCES)
CRITERION_SOURCES := $(SUITE_SOURCES) $(shell grep -l -e '<criterion/' -e '"misuse_test.h"' $(HELPER_SOURCES) /dev/null)
$(eval $(call flavour,build,))
$(eval $(call flavour,build/asan,$(ASAN)))
$(eval $(call flavour,build/tsan,$(TSAN)))
$(eval $(call flavour,build/pic,-fPIC -fno-semantic-interposition))

$(MPI_PLUGINS): build/plugins/dist-%.so: lib/backends/mpi/plugin.c lib/backends/mpi/collect.inc.h lib/backends/transport/transport.h build/flags
	$Q mkdir -p $(@D)
	$(call say,MPICC,$@) $(call mpi_compiler,$(if $(MPI_NAMED),mpicc.$*,mpicc)) $(FLAGS) $(COLOR) -fPIC -shared $< -o $@
build/plugins/dist-gloo.so: lib/backends/gloo/plugin.cc $(wildcard lib/backends/gloo/*.inc.h) lib/backends/transport/transport.h build/flags
	$Q mkdir -p $(@D)
	$(call say,CXX,$@) $(CXX) -std=c++14 -O2 -g -Wall -Wextra $(COLOR) -idirafter lib/backends/gloo/missing -fPIC -shared -pthread $< -lgloo -o $@
OPENERS := $(patsubst %,%/lib/backends/transport/open.o,build build/asan build/tsan)
$(OPENERS): EXTRA = -DTRANSPORT_FOLDER=$(call quoted,$(call c_string,$(CURDIR)/build/plugins))
build/pic/lib/backends/transport/open.o: EXTRA = -DTRANSPORT_FOLDER=$(call quoted,$(call c_string,$(LIBDIR)))

# A tree can be moved; the compiled path must follow. Rewritten only when it differs, like build/flags.
$(OPENERS): build/folder
build/folder: FORCE
	$Q mkdir -p $(@D)
	$Q echo $(call quoted,$(CURDIR)) | cmp -s - $@ || echo $(call quoted,$(CURDIR)) >$@

# Rewritten only when something differs, like build/flags.
build/cuda/flags: FORCE
	$Q mkdir -p $(@D)
	$Q echo '$(CUDA_FOR) $(if $(CUDA_OBJECTS),$(NVCC) $(NVCC_FLAGS))' | cmp -s - $@ || \
	    echo '$(CUDA_FOR) $(if $(CUDA_OBJECTS),$(NVCC) $(NVCC_FLAGS))' >$@

$(CUDA_OBJECTS) $(CUDA_OBJECTS:build/%=build/pic/%): EXTRA = $(if $(filter amd,$(CUDA_FOR)),,-isystem $(CUDART_PLACE)/include) \
    $(if $(CUBLAS),-DCUBLAS_FOLDER='"$(patsubst %/,%,$(dir $(CUBLAS)))"')

ifeq ($(CUDA_FOR),amd)
$(foreach d,build build/pic,$(patsubst %.c,$d/%.o,$(wildcard lib/devices/cuda/*.c lib/backends/nccl/*.c))): EXTRA = $(AMD_FLAGS)
endif

build/%.o: %.cu build/cuda/flags
	$Q mkdir -p $(@D)
	$(call say,NVCC,$<) $(NVCC) $(NVCC_FLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

$(CUDA_CHAPTERS): %: %.o build/libdist.a
	$(call say,LINK,$@) $(LINKER) $^ $(LIBS) -o $@

# What runs on GPUs, without Criterion; and the kernels on the host, wherever there is nvcc.
GPU_TESTS := $(patsubst %,build/tests/gpu/%,kernels_test conform_gpu streams_gpu)
build/tests/gpu/kernels_test: build/tests/gpu/kernels_test.o build/libinside.a
	$(call say,LINK,$@) $(LINKER) $^ $(LIBS) -o $@

build/tests/transport/conform_mpi: $(patsubst %,build/tests/%.o,transport/conform_mpi reference $(basename $(notdir $(wildcard tests/conform_*.c)))) build/libinside.a
	$(call say,LINK,$@) $(LINKER) $(filter %.o,$^) build/libinside.a $(LIBS) -o $@
# The mistakes of the misuse suites by name, and the generated programs: for ranks that are started on other hosts.
HOSTS_PROGRAMS := $(patsubst %,build/tests/transport/%,conform_mpi misused generated_hosts)
build/tests/by_name/%.o: tests/%.c build/flags
	$Q mkdir -p $(@D)
	$(call say,CC,$<) $(CC) $(FLAGS) $(COLOR) -DMISUSE_BY_NAME -MMD -MP -c $< -o $@
build/tests/transport/misused: $(patsubst tests/%.c,build/tests/by_name/%.o,tests/transport/misused.c $(shell grep -l misuse_test.h tests/test_*.c)) \
    build/tests/conform_exam.o build/tests/reference.o build/libinside.a
	$Q mkdir -p $(@D)
	$(call say,LINK,$@) $(LINKER) $(filter %.o,$^) build/libinside.a $(LIBS) -o $@
build/tests/transport/generated_hosts: $(patsubst tests/%.c,build/tests/%.o,tests/transport/generated_hosts.c tests/reference.c $(wildcard tests/generated_*.c)) build/libinside.a
	$(call say,LINK,$@) $(LINKER) $(filter %.o,$^) build/libinside.a $(LIBS) -o $@
build/tests/test_gloo: | $(GLOO_PLUGIN) build/bin/distrun build/tests/transport/conform_mpi
build/tests/test_mpi_ends build/tests/test_mpi_long: | $(MPI_PLUGINS)
build/tests/test_mpi: | $(MPI_PLUGINS) build/bin/distrun $(if $(MPI_PLUGINS),build/tests/transport/conform_mpi)

build/tests/gpu/conform_gpu: $(patsubst %,build/tests/%.o,gpu/conform_gpu reference $(basename $(notdir $(wildcard tests/conform_*.c))))
build/tests/gpu/streams_gpu: $(patsubst %,build/tests/%.o,gpu/streams_gpu reference device_program device_steps)
build/tests/gpu/conform_gpu build/tests/gpu/streams_gpu: build/libinside.a
	$(call say,LINK,$@) $(LINKER) $(filter %.o,$^) build/libinside.a $(LIBS) -o $@

build/tests/bench/bench_gpu.o: EXTRA = -isystem $(CUDART_PLACE)/include
GPU_BENCHES := build/tests/bench/bench_gpu $(if $(HAS_NCCL),build/tests/bench/bench_nccl)
$(GPU_BENCHES): %: %.o build/libinside.a
	$(call say,LINK,$@) $(LINKER) $^ $(LIBS) -o $@

build/any/%.o: CUDA_CODE =
build/any/%.o: %.cu build/flags
	$Q mkdir -p $(@D)
	$(call say,NVCC,$< (for any GPU)) $(NVCC) $(NVCC_FLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

# The kernels once more, as C++ for the host, with a sanitizer that tells of 16 bytes moved from between the borders. That nvcc
# takes them is seen beside it.
EMULATED := -std=c++17 -O1 -g -Ilib -Itests/gpu -ffp-contract=off -fsanitize=undefined -fno-sanitize-recover=all -Wall -Wextra \
            -Wno-unknown-pragmas $(WERROR)
build/any/tests/gpu/kernels_emulated.o: tests/gpu/kernels_emulated.cc build/flags
	$Q mkdir -p $(@D)
	$(call say,NVCC,$< (for the host)) $(NVCC) $(patsubst %,-isystem %/include,$(filter-out /usr $(CUDA_PLACE),$(CUDART_PLACE))) -x c++ -MMD -MP -MF $(@:.o=.d) \
	    $(foreach f,$(EMULATED),-Xcompiler $f) -c $< -o $@

build/any/kernels_test: build/any/tests/gpu/kernels_emulated.o build/libinside.a | build/any/lib/devices/cuda/kernels.o
	$(call say,LINK,$@) $(LINKER) $^ -fsanitize=undefined -lstdc++ $(LIBS) -o $@

build/bin/distrun: build/lib/launch/distrun.o build/libinside.a
	$Q mkdir -p $(@D)
	$(call say,LINK,$@) $(LINKER) $^ $(LIBS) -o $@

# They compare the calls with what lies under them.
$(BENCH_INSIDE): %: %.o build/libinside.a
	$(call say,LINK,$@) $(LINKER) $^ $(LIBS) -o $@

# What every library runs; and the machine's limits, for which no instruction of this machine is too good.
build/tests/bench/bench_dist: $(BENCH_CASES)
build/tests/bench/bench_limits: build/tests/bench/limits_words.o build/tests/bench/limits_memory.o
build/tests/bench/limits_memory.o: EXTRA = $(if $(filter x86_64,$(shell uname -m)),-march=native)

# A learner's file may leave things unused, and warnings are for reading.
$(EXERCISE_SOURCES:%.c=build/%.o): EXTRA = -Wno-error -Wno-unused -Wno-unused-parameter
$(GRADER_SOURCES:%.c=build/%.o) $(GRADING_SOURCES:%.c=build/%.o): EXTRA = -O1

build/tests/grader/libgrader.a: $(GRADING_SOURCES:%.c=build/%.o)
	$Q rm -f $@
	$(call say,AR,$@) $(call beside,ar) rcs $@ $^

build/tests/grader/libdesk.a: build/tests/grader/desk.o build/tests/grader/late.o build/tests/grader/confine.o \
        build/tests/grader/stand.o build/tests/grader/denied.o build/tests/grader/held.o build/tests/grader/heap.o
	$Q rm -f $@
	$(call say,AR,$@) $(call beside,ar) rcs $@ $^

$(GRADERS): %: %.o build/tests/grader/libgrader.a build/tests/reference.o build/diagrams/libdraw.a build/libinside.a
	$(call say,LINK,$@) $(LINKER) $^ $(LIBS) -o $@

build/tests/tools/convert: $(patsubst %.c,build/%.o,$(wildcard tests/tools/convert*.c))
	$(call say,LINK,$@) $(LINKER) $^ -o $@
build/tests/tools/mutate: $(patsubst %.c,build/%.o,$(wildcard tests/tools/mutate*.c))
	$(call say,LINK,$@) $(LINKER) $^ -o $@
build/tests/tools/switch build/tests/tools/tcp_ping: %: %.o
	$(call say,LINK,$@) $(LINKER) $^ -o $@
build/tests/test_convert build/asan/tests/test_convert: | build/tests/tools/convert
build/tests/test_predict build/asan/tests/test_predict: | build/bin/predict
build/tests/test_model11 build/asan/tests/test_model11: | $(patsubst %,build/chapters/11_sharding/%,grid tensor_parallel sequence_parallel fsdp)
build/tests/test_chapter_words build/asan/tests/test_chapter_words: | build/bin/distrun $(patsubst %,build/chapters/%,03_ring/overlap 04_pipeline_simulation/naive 05_collectives/reduce \
        08_all_reduce/measure 11_sharding/grid 10_data_parallel/bucket_size 10_data_parallel/naive 12_real_gpus/bandwidth 13_scale/search 13_scale/simulate 13_scale/survives 13_scale/published)
build/tests/test_restarts build/asan/tests/test_restarts: | build/bin/distrun build/chapters/13_scale/survives

# Lets the n-th call of a program fail (LD_PRELOAD).
build/tests/inject/libinject.so: $(wildcard tests/inject/inject*.[ch]) build/flags
	$Q mkdir -p $(@D)
	$(call say,LINK,$@) $(LINKER) $(FLAGS) -fPIC -shared $(filter %.c,$^) -ldl -o $@

build/tests/inject/failures: $(patsubst %.c,build/%.o,$(wildcard tests/inject/failures*.c))
	$(call say,LINK,$@) $(LINKER) $^ -o $@

build/tests/inject/run.json: build/tests/programs/traced
	$Q mkdir -p $(@D)
	$(call say,TRACE,$@) env DIST_TRACE=$@ WORLD_SIZE=4 build/tests/programs/traced mixed

# The protocol's model knows nothing of the library.
build/tests/model/model: $(MODEL_SOURCES:%.c=build/%.o)
	$(call say,LINK,$@) $(LINKER) $^ -o $@

# Chapter 11's numbers, for PyTorch to look at.
build/tests/torch/transformer: build/tests/torch/transformer.o build/libdist.a
	$(call say,LINK,$@) $(LINKER) $^ $(LIBS) -o $@

# Jobs whose ranks are killed, wherever they are.
$(KILLS): $(patsubst %.c,build/%.o,$(wildcard tests/kills/*.c)) build/libdist.a
	$(call say,LINK,$@) $(LINKER) $^ $(LIBS) -o $@

# The library's calls of the system go through tests/torture/broken.c, where one can be made to fail.
TORTURE := $(patsubst %.c,build/%.o,$(wildcard tests/torture/*.c)) build/tests/reference.o
BREAKABLE := malloc calloc realloc mmap open fopen memfd_create pipe2 epoll_create1 signalfd dup pthread_create fork
build/tests/torture/torture: $(TORTURE) build/libinside.a
	$(call say,LINK,$@) $(LINKER) $^ $(BREAKABLE:%=-Wl,--wrap=%) $(LIBS) -o $@

-include $(shell find build -path build/bare -prune -o -name '*.d' -type f -print 2>/dev/null)

# ---- who may include whom ---------------------------------------------------------
#
# The house reads top-down, and an arrow never points up. The first line whose left side fits a file counts.
# * is anything but a slash, ** anything, ./ the file's own folder. System headers are always allowed.

define INCLUDE_RULES
chapters/08_*/*      : lib/dist.h lib/tensor.h lib/algorithms/algorithms.h chapters/*.h ./*.h
chapters/09_*/*      : lib/dist.h lib/tensor.h lib/algorithms/algorithms.h chapters/*.h chapters/08_*/cost.h ./*.h
chapters/13_*/predict/* : ./*.h
chapters/13_*/*      : lib/dist.h lib/tensor.h lib/algorithms/algorithms.h chapters/*.h chapters/10_*/*.h chapters/13_*/predict/*.h ./*.h
chapters/**          : lib/dist.h lib/tensor.h ./*.h chapters/*.h
exercises/**         : lib/dist.h lib/tensor.h
solutions/**         : lib/dist.h lib/tensor.h
tests/programs/**    : lib/dist.h lib/tensor.h ./*.h tests/*.h
tests/wrong/**       : lib/dist.h lib/tensor.h
tests/right/**       : lib/dist.h lib/tensor.h
tests/graders/*/*.desk.c : lib/dist.h lib/tensor.h tests/grader/desk.h ./*.h
tests/graders/*/left.h : lib/dist.h lib/tensor.h tests/grader/desk.h
tests/graders/**     : lib/dist.h lib/tensor.h tests/grader/grader.h tests/grader/network.h ./*.h
tests/grader/*       : lib/dist.h lib/tensor.h diagrams/run.h tests/reference.h ./*.h
tests/gpu/**         : lib/** ./*.h ./*.cuh tests/*.h
tests/doubles/cuda/* : tests/doubles/cublas/library.h lib/devices/kernel.h lib/devices/cuda/kernels.h lib/devices/cuda/cuda.h ./*.h
tests/test_cuda_[fmw]*.c : lib/** tests/*.h tests/doubles/cuda/held.h tests/doubles/cuda/blas.h
tests/test_cuda_native.c : lib/** tests/*.h tests/doubles/cuda/own.h
tests/doubles/nccl/on_cuda.c : ./*.h tests/doubles/cuda/own.h
tests/test_nccl*      : lib/** tests/*.h tests/doubles/nccl/*.h
tests/test_model11.c : lib/** tests/*.h chapters/11_*/*.h
tests/test_simulator.c : lib/** tests/*.h chapters/13_*/*.h
tests/torch/*.c      : lib/dist.h chapters/11_*/*.h
tests/doubles/*       : tests/doubles/nccl/*.h
tests/doubles/criterion/* : ./*.h
tests/**             : lib/** diagrams/*.h ./*.h tests/*.h
diagrams/cli.c       : ./*.h lib/dist.h lib/launch/nearest.h lib/launch/whole.h
diagrams/**          : ./*.h
lib/dist_base.h      : nothing
lib/tensor.h         : lib/dist_base.h
lib/dist.h           : lib/tensor.h lib/dist_streams.h
lib/dist_streams.h   : lib/tensor.h
lib/call.h           : nothing
lib/stretch.h        : nothing
lib/handles.h        : nothing
lib/pairing.h        : nothing
lib/dtype.h          : lib/dist_base.h
lib/tensor_impl.h    : lib/dtype.h lib/handles.h lib/tensor.h
lib/work.h           : lib/call.h lib/dist_base.h lib/handles.h lib/why.h
lib/why.h            : nothing
lib/backend.h        : lib/dist.h lib/call.h lib/tensor_impl.h lib/work.h lib/launch/launch.h
lib/context.h        : lib/backend.h
lib/tensor*          : lib/dist.h lib/tensor*.h lib/dtype.h lib/context.h lib/devices/*.h lib/streams/gpu.h lib/launch/*.h
lib/streams/*        : lib/stretch.h lib/dist.h lib/tensor*.h lib/backend.h lib/context.h lib/checked.h lib/devices/*.h lib/launch/*.h ./*.h
lib/dtype*           : lib/dist.h lib/tensor*.h lib/dtype.h
lib/diagnose/*       : lib/stretch.h lib/pairing.h lib/dist_base.h lib/call.h lib/dtype.h lib/launch/*.h ./*.h
lib/trace/*          : lib/pairing.h lib/backend.h lib/call.h lib/dtype.h lib/tensor*.h lib/dist.h lib/launch/*.h ./*.h
lib/launch/distrun.c : lib/dist.h ./*.h
lib/launch/*         : lib/dist_base.h lib/call.h lib/why.h ./*.h
lib/devices/amd/*    : ./*.h
lib/devices/cuda/*   : lib/dtype.h lib/devices/kernel.h lib/devices/pool.h lib/devices/stream.h lib/devices/learn.inc.h lib/launch/*.h ./*.h ./*.cuh
lib/devices/*        : lib/dist_base.h lib/dtype.h ./*.h lib/launch/*.h
lib/backends/cuda/*  : lib/backends/common/*.h lib/backend.h lib/tensor*.h lib/dist*.h lib/dtype.h lib/call.h lib/devices/*.h lib/streams/gpu.h lib/launch/*.h ./*.h
lib/backends/nccl/*  : lib/backends/common/*.h lib/backend.h lib/tensor*.h lib/dist*.h lib/dtype.h lib/call.h lib/devices/*.h lib/streams/gpu.h lib/launch/*.h ./*.h
lib/backends/transport/transport.h : nothing
lib/backends/*/plugin.c* : lib/backends/transport/transport.h ./*.inc.h
lib/backends/transport/* : lib/backends/transport/*.h lib/backends/common/*.h lib/backend.h lib/tensor*.h lib/dist*.h lib/dtype.h lib/call.h lib/devices/host.h lib/launch/*.h ./*.h
lib/backends/mpi/*   : lib/backends/transport/*.h lib/backends/common/*.h lib/backend.h lib/tensor*.h lib/dist*.h lib/dtype.h lib/call.h lib/devices/host.h lib/launch/*.h ./*.h
lib/backends/gloo/*  : lib/backends/transport/*.h lib/backend.h lib/dist*.h lib/launch/*.h ./*.h
lib/backends/*/*     : lib/backends/common/*.h lib/backend.h lib/tensor*.h lib/dist*.h lib/dtype.h lib/call.h lib/devices/host.h lib/launch/*.h ./*.h
lib/algorithms/*     : lib/backends/common/*.h lib/backend.h lib/tensor*.h lib/dist*.h lib/dtype.h lib/call.h lib/devices/host.h lib/launch/worker.h ./*.h
lib/*                : lib/*.h lib/devices/*.h lib/streams/*.h lib/launch/*.h lib/algorithms/*.h lib/trace/*.h lib/diagnose/*.h
endef
export INCLUDE_RULES

# ---- what you can ask for --------------------------------------------------------

.PHONY: chapters lib diagrams topology fuzz fuzz-failures torture typed-for-torture programs suites criterion test test-all test-nodes test-hosts test-bare test-arm test-musl check lessons expected bench doctor help clean next hint progress graders grade \
        watch gates seal gradescope handout grade-all new-exercise quiz test-gpu test-torch bench-gpu gpu-proof check-amd coverage FORCE

chapters: programs ##l build everything, run the chapters with four ranks, and compare what they print with what they should
	$Q tests/tools/chapters.sh $(CHAPTERS)

lib: build/libdist.a $(MPI_PLUGINS) $(GLOO_PLUGIN) ##l build/libdist.a: all that a program of yours needs

programs: lib $(DISTRUN) $(DRAWERS) $(PREDICTOR) $(CHAPTERS) $(CUDA_CHAPTERS) ## the chapters' programs and build/bin/distrun, not run

run-%: programs ##l one chapter: make run-02, make run-02 N=7, make run-02 PROG=chain
	$Q $(if $(chosen),,echo "$(unknown)" >&2; exit 2)
	$Q $(with_n) tests/tools/run.sh $(chosen)
look_at_n = . tests/tools/whole_number.sh && whole_number N "$N" &&
with_n = $(if $N,$(look_at_n) WORLD_SIZE="$N")
chosen = $(filter build/chapters/$*_%,$(if $(PROG),$(filter %/$(PROG),$(CHAPTERS) $(CUDA_CHAPTERS)),$(CHAPTERS)))

cluster-%: programs build/tests/tools/switch ##l a chapter on hosts made of namespaces: make cluster-02 HOSTS=3 N=4 BACKEND=gloo RATE=1gbit DELAY=100us
	$Q $(if $(chosen),,echo "$(unknown)" >&2; exit 2)
	$Q HOSTS="$(HOSTS)" RATE="$(RATE)" DELAY="$(DELAY)" BACKEND="$(BACKEND)" N="$N" tests/tools/cluster.sh $(chosen)

unknown = $(if $(wildcard chapters/$*_*/$(or $(PROG),none).cu),$(PROG) has a kernel of its own: it needs nvcc and a GPU; \`make doctor\` looks for them.,There is no chapter or program like that; \`ls chapters/*\` shows them.)

suites: $(MPI_PLUGINS) $(GLOO_PLUGIN) $(SUITES) $(TEST_PROGRAMS) $(KILLS) $(DISTRUN) $(DRAWERS)

# Only tests install: whatever else needs Criterion says how to get it.
criterion:
	$Q CC="$(CC)" tests/tools/install.sh $(if $(filter test test-all,$(MAKECMDGOALS)),,--ask)

# What `make test-all` adds: suites that take a part of all combinations in `make test`, and suites and programs under sanitizers.
LONG_SUITES := $(patsubst %,build/tests/test_%,algorithms backends generated group_ids reduce_odd)
SLOW_SUITES := $(patsubst %,build/tests/test_%,cuda_ranks cuda_backend cuda_backend_passes stream_programs $(if $(HAS_NCCL),nccl_conform nccl_cuda))
FAILING := build/tests/inject/failures build/tests/inject/libinject.so build/tests/inject/run.json
ifneq ($(filter test-all,$(MAKECMDGOALS)),)
# (Plug-ins are built without a sanitizer; what the library does for them is seen.)
ASAN_SUITES := $(shell EVERY=$(or $(EVERY),7) && . tests/tools/count.sh && each_in_turn $(SUITES))
ASAN_WORKS := $(shell tests/tools/sanitizer.sh "$(CC)" "$(ASAN)")
TSAN_WORKS := $(shell tests/tools/sanitizer.sh "$(CC)" "$(TSAN)")
FOR_ALL := $(if $(ASAN_WORKS),$(ASAN_SUITES:build/%=build/asan/%) $(CHAPTERS:build/%=build/asan/%)) \
           $(if $(TSAN_WORKS),$(TSAN_SOURCES:%.c=build/tsan/%)) \
           build/tests/model/model build/tests/torture/torture $(FAILING) $(HOSTS_PROGRAMS) $(if $(HAS_CUDA),build/any/kernels_test)
endif

# Everything is built before the first test runs: a compiler beside it would disturb what it sees of time.
test: suites programs graders build/tests/tools/switch build/tests/tools/tcp_ping $(FOR_ALL) ## run the tests, some minutes; says that it installs Criterion and Graphviz, then does where that is allowed
	$Q CC="$(CC)" SUITES="$(SUITES)" SLOW_SUITES="$(SLOW_SUITES)" SUITES_LEFT_OUT="$(SUITES_LEFT_OUT)" CHAPTERS="$(CHAPTERS)" LESSONS="$(LESSONS)" \
	    tests/tools/test.sh quick

test-all: test ## and all others: long suites, every mode, models, sanitizers, test-bare; of what has many alike a seventh a day: EVERY=1 tries all
	$Q CC="$(CC)" SUITES="$(SUITES)" LONG_SUITES="$(LONG_SUITES)" SLOW_SUITES="$(SLOW_SUITES)" CHAPTERS="$(CHAPTERS)" \
	    ASAN_WORKS="$(ASAN_WORKS)" ASAN_SUITES="$(ASAN_SUITES:build/%=build/asan/%)" \
	    ASAN_CHAPTERS="$(CHAPTERS:build/%=build/asan/%)" \
	    TSAN_WORKS="$(TSAN_WORKS)" TSAN_PROGRAMS="$(TSAN_SOURCES:%.c=build/tsan/%)" HAS_CUDA="$(HAS_CUDA)" \
	    $(for_amd) tests/tools/test.sh all

test-nodes: programs $(GLOO_PLUGIN) build/bin/distrun build/tests/programs/rounds ## what goes wrong on three hosts made of namespaces: RUNS=200
	$Q tests/tools/nodes_faults.sh $(or $(RUNS),17)
test-hosts: programs $(TEST_PROGRAMS) $(MPI_PLUGINS) $(GLOO_PLUGIN) build/bin/distrun $(HOSTS_PROGRAMS) ##l what dist.h promises, and what is told of mistakes, by each engine over three hosts made of namespaces: COUNT=2 SEED=7 for a part of it
	$Q tests/tools/hosts_conform.sh $(COUNT)
	$Q tests/tools/hosts_misuse.sh $(COUNT)

test-bare: ## do the README's commands work on a machine with git, gcc and make alone? Needs root and debootstrap; FULL=1: more
	$Q FULL="$(FULL)" tests/tools/bare.sh

coverage: ## which lines of lib/ do the tests reach? Fails below 90 %; KEEP=1 counts the last run again
	$Q SUITES="$(SUITES)" CHAPTERS="$(CHAPTERS)" KEEP="$(KEEP)" tests/tools/coverage.sh

test-arm: ## chapters 01 to 06, the conformance suite and others, built for ARM and run by qemu; says which packages that takes
	$Q tests/tools/elsewhere.sh arm

test-musl: ## all chapters and some suites, with musl in place of glibc
	$Q tests/tools/elsewhere.sh musl

# ---- exercises ---------------------------------------------------------------------

# exercises/03_ring/1_once_round.c is exercise-03.1. Learners' files are not built by make: what the compiler says of them is
# feedback, and no error of ours.
number = $(firstword $(subst _, ,$(notdir $(patsubst %/,%,$(dir $1))))).$(firstword $(subst _, ,$(notdir $1)))
define exercise_rules
exercise-$(call number,$1) exercise-$(basename $(call number,$1)): $(1:%.c=build/%) $(1:%.c=build/%.desk.o)
try-$(call number,$1): $(1:tests/graders/%.c=build/exercises/%)
	$$Q $$(with_n) $$<
endef
$(foreach g,$(GRADER_SOURCES),$(eval $(call exercise_rules,$g)))

exercise-%: $(DESKS_SHARED) build/bin/draw ##l build and grade one exercise, and say what is wrong: make exercise-03.1
	$Q CC="$(CC)" FROM="$(FROM)" tests/tools/exercise.sh grade $*

try-%: ##l run your file of an exercise by hand: make try-03.1 N=4
	$Q tests/tools/exercise.sh grade $*

guide = $Q FORCE="$(FORCE)" tests/tools/exercise.sh $(subst -, ,$@)

hint: ##l a hint for the exercise that make next shows
	$(guide)

hint-%: ##l the next of three hints for one exercise: make hint-03.1
	$(guide)

reset-%: ##l an exercise as it came; what you had is kept
	$(guide)

solution-%: ##l our solution beside yours, once yours has passed; FORCE=1 if you cannot wait
	$(guide)

next: ##l the first exercise that is not solved yet
	$Q tests/tools/exercise.sh next

progress: ##l which exercises are solved
	$Q tests/tools/exercise.sh progress

graders: $(GRADERS) $(DESKS) build/bin/draw build/tests/tools/convert

grade: graders ##l grade all exercises: a table, and 0 only if all have passed; also FROM=solutions FORMAT=junit OUT=file
	$Q exec env CC="$(CC)" FROM="$(FROM)" FORMAT="$(FORMAT)" OUT="$(OUT)" tests/tools/grade.sh

watch: graders ##l grade an exercise again whenever you save it
	$Q CC="$(CC)" tests/tools/watch.sh

gates: graders $(if $(MUTATE),build/tests/tools/mutate) ##t do the graders judge right? Stubs fail, solutions pass, wrong answers fail: make gates ONLY=03.1; MUTATE=1: solutions with a small mistake
	$Q CC="$(CC)" ONLY="$(ONLY)" TIMES="$(TIMES)" MUTATE="$(MUTATE)" $(call teacher,tests/tools/gates.sh)

seal: ##t after a change of a grader: make its checksum anew
	$Q tests/tools/seal.sh --write

# ---- for teachers: tests/TEACHING.md ------------------------------------------------

# Students' copies have none of these scripts.
teacher = $(if $(wildcard $1),$1,echo "This is in the teacher's copy of the workbook only." >&2; exit 2)

gradescope: ##t build/autograder.zip, which Gradescope takes as it is
	$Q $(call teacher,tests/tools/gradescope.sh)

handout: ##t the students' copy, without solutions: build/handout.tar.gz
	$Q FORCE="$(FORCE)" $(call teacher,tests/tools/handout.sh)

grade-all: graders ##t grade a folder of submissions, each apart: make grade-all SUBMISSIONS=folder
	$Q CC="$(CC)" JOBS="$(JOBS)" OUT="$(OUT)" $(call teacher,tests/tools/grade_all.sh) "$(SUBMISSIONS)"

quiz: ##t ten questions a chapter, for Moodle (GIFT) and as text: build/quiz
	$Q $(call teacher,tests/tools/quiz.sh)

new-exercise: ##t the files of a new exercise, to be changed: make new-exercise NAME=03_ring/5_thing
	$Q $(call teacher,tests/tools/new_exercise.sh) "$(NAME)"

# ---- and the rest --------------------------------------------------------------------

test-gpu: $(if $(CUDA_OBJECTS),programs $(GPU_TESTS)) ## the tests that need a GPU: with nvcc, gcc and make alone, a few minutes
	$Q BUILT="$(CUDA_OBJECTS)" CHAPTERS="$(CHAPTERS) $(CUDA_CHAPTERS)" tests/tools/gpu.sh

test-torch: build/chapters/10_data_parallel/naive build/tests/torch/transformer ## chapters 10 and 11 beside PyTorch (installs it in build/torch where it is missing: 3 GB)
	$Q tests/torch/compare.sh

bench-gpu: $(if $(CUDA_OBJECTS),$(GPU_BENCHES) build/tests/gpu/kernels_test) ## measure on a GPU, beside its limits and NCCL
	$Q BUILT="$(CUDA_OBJECTS)" HAS_NCCL="$(HAS_NCCL)" tests/bench/bench_gpu.sh

gpu-proof: $(if $(CUDA_OBJECTS),programs $(GPU_TESTS) $(GPU_BENCHES)) ## for who has a GPU for ten minutes: test, measure, record, draw, pack into one file
	$Q BUILT="$(CUDA_OBJECTS)" HAS_NCCL="$(HAS_NCCL)" CHAPTERS="$(CHAPTERS)" $(engines) tests/tools/gpu_proof.sh

for_amd = HIPCC="$(HIPCC)" HIP_FLAGS="$(HIP_FLAGS)" C_FLAGS="$(CC) $(FLAGS) $(AMD_FLAGS)" HAS_NCCL="$(HAS_NCCL)"
check-amd: ## do the GPU's sources compile for AMD's, with hipcc? Nothing is run
	$Q $(for_amd) tests/tools/amd.sh

check: ## who includes whom, warnings of gcc and clang, format, lengths
	$Q FLAGS="$(FLAGS)" tests/tools/check.sh

lessons: ## put programs and outputs into the lessons anew
	$Q tests/tools/lessons.sh $(LESSONS)

diagrams: programs ## draw all pictures of the lessons anew from real runs; look at them before you keep them
	$Q tests/tools/pictures.sh --write

draw-%: programs ##l your own run as pictures: make draw-02, make draw-02 N=6
	$Q $(look_at_n) tests/tools/pictures.sh --own $* $N

expected: programs build/tests/libhelpers.a build/libinside.a ## write chapters/*/expected anew from real runs; read the difference before you keep it
	$Q tests/tools/outputs.sh --write $(CHAPTERS)
	$Q tests/tools/own_kernels.sh --write

topology: $(DRAWERS) ##l this machine as text and as a drawing: GPUs, NVLink, PCIe, networks
	$Q mkdir -p build/pictures
	$Q build/bin/topology -o build/pictures/topology.dot
	$Q tests/tools/pictures.sh --show build/pictures/topology

fuzz: $(TEST_PROGRAMS) ## clang's fuzzer on all that reads files, variables and words: make fuzz TIME=600 (seconds for each) TARGET=draw
	$Q CLANG_FLAGS="$(FLAGS)" SOURCES="tests/fuzz/fuzz_target.c $(wildcard tests/fuzz_*.c) tests/trace_file.c $(DRAW_SOURCES)" LIB_SOURCES="$(LIB_SOURCES)" \
	    tests/tools/fuzz.sh $(or $(TIME),$(SECONDS),60) $(TARGET)

fuzz-failures: $(FAILING) $(TEST_PROGRAMS) $(CHAPTERS) $(DISTRUN) $(DRAWERS) ## let each call of the system fail, one after another: make fuzz-failures ONLY=distrun
	$Q . tests/tools/whole_number.sh && whole_number TIME "$(TIME)" && \
	    build/tests/inject/failures $(if $(TIME),-s $(TIME)) $(ONLY)

torture: typed-for-torture build/tests/torture/torture ## random programs, and kills, lack of memory and full disks while they run: make torture SECONDS=1800, or SEED=n
	$Q env -u SECONDS build/tests/torture/torture $(or $(SECONDS),60) $(JOBS)
typed-for-torture:
	$Q . tests/tools/whole_number.sh && whole_number SECONDS "$(SECONDS)" && whole_number JOBS "$(JOBS)" && \
	    whole_number SEED "$(SEED)" 0 && whole_number FAULT "$(FAULT)" 0

bench: lib $(BENCHES) build/tests/tools/switch ## beside the machine's limits and other libraries, some minutes: make bench ROWS=ping-pong ROUNDS=1
	$Q ROWS="$(ROWS)" ROUNDS="$(ROUNDS)" tests/bench/bench.sh

doctor: ##l what this machine has, and the command that installs what is missing
	$Q CC="$(CC)" $(engines) tests/tools/doctor.sh

# ---- install ----------------------------------------------------------------------------

# The one place where the version stands. Any new optional argument changes what programs hand over: so two versions fit
# together only where both of the first numbers agree, and the library is called after these two.
VERSION := $(shell sed -n 's/^.define DIST_VERSION "\(.*\)"$$/\1/p' lib/dist.h)
SONAME := libdist.so.$(basename $(VERSION))

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib

# Its objects can lie anywhere in memory, so the same serve libdist.so and libdist.a: the linker takes the detours out again
# where they lead into a program. distrun carries the library in it.
INSTALLABLE := build/pic/libdist.a build/pic/libdist.so.$(VERSION) build/pic/bin/distrun $(MPI_PLUGINS) $(GLOO_PLUGIN)
.PHONY: installable install uninstall dist
installable: $(INSTALLABLE) ## what make install would put there, built only

build/pic/libdist.so.$(VERSION): build/pic/libdist.a
	$(call say,LINK,$@) $(LINKER) -shared -Wl,-soname,$(SONAME) -Wl,-z,nodelete -Wl,-Bsymbolic-functions -Wl,--whole-archive $< -Wl,--no-whole-archive \
	    $(call not_inside,$(LIBS)) -o $@
not_inside = $(filter-out $(CUDART_INSIDE),$1)

build/pic/bin/distrun: build/pic/lib/launch/distrun.o build/pic/libinside.a
	$Q mkdir -p $(@D)
	$(call say,LINK,$@) $(LINKER) $^ $(LIBS) -o $@

build/pic/%.o: %.cu build/cuda/flags
	$Q mkdir -p $(@D)
	$(call say,NVCC,$< (pic)) $(NVCC) $(NVCC_FLAGS) -Xcompiler -fPIC -MMD -MP -MF $(@:.o=.d) -c $< -o $@

# Built before the first test runs, like all else that is tested.
ifneq ($(filter test-all,$(MAKECMDGOALS)),)
test: $(INSTALLABLE)
endif

installer = PREFIX=$(call quoted,$(PREFIX)) DESTDIR=$(call quoted,$(DESTDIR)) LIBDIR=$(call quoted,$(LIBDIR)) VERSION=$(VERSION) SONAME=$(SONAME) \
    HEADERS='$(PUBLIC_HEADERS)' PRIVATE='$(call not_inside,$(filter-out -Wl$(comma)-z%,$(LIBS)))' lib/packaging/install.sh

# Asked before anything is built: half a minute's work would be for nothing.
ifneq ($(filter install,$(MAKECMDGOALS)),)
WHY_NOT := $(shell $(installer) check)
$(if $(WHY_NOT),$(error $(WHY_NOT)))
endif

install: $(INSTALLABLE) ## the library, distrun, man pages: make install PREFIX=$HOME/.local (also DESTDIR=, LIBDIR=)
	$Q $(installer) install

uninstall: ## remove what make install has put there: make uninstall PREFIX=$HOME/.local
	$Q $(installer) uninstall

dist: ## pack a release of what is committed: build/dist-VERSION.tar.gz
	$Q VERSION=$(VERSION) lib/packaging/pack.sh

help: ##l this list
	$Q awk -f tests/tools/help.awk Makefile

clean: ##l remove everything that was built
	$Q rm -rf build

# `make clean test` means: first the one, then the other.
ifneq ($(filter clean,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif
