# SPDX-License-Identifier: BSD-2-Clause
# Test programs: each tests/unit/test_*.c, tests/conformance/*_driver.c and
# tests/fault/*.c is a program in build/tests, with sanitizers, and each
# tests/fuzz/fuzz_*.c one in build/fuzz. A line `// link: worker/foo.c -lbar`
# in the source adds what it tests beyond lib/ (`worker/*.c` works too);
# `// link: kernel` stands for the kernel and the rig of tests/kernel. bench/*.c go to build/bench.

F := build/fuzz
FUZZ_CC ?= clang
FUZZ_FLAGS := -fsanitize=fuzzer-no-link,address,undefined \
	-fno-sanitize-recover=undefined -fno-omit-frame-pointer

TEST_SRC := $(wildcard tests/unit/test_*.c tests/conformance/*_driver.c tests/fault/*.c)
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
BENCH_SRC := $(wildcard bench/*.c)
TESTS := $(addprefix build/tests/,$(basename $(notdir $(TEST_SRC))))
# A line `// tsan` asks for a second program, NAME-tsan, under ThreadSanitizer.
TSAN_SRC := $(shell grep -lx '// tsan' $(TEST_SRC))
TESTS += $(patsubst tests/unit/%.c,build/tests/%-tsan,$(TSAN_SRC))
# A line `// wasm` asks for NAME.wasm, which Node runs: the kernel's own tests.
WASM_TEST_SRC := $(shell grep -lx '// wasm' $(TEST_SRC))
TESTS += $(patsubst tests/unit/%.c,build/tests/%.wasm,$(WASM_TEST_SRC))
FUZZERS := $(addprefix $(F)/,$(basename $(notdir $(FUZZ_SRC))))
BENCHES := $(addprefix build/bench/,$(basename $(notdir $(BENCH_SRC))))

KERNEL_RIG := $(wildcard tests/kernel/*.c) $(KERNEL_SRC)
links = $(subst :kernel:,$(KERNEL_RIG),$(shell sed -n 's|^// link:||p' $(1) | sed 's|^ kernel$$|:kernel:|'))
found = $(foreach name,$(1),$(if $(findstring *,$(name)),$(wildcard $(name)),$(name)))
link_objs = $(patsubst %.c,$(1)/obj/%.o,$(call found,$(filter %.c,$(call links,$(2)))))
link_libs = $(filter -l%,$(call links,$(1)))

## tests: builds the test programs, not the fuzz targets
tests: $(TESTS)
fuzzers: $(FUZZERS)
bench-programs: $(BENCHES)

## unit: builds and runs the unit tests alone
unit: $(TESTS)
	tests/run unit

## conformance-posix: the Open POSIX Test Suite here and on Linux, all of it
conformance-posix:
	tools/setup kernel
	+$(MAKE) --no-print-directory all libc
	node tests/conformance/posix.mjs

## fuzz: runs each fuzz target for FUZZ_SECONDS
fuzz: $(FUZZERS)
	tests/run fuzz

ifneq ($(SAN),1)
$(S)/obj/%.o: %.c $(FLAGS)
	@mkdir -p $(@D)
	$(say) cc $<
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) -MMD -MP -c $< -o $@

$(S)/obj/libselkie.a: $(LIB_SRC:%.c=$(S)/obj/%.o)
	@mkdir -p $(@D)
	@rm -f $@
	$(say) ar $@
	$(Q)ar rcs $@ $^
endif

build/tsan/obj/%.o: %.c $(FLAGS)
	@mkdir -p $(@D)
	$(say) cc $<
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -fsanitize=thread -MMD -MP -c $< -o $@

$(F)/obj/%.o: %.c $(FLAGS)
	@mkdir -p $(@D)
	$(say) cc $<
	$(Q)$(FUZZ_CC) $(CPPFLAGS) $(CFLAGS) $(FUZZ_FLAGS) -MMD -MP -c $< -o $@

$(F)/obj/libselkie.a: $(LIB_SRC:%.c=$(F)/obj/%.o)
	@mkdir -p $(@D)
	@rm -f $@
	$(say) ar $@
	$(Q)ar rcs $@ $^

define test_program
$(1): $(S)/obj/$(basename $(2)).o $(call link_objs,$(S),$(2)) $(S)/obj/libselkie.a
	@mkdir -p $$(@D)
	$$(say) link $$@
	$$(Q)$$(CC) $$(LDFLAGS) $$(SANITIZE) $$^ -lcmocka $$(LIBS) $(call link_libs,$(2)) -o $$@
endef
define tsan_program
$(1): build/tsan/obj/$(basename $(2)).o $(call link_objs,build/tsan,$(2))
	@mkdir -p $$(@D)
	$$(say) link $$@
	$$(Q)$$(CC) $$(LDFLAGS) -fsanitize=thread $$^ -lcmocka -o $$@
endef
WASM_RIG := tests/kernel/rig.c tests/kernel/wasm/shim.c

.SECONDARY: $(WASM_RIG:%.c=build/obj/wasm/%.o) $(WASM_TEST_SRC:%.c=build/obj/wasm/%.o)
build/obj/wasm/tests/%.o: WASM_CFLAGS += -Itests/kernel/wasm/include

build/tests/%.wasm: build/obj/wasm/tests/unit/%.o $(WASM_RIG:%.c=build/obj/wasm/%.o) $(KERNEL_WASM)
	@mkdir -p $(@D)
	$(say) link $@
	$(Q)$(WASM_LD) --no-entry -z stack-size=1048576 $^ -o $@

define fuzz_program
$(1): $(F)/obj/$(basename $(2)).o $(call link_objs,$(F),$(2)) $(F)/obj/libselkie.a
	@mkdir -p $$(@D)
	$$(say) link $$@
	$$(Q)$$(FUZZ_CC) $$(LDFLAGS) -fsanitize=fuzzer,address,undefined $$^ $$(LIBS) $(call link_libs,$(2)) -o $$@
endef
define bench_program
$(1): $(B)/obj/$(basename $(2)).o $(call link_objs,$(B),$(2)) $(LIBSELKIE)
	@mkdir -p $$(@D)
	$$(say) link $$@
	$$(Q)$$(CC) $$(LDFLAGS) $$(CHECKS) $$^ $$(LIBS) $(call link_libs,$(2)) -o $$@
endef
$(foreach src,$(TEST_SRC),$(eval $(call test_program,build/tests/$(basename $(notdir $(src))),$(src))))
$(foreach src,$(TSAN_SRC),$(eval $(call tsan_program,build/tests/$(basename $(notdir $(src)))-tsan,$(src))))
$(foreach src,$(FUZZ_SRC),$(eval $(call fuzz_program,$(F)/$(basename $(notdir $(src))),$(src))))
$(foreach src,$(BENCH_SRC),$(eval $(call bench_program,build/bench/$(basename $(notdir $(src))),$(src))))

.PHONY: tests fuzzers bench-programs unit fuzz
