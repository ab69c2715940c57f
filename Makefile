# SPDX-License-Identifier: BSD-2-Clause
# Selkie's one Makefile. Sources are found, never registered, and all output
# goes to build/. `make help` lists what there is.

ifneq ($(words $(CURDIR)),1)
$(error The path "$(CURDIR)" has a space, which make cannot handle: move the tree)
endif

ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

# V=1 shows the commands.
ifeq ($(V),1)
say = @:
else
Q := @
say = @printf '  %-5s %s\n'
endif

VERSION := 0.1.0
PREFIX ?= /usr/local
ifeq ($(origin CC),default)
CC := gcc
endif
OPT ?= -O2 -g
ICU_LIBS = $(shell pkg-config --libs icu-uc)
JSC_CFLAGS = $(shell pkg-config --cflags javascriptcoregtk-4.1)
JSC_LIBS = $(shell pkg-config --libs javascriptcoregtk-4.1)
LIBS = -ljansson $(ICU_LIBS) -lseccomp -lcrypto

HARDEN := -fstack-protector-strong -D_FORTIFY_SOURCE=2
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer

# SAN=1 builds all but what cannot carry a sanitizer: the worker process (it
# holds JavaScriptCore) and the nginx module (nginx has none) are the plain ones.
ifeq ($(SAN),1)
B := build/san
CHECKS := $(SANITIZE)
else
B := build
CHECKS := $(HARDEN)
endif

override CPPFLAGS += -D_GNU_SOURCE -DSK_VERSION='"$(VERSION)"' -Ilib -I. -Ikernel/include
# libseccomp's own macros leave fields out, which clang's -Wextra minds.
WARN := -Wall -Wextra -Wno-missing-field-initializers -Werror
override CFLAGS += -std=c11 $(OPT) $(WARN) -fPIC
override LDFLAGS += -Wl,--as-needed -Wl,-z,relro -Wl,-z,now

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
LIB_SRC := $(wildcard lib/*/*.c)
WORKER_SRC := $(wildcard worker/*.c)
SUPERVISOR_SRC := $(wildcard supervisor/*.c)
EGRESS_SRC := $(wildcard egress/*.c)
CLI_SRC := $(wildcard cli/*.c)
HOST_SRC := $(wildcard host/linux/*.c)
NGINX_SRC := $(wildcard nginx/*.c)
# string.c stands in for a C library: only the wasm kernel needs it.
KERNEL_SRC := $(filter-out kernel/string.c,$(wildcard kernel/*.c kernel/*/*.c))
KERNEL_WASM_SRC := $(wildcard kernel/*.c kernel/*/*.c)
RUNTIME_SRC := $(wildcard runtime/*.js runtime/*/*.js)

S := build/san
LIBSELKIE := $(B)/obj/libselkie.a
LIBKERNEL := $(B)/obj/libkernel.a
KERNEL_WASM := build/obj/wasm/libkernel.a
BIN := $(B)/bin/selkie
SUPERVISOR := $(B)/libexec/selkie/selkie-supervisor
EGRESS := $(B)/libexec/selkie/selkie-egress
RUN := $(B)/libexec/selkie/selkie-run
WORKER := $(B)/libexec/selkie/selkie-worker
MODULE := $(B)/lib/selkie/ngx_http_selkie_module.so
FLAGS := $(B)/obj/flags

all: serving $(RUN) $(LIBKERNEL) $(KERNEL_WASM)

# What `tools/setup serve` is enough for.
serving: $(BIN) $(SUPERVISOR) $(EGRESS) $(WORKER) $(MODULE)

# What was built with other flags is built again.
FLAGS_NOW := $(CC) $(CPPFLAGS) $(CFLAGS) $(CHECKS) $(LDFLAGS)
ifneq ($(file <$(FLAGS)),$(FLAGS_NOW))
$(shell mkdir -p $(dir $(FLAGS)))
$(file >$(FLAGS),$(FLAGS_NOW))
endif

$(B)/obj/%.o: %.c $(FLAGS)
	@mkdir -p $(@D)
	$(say) cc $<
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(CHECKS) -MMD -MP -c $< -o $@

$(LIBSELKIE): $(call obj,$(LIB_SRC))
	@mkdir -p $(@D)
	@rm -f $@
	$(say) ar $@
	$(Q)ar rcs $@ $^

# The kernel: freestanding; natively and for WebAssembly in every build.
KERNEL_OBJECTS := $(B)/obj/kernel/%.o $(S)/obj/kernel/%.o build/tsan/obj/kernel/%.o
$(KERNEL_OBJECTS): override CFLAGS += -ffreestanding
$(KERNEL_OBJECTS): override CPPFLAGS += -Ikernel

