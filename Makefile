# SPDX-License-Identifier: BSD-2-Clause
# Selkie's one Makefile. Sources are found, all output goes to build/.
# `make help` lists what there is.

B := build
ifeq ($(SAN),1)
B := build/san
SANFLAGS := -fsanitize=address,undefined -fno-omit-frame-pointer
endif

VERSION := 0.1.0
PREFIX ?= /usr/local
CC ?= gcc
OPT ?= -O2 -g
CPPFLAGS += -D_GNU_SOURCE -DSK_VERSION='"$(VERSION)"' -Ilib -I.
CFLAGS += -std=c11 $(OPT) -Wall -Wextra -Werror -fPIC $(SANFLAGS)
LDFLAGS += $(SANFLAGS)

JSC_CFLAGS = $(shell pkg-config --cflags javascriptcoregtk-4.1)
JSC_LIBS = $(shell pkg-config --libs javascriptcoregtk-4.1)
ICU_LIBS = $(shell pkg-config --libs icu-uc)

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
LIB_SRC := $(wildcard lib/*/*.c)
WORKER_SRC := $(wildcard worker/*.c)
SUPERVISOR_SRC := $(wildcard supervisor/*.c)
CLI_SRC := $(wildcard cli/*.c)
NGINX_SRC := $(wildcard nginx/*.c)
RUNTIME_SRC := $(wildcard runtime/*.js)

LIBSELKIE := $(B)/obj/libselkie.a
BIN := $(B)/bin/selkie
SUPERVISOR := $(B)/libexec/selkie/selkie-supervisor
WORKER := $(B)/libexec/selkie/selkie-worker
MODULE := $(B)/lib/selkie/ngx_http_selkie_module.so

all: $(BIN) $(SUPERVISOR) $(WORKER) $(MODULE)

$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(LIBSELKIE): $(call obj,$(LIB_SRC))
	@rm -f $@
	ar rcs $@ $^

$(BIN): $(call obj,$(CLI_SRC)) $(LIBSELKIE)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ -ljansson $(ICU_LIBS) -lseccomp -o $@

$(SUPERVISOR): $(call obj,$(SUPERVISOR_SRC)) $(LIBSELKIE)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ -ljansson -lseccomp -o $@

# The runtime: one script, embedded in the worker.
$(B)/obj/runtime.js: $(RUNTIME_SRC) package-lock.json
	@mkdir -p $(@D)
	node tools/bundle-runtime.mjs $@

$(B)/obj/runtime_js.o: tools/embed.S $(B)/obj/runtime.js
	$(CC) -c -DSK_FILE='"$(B)/obj/runtime.js"' $< -o $@

$(B)/obj/worker/engine.o: CPPFLAGS += $(JSC_CFLAGS)
$(B)/obj/worker/natives%.o: CPPFLAGS += $(JSC_CFLAGS)

$(WORKER): $(call obj,$(WORKER_SRC)) $(B)/obj/runtime_js.o $(LIBSELKIE)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ $(JSC_LIBS) $(ICU_LIBS) -ljansson -lseccomp -ldl -lm -o $@

# The nginx module, against the headers of Debian's nginx-dev.
NGX := /usr/share/nginx/src
NGX_OBJS := build/nginx/objs
NGX_INC := -I$(NGX)/src/core -I$(NGX)/src/event -I$(NGX)/src/event/modules \
	-I$(NGX)/src/os/unix -I$(NGX)/src/http -I$(NGX)/src/http/modules \
	-I$(NGX)/src/http/v2 -I$(NGX_OBJS)

$(NGX_OBJS)/ngx_auto_config.h:
	tools/configure-nginx build/nginx

$(B)/obj/nginx/%.o: nginx/%.c $(NGX_OBJS)/ngx_auto_config.h
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -Ilib $(NGX_INC) -std=gnu11 $(OPT) -Wall -Wextra \
		-Wno-unused-parameter -Werror -fPIC -MMD -MP -c $< -o $@

$(MODULE): $(call obj,$(NGINX_SRC)) $(LIBSELKIE)
	@mkdir -p $(@D)
	$(CC) -shared $^ -Wl,--no-undefined-version $(ICU_LIBS) -ljansson -o $@

# The rivals come from bench/package.json; none of their install scripts runs.
bench: all
	cd bench && npm ci --ignore-scripts --no-audit --no-fund
	node bench/run.mjs $(BENCH_ARGS)

clean:
	rm -rf build

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
.PHONY: all bench clean
