# SPDX-License-Identifier: BSD-2-Clause
# libc for WebAssembly and the compiler that uses it, in build/bin,
# build/lib/selkie and build/sysroot; programs of others in build/programs.

SYSROOT := build/sysroot
CC_TOOLS := $(addprefix build/bin/selkie-,cc ar ranlib nm strip)
PASS := build/lib/selkie/selkie-pass.so
LIBC_SRC := $(shell find libc/arch libc/crt libc/src -type f 2>/dev/null)

## libc: musl for WebAssembly, and selkie-cc, selkie-ar and their kind
libc: $(SYSROOT)/made $(CC_TOOLS) $(PASS) \
	$(addprefix build/lib/selkie/,selkie.cmake config.site)

build/src/musl/VERSION:
	$(say) fetch musl
	$(Q)tools/debian-source musl build/src/musl

$(SYSROOT)/made: build/src/musl/VERSION libc/build $(LIBC_SRC)
	$(say) libc $(SYSROOT)
	+$(Q)libc/build build/src/musl build/musl $(SYSROOT)
	@touch $@

build/bin/selkie-cc: $(wildcard libc/tools/*.c libc/tools/*.h)
	@mkdir -p $(@D)
	$(say) link $@
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(HARDEN) $(LDFLAGS) $(filter %.c,$^) -o $@

build/bin/selkie-%: libc/tools/selkie-%
	@mkdir -p $(@D)
	$(Q)install -m 755 $< $@

build/lib/selkie/%: libc/tools/%
	@mkdir -p $(@D)
	$(Q)install -m 644 $< $@

$(PASS): libc/plugin/selkie_pass.cpp
	@mkdir -p $(@D)
	$(say) link $@
	$(Q)clang++-22 -std=c++17 -O2 -fPIC -shared -fno-rtti -Wall -Wextra \
		-Wno-unused-parameter $(shell llvm-config-22 --cppflags) $< -o $@

RECIPES := $(notdir $(wildcard programs/recipes/*))

## programs: the Unix programs of programs/recipes, as build/programs/*.wasm
programs: $(RECIPES:%=build/programs/.made-%)

build/programs/.made-%: programs/recipes/% programs/build $(SYSROOT)/made $(CC_TOOLS) $(PASS)
	+$(Q)programs/build $*
	@touch $@

.PHONY: libc programs