$(LIBKERNEL): $(call obj,$(KERNEL_SRC))
	@mkdir -p $(@D)
	@rm -f $@
	$(say) ar $@
	$(Q)ar rcs $@ $^

WASM_CC ?= $(firstword $(notdir $(wildcard /usr/bin/clang-22 /usr/bin/clang)))
WASM_LD ?= $(WASM_CC:clang%=wasm-ld%)
WASM_AR ?= $(WASM_CC:clang%=llvm-ar%)
WASM_CFLAGS := --target=wasm32 -std=c11 -O2 -g0 -ffreestanding \
	-Wall -Wextra -Werror -Ikernel/include -Ikernel -I.

build/obj/wasm/%.o: %.c $(FLAGS)
	@mkdir -p $(@D)
	$(say) wasm $<
	$(Q)$(WASM_CC) $(WASM_CFLAGS) -mbulk-memory -matomics -MMD -MP -c $< -o $@

# The same for arm64, which no test here can run: that it compiles.
build/obj/arm64/%.o: %.c $(FLAGS)
	@mkdir -p $(@D)
	$(say) arm64 $<
	$(Q)$(WASM_CC) $(subst wasm32,aarch64-linux-gnu,$(WASM_CFLAGS)) -MMD -MP -c $< -o $@

kernel-arm64: $(KERNEL_WASM_SRC:%.c=build/obj/arm64/%.o)

$(KERNEL_WASM): $(KERNEL_WASM_SRC:%.c=build/obj/wasm/%.o)
	@mkdir -p $(@D)
	@rm -f $@
	$(say) ar $@
	$(Q)$(WASM_AR) rcs $@ $^

# Programs on the kernel; a program is compiled with the header that is embedded.
$(B)/obj/host/linux/embedded.o: host/linux/embedded.S host/linux/guest/wasm-rt.h
	@mkdir -p $(@D)
	$(say) cc $<
	$(Q)$(CC) -c $< -o $@

$(RUN): $(call obj,$(HOST_SRC)) $(B)/obj/host/linux/embedded.o $(LIBKERNEL) $(LIBSELKIE)
	@mkdir -p $(@D)
	$(say) link $@
	$(Q)$(CC) $(LDFLAGS) $(CHECKS) $^ -lm -pthread $(LIBS) -o $@

$(BIN): $(call obj,$(CLI_SRC)) $(LIBSELKIE)
	@mkdir -p $(@D)
	$(say) link $@
	$(Q)$(CC) $(LDFLAGS) $(CHECKS) $^ $(LIBS) -o $@

$(SUPERVISOR): $(call obj,$(SUPERVISOR_SRC)) $(LIBSELKIE)
	@mkdir -p $(@D)
	$(say) link $@
	$(Q)$(CC) $(LDFLAGS) $(CHECKS) $^ $(LIBS) -o $@

$(EGRESS): $(call obj,$(EGRESS_SRC)) $(LIBSELKIE)
	@mkdir -p $(@D)
	$(say) link $@
	$(Q)$(CC) $(LDFLAGS) $(CHECKS) $^ -lcurl -lz -lbrotlidec -lzstd $(LIBS) -o $@

ifeq ($(SAN),1)
$(WORKER) $(MODULE): $(B)/%: plain
	@mkdir -p $(@D)
	cp -f build/$* $@

plain:
	+$(MAKE) --no-print-directory SAN= build/$(WORKER:$(B)/%=%) build/$(MODULE:$(B)/%=%)
else

# The runtime: one script, embedded in the worker.
$(B)/obj/runtime.js: $(RUNTIME_SRC) tools/bundle-runtime.mjs package-lock.json
	@mkdir -p $(@D)
	$(say) js $@
	$(Q)node tools/bundle-runtime.mjs $@ $(VERSION)

$(B)/obj/runtime_js.o: tools/embed.S $(B)/obj/runtime.js
	$(say) cc $<
	$(Q)$(CC) -c -DSK_FILE='"$(B)/obj/runtime.js"' $< -o $@

$(B)/obj/worker/%.o: override CPPFLAGS += $(JSC_CFLAGS)

$(WORKER): $(call obj,$(WORKER_SRC)) $(B)/obj/runtime_js.o $(LIBSELKIE)
	@mkdir -p $(@D)
	$(say) link $@
	$(Q)$(CC) $(LDFLAGS) $(CHECKS) $^ $(JSC_LIBS) $(LIBS) -ldl -lm -o $@

