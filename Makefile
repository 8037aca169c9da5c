# Makefile: one file, no recursion. `make help` lists what it can do. (Longer than our 250 lines: one file is one place
# to look for a rule.)
#
# New files need no line here: everything is found by its place in the tree.
#
#   lib/**/*.c             -> build/libdist.a (all but lib/launch/distrun.c)
#   lib/launch/distrun.c   -> build/bin/distrun
#   diagrams/*.c           -> build/bin/draw, build/bin/play and build/bin/topology
#   chapters/NN_x/NAME.c   -> build/chapters/NN_x/NAME
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

# ---- the compiler and its flags --------------------------------------------------

# make's own default is cc, which a small machine may lack.
ifeq ($(origin CC),default)
CC := $(firstword $(notdir $(shell command -v cc || command -v gcc || command -v clang)) cc)
endif

CFLAGS ?= -O3 -g
WERROR ?= -Werror
WARNINGS := -Wall -Wextra -Wpedantic $(WERROR)

# No fused multiply-add and no errno from sqrt: the same bits under every compiler, and loops that vectorise.
FLAGS := -std=c11 -Ilib -pthread $(CFLAGS) -ffp-contract=off -fno-math-errno $(WARNINGS)

# All functions of shared libraries are found before main, once, and not by each rank when it first calls one.
LIBS := -pthread -lm -Wl,-z,now

ASAN := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g
TSAN := -fsanitize=thread -O1 -g

# Criterion is asked for late: `make test` may have installed it only a moment ago.
CRITERION_CFLAGS = $(shell pkg-config --cflags criterion 2>/dev/null)
CRITERION_LIBS = $(shell pkg-config --libs criterion 2>/dev/null || echo -lcriterion)

# Quiet unless V=1: `$(call say,CC,file)` tells what happens, $Q hides how.
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' '$(1)' '$(2)')

# ---- NCCL -------------------------------------------------------------------------
#
# The headers are all that the nccl room needs to be built; the library itself is opened when a program asks for
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

# ---- CUDA -------------------------------------------------------------------------
#
# The device "cuda" is built where it can run: with nvcc, and a GPU. Its kernels are compiled for the GPUs of this machine,
# which takes seconds. For one of each generation that nvcc knows it takes a minute: so that is done only when asked for,
# with CUDA_FOR=all, on a machine that builds for others. CUDA_FOR=nothing leaves the device out.