# The nginx module, against the headers of Debian's nginx-dev.
NGX := /usr/share/nginx/src
NGX_OBJS := build/nginx/objs
NGX_INC := -I$(NGX)/src/core -I$(NGX)/src/event -I$(NGX)/src/event/modules \
	-I$(NGX)/src/os/unix -I$(NGX)/src/http -I$(NGX)/src/http/modules \
	-I$(NGX)/src/http/v2 -I$(NGX_OBJS)

$(NGX_OBJS)/ngx_auto_config.h: tools/configure-nginx
	$(say) nginx "its headers"
	$(Q)tools/configure-nginx build/nginx

$(B)/obj/nginx/%.o: nginx/%.c $(NGX_OBJS)/ngx_auto_config.h $(FLAGS)
	@mkdir -p $(@D)
	$(say) cc $<
	$(Q)$(CC) -D_GNU_SOURCE -Ilib $(NGX_INC) -std=gnu11 $(OPT) $(WARN) \
		-Wno-unused-parameter -fPIC $(CHECKS) -MMD -MP -c $< -o $@

$(MODULE): $(call obj,$(NGINX_SRC)) $(LIBSELKIE)
	@mkdir -p $(@D)
	$(say) link $@
	$(Q)$(CC) -shared $(LDFLAGS) $^ -Wl,--exclude-libs,ALL $(LIBS) -o $@
endif

include tests/tests.mk
include libc/libc.mk

## demo: sets up, builds, serves examples/hello and prints its address
demo:
	tools/setup serve
	+$(MAKE) --no-print-directory serving
	tools/demo

# The programs that the quick tests run; check-full has them all.
CHECKED_PROGRAMS := build/programs/.made-dash build/programs/.made-busybox

## check: sets up, builds, and passes the quick tests
check:
	tools/setup kernel
	+$(MAKE) --no-print-directory all libc tests fuzzers $(CHECKED_PROGRAMS)
	tests/run all

## check-full: the same with the long tests
check-full:
	tools/setup kernel
	+$(MAKE) --no-print-directory all libc tests fuzzers kernel-arm64
	+$(MAKE) --no-print-directory SAN=1 all
	tests/run --full all

## bench: measures Selkie beside others; writes build/bench and bench/RESULTS.md
bench:
	tools/setup bench
	+$(MAKE) --no-print-directory all
	node bench/run.mjs

## bench-kernel: measures Selkie's kernel beside Linux; build/bench/kernel.json
bench-kernel:
	tools/setup kernel
	+$(MAKE) --no-print-directory all libc build/programs/.made-dash build/programs/.made-lua5.4
	node bench/kernel.mjs

## lint: formats, types, shell scripts and the house rules; all with clang too
lint:
	tools/setup check
	tools/lint
	+$(MAKE) --no-print-directory CC=clang B=build/clang all

## install: DESTDIR= PREFIX=/usr/local
SHARE := $(DESTDIR)$(PREFIX)/share
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec/selkie \
		$(DESTDIR)$(PREFIX)/lib/selkie $(SHARE)/doc/selkie $(SHARE)/selkie
	install -m 755 $(BIN) $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(B)/libexec/selkie/* $(DESTDIR)$(PREFIX)/libexec/selkie
	install -m 644 $(B)/lib/selkie/*.so $(DESTDIR)$(PREFIX)/lib/selkie
	install -m 644 LICENSE $(wildcard README.md docs/*.md) $(SHARE)/doc/selkie
	cp -R examples $(SHARE)/selkie

## deb: a package for Debian, build/selkie_VERSION_ARCH.deb
deb: all
	+packaging/deb/build $(VERSION)

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/selkie
	rm -rf $(DESTDIR)$(PREFIX)/libexec/selkie $(DESTDIR)$(PREFIX)/lib/selkie \
		$(SHARE)/doc/selkie $(SHARE)/selkie

clean:
	rm -rf build

help:
	@echo 'make              builds; then build/bin/selkie runs from the tree'
	@sed -n 's/^## \([a-z-]*\): /make \1|/p' Makefile tests/tests.mk libc/libc.mk | \
		while IFS='|' read -r a b; do printf '%-17s %s\n' "$$a" "$$b"; done
	@echo 'make clean        removes build/'
	@echo 'variables         V=1  CC=clang  SAN=1  OPT=-O0  PREFIX=  DESTDIR='

# Sources of others have such files of their own.
-include $(shell find build \( -path build/src -o -path build/source -o \
	-path build/work -o -path build/musl \) -prune -o -type f -name '*.d' -print 2>/dev/null)
.PHONY: bench-kernel all kernel-arm64 serving plain demo check check-full bench lint deb install uninstall clean help