CUDA_PLACES := $(CUDA_HOME) $(patsubst %/bin/nvcc,%,$(shell command -v nvcc)) /usr/local/cuda $(CONDA_PREFIX) $(PIP_PLACES)
CUDA_PLACE := $(firstword $(foreach d,$(CUDA_PLACES),$(if $(wildcard $d/bin/nvcc),$d)))
NVCC := $(if $(CUDA_PLACE),$(CUDA_PLACE)/bin/nvcc)
cuda_lib = $(firstword $(wildcard $(foreach d,$(CUDA_PLACE) $(CUDART_PLACE),$(foreach l,lib64 lib targets/*/lib lib/*,$d/$l/$1))))
CUDART := $(or $(call cuda_lib,libcudart_static.a),$(call cuda_lib,libcudart.so*))
CUBLAS := $(or $(call cuda_lib,libcublas.so.*),$(firstword $(wildcard $(PIP_PLACES:%=%/lib/libcublas.so.*))))
HAS_CUDA := $(and $(NVCC),$(CUDART),$(CUDART_PLACE))

CUDA_FOR ?= $(if $(and $(HAS_CUDA),$(wildcard /dev/nvidiactl /dev/nvidia0 /dev/dxg)),here,nothing)
ifeq ($(filter here all nothing,$(CUDA_FOR)),)
$(error CUDA_FOR is "$(CUDA_FOR)"; it must be here, all or nothing)
endif
ifneq ($(CUDA_FOR),nothing)
ifeq ($(HAS_CUDA),)
$(error CUDA_FOR=$(CUDA_FOR) needs nvcc and libcudart; install the CUDA toolkit, or say where it is: CUDA_HOME=/usr/local/cuda)
endif
CUDA_OBJECTS := $(patsubst %,build/%.o,$(basename $(wildcard lib/devices/cuda/*.c lib/devices/cuda/*.cu)))
endif

comma := ,

# Programs carry the runtime in them and start without it, and without a driver. (Where there is only a shared one they need it.)
CUDART_INSIDE := $(if $(CUDA_OBJECTS),$(filter %.a,$(CUDART)))
LIBS += $(if $(CUDA_OBJECTS),$(CUDART) $(if $(CUDART_INSIDE),-ldl -lrt,-Wl$(comma)-rpath$(comma)$(dir $(CUDART))))

# No fused multiply-add: the host's bits. One GPU of each generation runs on all of it, and text for those to come.
NVCC_FLAGS = -std=c++17 -O3 -fmad=false -Ilib $(if $(WERROR),-Werror all-warnings) $(CUDA_CODE) -Xfatbin -compress-all -t 0 \
    $(patsubst %,-isystem %/include,$(filter-out /usr $(CUDA_PLACE),$(CUDART_PLACE))) \
    -Xcompiler -Wall,-Wextra,-Wno-unknown-pragmas,-ffp-contract=off,-fno-exceptions,-fno-threadsafe-statics
CUDA_CODE = $(if $(filter all,$(CUDA_FOR)),$(all_gpus),-arch=native)
all_gpus = $(shell $(NVCC) --list-gpu-code | sed -n 's/^sm_\([0-9]*\)$$/\1/p' | sort -n | awk '\
    $$1 >= 75 && !seen[int($$1 / 10)]++ { print "-gencode arch=compute_" $$1 ",code=sm_" $$1; last = $$1 } \
    END { print "-gencode arch=compute_" last ",code=compute_" last }')

# ---- what there is ----------------------------------------------------------------

# The room, or what stands in for it.
NCCL_LEFT_OUT := $(if $(HAS_NCCL),lib/backends/nccl/absent.c,$(filter-out %/absent.c,$(wildcard lib/backends/nccl/*.c)))
LIB_SOURCES := $(filter-out lib/launch/distrun.c lib/devices/cuda/% $(NCCL_LEFT_OUT),$(wildcard lib/*.c lib/*/*.c lib/*/*/*.c))
# The objects of one flavour: only programs in build/ use GPUs.
lib_objects = $(if $(and $(CUDA_OBJECTS),$(filter build,$1)),$(filter-out %/no_cuda.o,$(LIB_SOURCES:%.c=$1/%.o)) $(CUDA_OBJECTS), \
              $(LIB_SOURCES:%.c=$1/%.o))
# Chapter by chapter: its programs in the order in which the lesson shows them, then those that it does not show.
SHOWN := $(shell awk '$$2 == "insert:" && $$3 ~ /^[^\/]*\.c$$/ { file = FILENAME; sub(/README.md/, $$3, file); \
                 if (!seen[file]++) print file }' $(wildcard chapters/*/README.md) /dev/null)
CHAPTER_SOURCES := $(foreach c,$(sort $(wildcard chapters/*/)),$(filter $c%,$(SHOWN)) $(filter-out $(SHOWN),$(wildcard $c*.c)))
SUITE_SOURCES := $(sort $(wildcard tests/test_*.c))
HELPER_SOURCES := $(filter-out $(SUITE_SOURCES),$(wildcard tests/*.c)) \
                  $(if $(HAS_NCCL),$(wildcard tests/doubles/nccl/*.c)) $(wildcard tests/doubles/cuda/*.c)
MODEL_SOURCES := $(wildcard tests/model/*.c)
TEST_PROGRAM_SOURCES := $(sort $(wildcard tests/programs/*.c))
TSAN_SOURCES := $(sort $(wildcard tests/tsan/*.c))
BENCH_INSIDE := build/tests/bench/bench_checks build/tests/bench/bench_tracing
BENCH_SOURCES := $(filter-out %/bench_mpi.c %/bench_gpu.c %/bench_nccl.c $(BENCH_INSIDE:build/%=%.c),$(wildcard tests/bench/bench_*.c))
BENCH_CASES := $(patsubst %,build/tests/bench/%.o,run pace messages collectives costs)

# Chapter by chapter, and in each by the number that a name begins with: that is the order of the exercises.
EXERCISE_SOURCES := $(sort $(wildcard exercises/*/[0-9]*.c))
SOLUTION_SOURCES := $(sort $(wildcard solutions/*/[0-9]*.c))
GRADER_SOURCES := $(filter-out %.desk.c,$(sort $(wildcard tests/graders/*/*.c)))
DESK_SOURCES := $(sort $(wildcard tests/graders/*/*.desk.c)) tests/grader/desk.c tests/grader/late.c
GRADING_SOURCES := $(filter-out $(DESK_SOURCES),$(wildcard tests/grader/*.c))
GRADERS := $(GRADER_SOURCES:%.c=build/%)
DESKS_SHARED := build/tests/grader/libdesk.a build/libdist.a
DESKS := $(DESK_SOURCES:%.c=build/%.o) $(DESKS_SHARED)

BENCHES := $(BENCH_SOURCES:%.c=build/%) $(BENCH_INSIDE) $(BENCH_CASES)
LESSONS := $(wildcard README.md chapters/*/README.md)
DRAW_SOURCES := $(filter-out diagrams/draw.c diagrams/play.c diagrams/topology.c,$(wildcard diagrams/*.c))
DRAWERS := build/bin/draw build/bin/play build/bin/topology
DISTRUN := $(if $(wildcard lib/launch/distrun.c),build/bin/distrun)
CHAPTERS := $(CHAPTER_SOURCES:%.c=build/%)
SUITES := $(SUITE_SOURCES:%.c=build/%)
TEST_PROGRAMS := $(TEST_PROGRAM_SOURCES:%.c=build/%)

# ---- compile and link ------------------------------------------------------------

# Rewritten only when compiler or flags differ from last time; everything compiled depends on it.
build/flags: FORCE
	$Q mkdir -p $(@D)
	$Q echo '$(CC) $(FLAGS)' | cmp -s - $@ || echo '$(CC) $(FLAGS)' >$@

PUBLIC_NAMES := dist_* tensor_* algorithm_*

# The same sources in three flavours: build/ for everybody, build/asan/ and build/tsan/ for the sanitizers.
# $(1) is the folder, $(2) the flags that make it different.
define flavour
$(1)/%.o: %.c build/flags
	$$(call say,CC,$$<$(if $(2), ($(notdir $(1)))))
	$$Q mkdir -p $$(@D)
	$$Q $$(CC) $$(FLAGS) $(2) $$(EXTRA) -MMD -MP -c $$< -o $$@

$(1)/libinside.a: $(call lib_objects,$(1)) build/cuda/flags
	$$(call say,AR,$$@)
	$$Q rm -f $$@
	$$Q ar rcs $$@ $$(filter %.o,$$^)

# For programs: one object in which only the public names can be seen, so that a program may have a `report` of its own.
$(1)/libdist.a: $(call lib_objects,$(1)) build/cuda/flags Makefile
	$$(call say,AR,$$@)
	$$Q rm -f $$@
	$$Q $$(LD) -r $$(filter %.o,$$^) $(if $(filter build,$(1)),$(CUDART_INSIDE)) -o $(1)/dist.o
	$$Q objcopy --wildcard $$(PUBLIC_NAMES:%=--keep-global-symbol='%') $(1)/dist.o
	$$Q ar rcs $$@ $(1)/dist.o

# The CUDA device once more, on a double of CUDA (tests/doubles/cuda).
$(1)/double/%.o: %.c build/flags
	$$(call say,CC,$$< (on the double$(if $(2),$(comma) $(notdir $(1)))))
	$$Q mkdir -p $$(@D)
	$$Q $$(CC) $$(FLAGS) $(2) -Itests/doubles/cuda -MMD -MP -c $$< -o $$@

$(1)/tests/libhelpers.a: $$(HELPER_SOURCES:%.c=$(1)/%.o) $$(patsubst %.c,$(1)/double/%.o,$(wildcard lib/devices/cuda/*.c))
	$$(call say,AR,$$@)
	$$Q rm -f $$@
	$$Q ar rcs $$@ $$^

$(1)/diagrams/libdraw.a: $$(DRAW_SOURCES:%.c=$(1)/%.o)
	$$(call say,AR,$$@)
	$$Q rm -f $$@
	$$Q ar rcs $$@ $$^

$(1)/bin/draw $(1)/bin/play $(1)/bin/topology: $(1)/bin/%: $(1)/diagrams/%.o $(1)/diagrams/libdraw.a $(1)/libinside.a
	$$(call say,LINK,$$@)
	$$Q mkdir -p $$(@D)
	$$Q $$(CC) $(2) $$^ $$(LIBS) -o $$@

$$(SUITE_SOURCES:%.c=$(1)/%): $(1)/%: $(1)/%.o $(1)/tests/libhelpers.a $(1)/diagrams/libdraw.a $(1)/libinside.a
	$$(call say,LINK,$$@)
	$$Q $$(CC) $(2) $$^ $$(CRITERION_LIBS) $$(LIBS) -o $$@

$$(PROGRAM_SOURCES:%.c=$(1)/%): $(1)/%: $(1)/%.o $(1)/libdist.a
	$$(call say,LINK,$$@)
	$$Q $$(CC) $(2) $$^ $$(LIBS) -o $$@

$$(TEST_SOURCES:%.c=$(1)/%.o): EXTRA = $$(CRITERION_CFLAGS)
$$(TEST_SOURCES:%.c=$(1)/%.o): | criterion
$(patsubst %.c,$(1)/%.o,$(wildcard tests/doubles/cuda/*.c)): EXTRA = -Itests/doubles/cuda
endef

PROGRAM_SOURCES := $(CHAPTER_SOURCES) $(TEST_PROGRAM_SOURCES) $(TSAN_SOURCES) $(BENCH_SOURCES) $(EXERCISE_SOURCES) \
                   $(SOLUTION_SOURCES)
TEST_SOURCES := $(SUITE_SOURCES) $(HELPER_SOURCES) $(GRADER_SOURCES) $(GRADING_SOURCES)
$(eval $(call flavour,build,))
$(eval $(call flavour,build/asan,$(ASAN)))
$(eval $(call flavour,build/tsan,$(TSAN)))

# Rewritten only when something differs, like build/flags.
build/cuda/flags: FORCE
	$Q mkdir -p $(@D)
	$Q echo '$(CUDA_FOR) $(if $(CUDA_OBJECTS),$(NVCC) $(NVCC_FLAGS))' | cmp -s - $@ || \
	    echo '$(CUDA_FOR) $(if $(CUDA_OBJECTS),$(NVCC) $(NVCC_FLAGS))' >$@

$(filter-out build/%.cu,$(CUDA_OBJECTS)): EXTRA = -isystem $(CUDART_PLACE)/include \
    $(if $(CUBLAS),-DCUBLAS_FOLDER='"$(patsubst %/,%,$(dir $(CUBLAS)))"')

build/%.o: %.cu build/cuda/flags
	$(call say,NVCC,$<)
	$Q mkdir -p $(@D)
	$Q $(NVCC) $(NVCC_FLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

# What runs on GPUs, without Criterion; and the kernels on the host, wherever there is nvcc.
GPU_TESTS := $(patsubst %,build/tests/gpu/%,kernels_test conform_gpu streams_gpu)
build/tests/gpu/kernels_test: build/tests/gpu/kernels_test.o build/libinside.a
	$(call say,LINK,$@)
	$Q $(CC) $^ $(LIBS) -o $@

build/tests/gpu/conform_gpu: $(patsubst %,build/tests/%.o,gpu/conform_gpu reference $(basename $(notdir $(wildcard tests/conform_*.c))))
build/tests/gpu/streams_gpu: $(patsubst %,build/tests/%.o,gpu/streams_gpu reference device_program device_steps)
build/tests/gpu/conform_gpu build/tests/gpu/streams_gpu: build/libinside.a
	$(call say,LINK,$@)
	$Q $(CC) $(filter %.o,$^) build/libinside.a $(LIBS) -o $@

build/tests/bench/bench_gpu.o: EXTRA = -isystem $(CUDART_PLACE)/include
GPU_BENCHES := build/tests/bench/bench_gpu $(if $(HAS_NCCL),build/tests/bench/bench_nccl)
$(GPU_BENCHES): %: %.o build/libinside.a
	$(call say,LINK,$@)
	$Q $(CC) $^ $(LIBS) -o $@

build/any/%.o: CUDA_CODE =
build/any/%.o: %.cu build/flags
	$(call say,NVCC,$< (for any GPU))
	$Q mkdir -p $(@D)
	$Q $(NVCC) $(NVCC_FLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

build/any/kernels_test: build/any/tests/gpu/kernels_test.o build/any/lib/devices/cuda/kernels.o build/libinside.a
	$(call say,LINK,$@)
	$Q $(CC) $^ $(CUDART) $(if $(filter %.a,$(CUDART)),,-Wl$(comma)-rpath$(comma)$(dir $(CUDART))) $(LIBS) -ldl -lrt -o $@

build/bin/distrun: build/lib/launch/distrun.o build/libinside.a
	$(call say,LINK,$@)
	$Q mkdir -p $(@D)
	$Q $(CC) $^ $(LIBS) -o $@

# They compare the calls with what lies under them.
$(BENCH_INSIDE): %: %.o build/libinside.a
	$(call say,LINK,$@)
	$Q $(CC) $^ $(LIBS) -o $@

# What every library runs; and the machine's limits, for which no instruction of this machine is too good.
build/tests/bench/bench_dist: $(BENCH_CASES)
build/tests/bench/bench_limits: build/tests/bench/limits_words.o build/tests/bench/limits_memory.o
build/tests/bench/limits_memory.o: EXTRA = $(if $(filter x86_64,$(shell uname -m)),-march=native)

# A learner's file may leave things unused, and warnings are for reading.
$(EXERCISE_SOURCES:%.c=build/%.o): EXTRA = -Wno-error -Wno-unused -Wno-unused-parameter
$(GRADER_SOURCES:%.c=build/%.o) $(GRADING_SOURCES:%.c=build/%.o): EXTRA = $(CRITERION_CFLAGS) -O1

build/tests/grader/libgrader.a: $(GRADING_SOURCES:%.c=build/%.o)
	$(call say,AR,$@)
	$Q rm -f $@
	$Q ar rcs $@ $^

build/tests/grader/libdesk.a: build/tests/grader/desk.o build/tests/grader/late.o
	$(call say,AR,$@)
	$Q rm -f $@
	$Q ar rcs $@ $^

$(GRADERS): %: %.o build/tests/grader/libgrader.a build/tests/libhelpers.a build/diagrams/libdraw.a build/libinside.a
	$(call say,LINK,$@)
	$Q $(CC) $^ $(CRITERION_LIBS) $(LIBS) -o $@

build/tests/tools/convert: $(patsubst %.c,build/%.o,$(wildcard tests/tools/convert*.c))
	$(call say,LINK,$@)
	$Q $(CC) $^ -o $@
build/tests/test_convert build/asan/tests/test_convert: | build/tests/tools/convert

# The protocol's model knows nothing of the library.
build/tests/model/model: $(MODEL_SOURCES:%.c=build/%.o)
	$(call say,LINK,$@)
	$Q $(CC) $^ -o $@

-include $(shell find build -name '*.d' 2>/dev/null)

# ---- who may include whom ---------------------------------------------------------
#
# The house reads top-down, and an arrow never points up. The first line whose left side fits a file counts.
# * is anything but a slash, ** anything, ./ the file's own folder. System headers are always allowed.
# diagrams/ may use lib/diagnose/picture.h, which needs nothing of the library: so who waits for whom is drawn by one.

define INCLUDE_RULES
chapters/08_*/*      : lib/dist.h lib/tensor.h lib/algorithms/algorithms.h ./*.h
chapters/**          : lib/dist.h lib/tensor.h ./*.h
exercises/**         : lib/dist.h lib/tensor.h
solutions/**         : lib/dist.h lib/tensor.h
tests/programs/**    : lib/dist.h lib/tensor.h ./*.h tests/*.h
tests/wrong/**       : lib/dist.h lib/tensor.h
tests/graders/*/*.desk.c : lib/dist.h lib/tensor.h tests/grader/desk.h
tests/graders/**     : lib/dist.h lib/tensor.h tests/grader/grader.h tests/grader/network.h
tests/grader/*       : lib/dist.h lib/tensor.h diagrams/run.h tests/reference.h ./*.h
tests/gpu/**         : lib/** ./*.h ./*.cuh tests/*.h
tests/doubles/cuda/* : lib/devices/kernel.h lib/devices/cuda/kernels.h lib/devices/cuda/cuda.h ./*.h
tests/test_cuda_marks.c : lib/** tests/*.h tests/doubles/cuda/held.h
tests/test_nccl*      : lib/** tests/*.h tests/doubles/nccl/*.h
tests/doubles/*       : tests/doubles/nccl/*.h
tests/**             : lib/** diagrams/*.h ./*.h tests/*.h
diagrams/**          : ./*.h lib/diagnose/picture.h
lib/tensor.h         : nothing
lib/dist.h           : lib/tensor.h lib/dist_streams.h
lib/dist_streams.h   : lib/tensor.h
lib/call.h           : nothing
lib/dtype.h          : lib/dist.h lib/tensor.h
lib/tensor_impl.h    : lib/dtype.h
lib/backend.h        : lib/call.h lib/tensor_impl.h lib/launch/launch.h
lib/context.h        : lib/backend.h
lib/tensor*          : lib/dist.h lib/tensor*.h lib/dtype.h lib/context.h lib/devices/*.h lib/streams/gpu.h lib/launch/launch.h
lib/streams/*        : lib/dist.h lib/tensor*.h lib/backend.h lib/context.h lib/checked.h lib/devices/*.h lib/launch/*.h ./*.h
lib/dtype*           : lib/dist.h lib/tensor*.h lib/dtype.h
lib/diagnose/*       : lib/call.h lib/dtype.h lib/tensor.h lib/dist.h lib/launch/*.h ./*.h
lib/trace/*          : lib/backend.h lib/call.h lib/dtype.h lib/tensor*.h lib/dist.h lib/launch/*.h ./*.h
lib/launch/distrun.c : lib/dist.h lib/diagnose/diagnose.h lib/trace/trace.h ./*.h
lib/launch/*         : lib/tensor.h lib/dist.h lib/call.h ./*.h lib/context.h
lib/devices/cuda/*   : lib/dtype.h lib/devices/device.h lib/devices/kernel.h lib/launch/*.h ./*.h ./*.cuh
lib/devices/*        : lib/tensor.h lib/dist.h lib/dtype.h ./*.h lib/launch/*.h
lib/backends/cuda/*  : lib/backend.h lib/tensor*.h lib/dist.h lib/dtype.h lib/call.h lib/devices/*.h lib/streams/gpu.h lib/launch/*.h ./*.h
lib/backends/nccl/*  : lib/backend.h lib/tensor*.h lib/dist.h lib/dtype.h lib/call.h lib/devices/*.h lib/streams/gpu.h lib/launch/*.h ./*.h
lib/backends/*/*     : lib/backend.h lib/tensor*.h lib/dist.h lib/dtype.h lib/call.h lib/devices/host.h lib/launch/*.h ./*.h
lib/algorithms/*     : lib/backend.h lib/tensor*.h lib/dist.h lib/dtype.h lib/call.h lib/devices/host.h ./*.h
lib/*                : lib/*.h lib/devices/*.h lib/streams/*.h lib/launch/*.h lib/algorithms/*.h lib/trace/*.h lib/diagnose/*.h
endef
export INCLUDE_RULES

# ---- what you can ask for --------------------------------------------------------

.PHONY: chapters lib diagrams topology fuzz programs suites sanitized criterion test check lessons expected bench doctor help clean next hint progress graders grade \
        watch gates seal gradescope handout grade-all new-exercise test-gpu bench-gpu FORCE

chapters: programs ## (the default) build everything and run the chapters so far, four ranks each
	$Q tests/tools/run.sh $(CHAPTERS)

lib: build/libdist.a ## build/libdist.a: all that a program of yours needs

programs: lib $(DISTRUN) $(DRAWERS) $(CHAPTERS) ## the chapters' programs and build/bin/distrun, not run

run-%: programs ## one chapter: make run-02, make run-02 N=7, make run-02 PROG=chain
	$Q $(if $(chosen),,echo "There is no chapter or program like that; \`ls chapters/*\` shows them." >&2; exit 2)
	$Q $(if $N,WORLD_SIZE=$N) tests/tools/run.sh $(chosen)
chosen = $(filter build/chapters/$*_%,$(if $(PROG),$(filter %/$(PROG),$(CHAPTERS)),$(CHAPTERS)))

suites: $(SUITES) $(TEST_PROGRAMS) $(DISTRUN) $(DRAWERS) build/tests/model/model

criterion:
	$Q CC="$(CC)" tests/tools/install.sh

# Suites that run under AddressSanitizer and UBSan too, and the programs that these start.
ASAN_SUITES ?= $(SUITES)
ifneq ($(filter test,$(MAKECMDGOALS)),)
ASAN_WORKS := $(shell tests/tools/sanitizer.sh "$(CC)" "$(ASAN)")
TSAN_WORKS := $(shell tests/tools/sanitizer.sh "$(CC)" "$(TSAN)")
SANITIZED := $(if $(ASAN_WORKS),$(ASAN_SUITES:build/%=build/asan/%) $(CHAPTERS:build/%=build/asan/%)) \
             $(if $(TSAN_WORKS),$(TSAN_SOURCES:%.c=build/tsan/%))
endif

test: suites programs graders $(SANITIZED) $(if $(HAS_CUDA),build/any/kernels_test) ## run all tests; first installs Criterion and Graphviz where that is allowed
	$Q CC="$(CC)" SUITES="$(SUITES)" CHAPTERS="$(CHAPTERS)" LESSONS="$(LESSONS)" \
	    ASAN_WORKS="$(ASAN_WORKS)" ASAN_SUITES="$(ASAN_SUITES:build/%=build/asan/%)" \
	    ASAN_CHAPTERS="$(CHAPTERS:build/%=build/asan/%)" \
	    TSAN_WORKS="$(TSAN_WORKS)" TSAN_PROGRAMS="$(TSAN_SOURCES:%.c=build/tsan/%)" HAS_CUDA="$(HAS_CUDA)" \
	    tests/tools/test.sh

# ---- exercises ---------------------------------------------------------------------

# exercises/03_ring/1_once_round.c is exercise-03.1. Learners' files are not built by make: what the compiler says of them is
# feedback, and no error of ours.
number = $(firstword $(subst _, ,$(notdir $(patsubst %/,%,$(dir $1))))).$(firstword $(subst _, ,$(notdir $1)))
define exercise_rules
exercise-$(call number,$1) exercise-$(basename $(call number,$1)): $(1:%.c=build/%) $(1:%.c=build/%.desk.o)
try-$(call number,$1): $(1:tests/graders/%.c=build/exercises/%)
	$$Q $$(if $$N,WORLD_SIZE=$$N) $$<
endef
$(foreach g,$(GRADER_SOURCES),$(eval $(call exercise_rules,$g)))

exercise-%: $(DESKS_SHARED) build/bin/draw ## build and grade one exercise, and say what is wrong: make exercise-03.1
	$Q CC="$(CC)" FROM="$(FROM)" tests/tools/exercise.sh grade $*

try-%: ## run your file of an exercise by hand: make try-03.1 N=4
	$Q tests/tools/exercise.sh grade $*

guide = $Q FORCE="$(FORCE)" tests/tools/exercise.sh $(subst -, ,$@)

hint: ## a hint for the exercise that make next shows
	$(guide)

hint-%: ## the next of three hints for one exercise: make hint-03.1
	$(guide)

reset-%: ## an exercise as it came; what you had is kept
	$(guide)

solution-%: ## our solution beside yours, once yours has passed; FORCE=1 if you cannot wait
	$(guide)

next: ## the first exercise that is not solved yet
	$Q tests/tools/exercise.sh next

progress: ## which exercises are solved
	$Q tests/tools/exercise.sh progress

graders: $(GRADERS) $(DESKS) build/bin/draw build/tests/tools/convert

grade: graders ## grade all exercises: a table, and 0 only if all have passed; also FROM=solutions FORMAT=junit OUT=file
	$Q CC="$(CC)" FROM="$(FROM)" FORMAT="$(FORMAT)" OUT="$(OUT)" tests/tools/grade.sh

watch: graders ## grade an exercise again whenever you save it
	$Q CC="$(CC)" tests/tools/watch.sh

gates: graders ## do the graders judge right? Stubs fail, solutions pass, wrong answers fail: make gates ONLY=03.1
	$Q CC="$(CC)" ONLY="$(ONLY)" TIMES="$(TIMES)" $(call teacher,tests/tools/gates.sh)

seal: ## after a change of a grader: make its checksum anew
	$Q tests/tools/seal.sh --write

# ---- for teachers: tests/TEACHING.md ------------------------------------------------

# Students' copies have none of these scripts.
teacher = $(if $(wildcard $1),$1,echo "This is in the teacher's copy of the workbook only." >&2; exit 2)

gradescope: ## for teachers: build/autograder.zip, which Gradescope takes as it is
	$Q $(call teacher,tests/tools/gradescope.sh)

handout: ## for teachers: the students' copy, without solutions: build/handout.tar.gz
	$Q FORCE="$(FORCE)" $(call teacher,tests/tools/handout.sh)

grade-all: graders ## for teachers: grade a folder of submissions, each apart: make grade-all SUBMISSIONS=folder
	$Q CC="$(CC)" JOBS="$(JOBS)" OUT="$(OUT)" $(call teacher,tests/tools/grade_all.sh) "$(SUBMISSIONS)"

new-exercise: ## for teachers: the files of a new exercise, to be changed: make new-exercise NAME=03_ring/5_thing
	$Q $(call teacher,tests/tools/new_exercise.sh) "$(NAME)"

# ---- and the rest --------------------------------------------------------------------

test-gpu: $(if $(CUDA_OBJECTS),programs $(GPU_TESTS)) ## the tests that need a GPU: with nvcc, gcc and make alone, a few minutes
	$Q BUILT="$(CUDA_OBJECTS)" CHAPTERS="$(CHAPTERS)" tests/tools/gpu.sh

bench-gpu: $(if $(CUDA_OBJECTS),$(GPU_BENCHES) build/tests/gpu/kernels_test) ## measure on a GPU, beside its limits and NCCL
	$Q BUILT="$(CUDA_OBJECTS)" HAS_NCCL="$(HAS_NCCL)" tests/bench/bench_gpu.sh

check: ## who includes whom, warnings of gcc and clang, format, lengths
	$Q FLAGS="$(FLAGS)" tests/tools/check.sh

lessons: ## put programs and outputs into the lessons anew
	$Q tests/tools/lessons.sh $(LESSONS)

diagrams: programs ## draw all pictures of the lessons anew from real runs; look at them before you keep them
	$Q tests/tools/pictures.sh --write

draw-%: programs ## your own run as pictures: make draw-02, make draw-02 N=6
	$Q tests/tools/pictures.sh --own $* $N

expected: programs ## write chapters/*/expected anew from real runs; read the difference before you keep it
	$Q tests/tools/outputs.sh --write $(CHAPTERS)

topology: $(DRAWERS) ## this machine as text and as a drawing: GPUs, NVLink, PCIe, networks
	$Q mkdir -p build/pictures
	$Q build/bin/topology -o build/pictures/topology.dot
	$Q tests/tools/pictures.sh --show build/pictures/topology

fuzz: suites ## throw broken traces at the drawing program: make fuzz SECONDS=600
	$Q FLAGS="$(FLAGS)" tests/tools/fuzz.sh $(or $(SECONDS),60)

bench: lib $(BENCHES) ## beside the machine's limits and other libraries, some minutes: make bench ROWS=ping-pong ROUNDS=1
	$Q ROWS="$(ROWS)" ROUNDS="$(ROUNDS)" tests/bench/bench.sh

doctor: ## what this machine has, and the command that installs what is missing
	$Q CC="$(CC)" tests/tools/doctor.sh

help: ## this list
	$Q awk -F ':.*## ' '/^[a-z%-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile
	$Q echo 'Also: CC=clang, CFLAGS="-O0 -g", WERROR= (warnings stay warnings), V=1 (show each command).'

clean: ## remove everything that was built
	$Q rm -rf build

# `make clean test` means: first the one, then the other.
ifneq ($(filter clean,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif
