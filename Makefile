# Umwelt.
#
#   make                 builds build/umwelt, build/libumwelt.so, build/umwelt-launch,
#                        build/umwelt-scan and build/plugins/*.so, runnable in place
#   make try             installs what is missing, builds, and shows the main job
#   make check           installs what is missing, builds, and runs all tests
#   make check-all       the static build, then the tests again under ASan+UBSan and under TSan
#   make builtin-check   the static build with a built-in plugin table
#   make deps            installs the packages that build and tests need (Debian, as root)
#   make bench           measures, beside the peers
#   make fuzz            fuzzes the parsers
#
#   PREFIX=DIR           where an installation stands: built-in paths of plugins and bundles
#   V=1                  shows the commands         WERROR=     lets warnings pass
#   SANITIZE=address     or thread: a build of its own, below build/address, build/thread
#   JOBS=N               how many tests run side by side
#
# What is built is found by folder: core/*.c, common/*.c, plugins/NAME/*.c,
# launcher/*.c, cmd/*.c, tests/unit/FOLDER/test_*.c, tests/conformance/test_*.c.

VERSION := 0.1.0
SOMAJOR := 1
PREFIX := /usr/local
LIBDIR := $(PREFIX)/lib
SANITIZE :=
JOBS := $(shell nproc 2>/dev/null || echo 2)

CC := gcc
MUSL_CC := musl-gcc
WERROR := -Werror
OPT := -O2 -g
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
        -Wpointer-arith -Wwrite-strings -Wundef -Wformat=2 -Wimplicit-fallthrough $(WERROR)
HARDEN := -fstack-protector-strong -fno-common

ifeq ($(SANITIZE),)
B := build
SAN :=
HARDEN += -D_FORTIFY_SOURCE=2
else
B := build/$(SANITIZE)
# less optimised, for the time it takes; gcc then sees truncations that -O2 proves away
OPT := -O1 -g -Wno-format-truncation
ifeq ($(SANITIZE),address)
SAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else
SAN := -fsanitize=$(SANITIZE) -fno-omit-frame-pointer
endif
endif

INCLUDES := -Icore/include -I.
PLACES := -DUW_PLUGIN_DIR='"$(LIBDIR)/umwelt/plugins"' -DUW_LIBEXEC_DIR='"$(PREFIX)/libexec/umwelt"' \
          -DUW_BUNDLE_DIR='"$(PREFIX)/share/umwelt/bundles"'
CFLAGS_ALL := -std=c11 -D_GNU_SOURCE -DUW_VERSION='"$(VERSION)"' $(OPT) $(WARN) $(HARDEN) $(SAN) \
              -fvisibility=hidden -fPIC -pthread $(INCLUDES) -MMD -MP $(CFLAGS)
LDFLAGS_ALL := $(SAN) -pthread -Wl,-z,relro,-z,now $(LDFLAGS)
# libyaml as an archive: one library less to load; libconfig.a of Debian is not position-independent
CORE_LIBS := -l:libyaml.a -lconfig -ldl
CMD_LIBS := -l:libjansson.a
TEST_LIBS := -lcheck -lsubunit -lrt -lm

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-8s %s\n'
endif

PLUGINS := $(patsubst plugins/%/,%,$(sort $(dir $(wildcard plugins/*/*.c))))
COMMON_O := $(patsubst %.c,$B/obj/%.o,$(wildcard common/*.c))
CORE_O := $(patsubst %.c,$B/obj/%.o,$(wildcard core/*.c))
CMD_O := $(patsubst %.c,$B/obj/%.o,$(wildcard cmd/*.c))
SCAN_O := $(patsubst %.c,$B/obj/%.o,$(wildcard core/scan/*.c) $(wildcard core/descriptor.c core/scan_answer.c))
LAUNCHER_C := $(wildcard launcher/*.c)
# what of common/ the launcher takes along
LAUNCHER_COMMON := $(wildcard common/launch_read.c)
LAUNCHER_O := $(patsubst %.c,$B/obj/%.o,$(filter-out launcher/main.c,$(LAUNCHER_C)))

UNIT_C := $(shell find tests/unit -name 'test_*.c' 2>/dev/null | sort)
UNIT_T := $(patsubst %.c,$B/%,$(UNIT_C))
CONFORMANCE_T := $(patsubst %.c,$B/%,$(wildcard tests/conformance/test_*.c))
BENCH_T := $(patsubst %.c,$B/%,$(wildcard bench/*.c))

PROGRAMS := $(if $(CMD_O),$B/umwelt) $(if $(LAUNCHER_C),$B/umwelt-launch) $(if $(SCAN_O),$B/umwelt-scan)
PLUGIN_SO := $(patsubst %,$B/plugins/%.so,$(PLUGINS))

.PHONY: all deps try check check-all check-unit check-inside inside-built check-lint bench fuzz clean tests-built install
.DELETE_ON_ERROR:
.SECONDARY:

all: $(if $(CORE_O),$B/libumwelt.so) $(PLUGIN_SO) $(PROGRAMS) $B/bundles

include mk/deps.mk
include mk/tests.mk
-include mk/fuzz.mk
include mk/faulty.mk
include mk/builtin.mk
include mk/stub.mk
include mk/sdk.mk
-include mk/install.mk

# ---- a change of flags rebuilds everything (no stale objects) ----
FLAGS := $(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) $(PLACES)
$B/flags: FORCE | build/.tools
	@mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(FLAGS))' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$(FLAGS))' >$@
FORCE:

$B/obj/%.o: %.c $B/flags
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(CFLAGS_ALL) $(if $(findstring plugins/,$<),-I$(dir $<)) -c -o $@ $<

$B/obj/core/places.o: CFLAGS_ALL += $(PLACES)
# every content is hashed, whatever the build is for: without optimisation tests spend their time here
$B/obj/common/blake2b.o: CFLAGS_ALL += -O2

$B/common.a: $(COMMON_O)
	@rm -f $@; mkdir -p $(@D)
	$(say) AR $@
	$(Q)ar rcs $@ $^

$B/core.a: $(CORE_O)
	@rm -f $@; mkdir -p $(@D)
	$(say) AR $@
	$(Q)ar rcs $@ $^

$B/libumwelt.so: $(CORE_O) $B/common.a
	$(say) LINK $@
	$(Q)$(CC) $(LDFLAGS_ALL) -shared -Wl,-soname,libumwelt.so.$(SOMAJOR) -Wl,-z,defs -Wl,--exclude-libs,ALL \
	  -o $@ $^ $(CORE_LIBS)
	$(Q)ln -sf libumwelt.so $B/libumwelt.so.$(SOMAJOR)

define PLUGIN_RULE
$B/plugins/$1.so: $$(patsubst %.c,$B/obj/%.o,$$(wildcard plugins/$1/*.c)) $B/common.a
	@mkdir -p $$(@D)
	$$(say) LINK $$@
	$$(Q)$$(CC) $$(LDFLAGS_ALL) -shared $$(if $$(SAN),,-Wl,-z,defs) -Wl,--exclude-libs,ALL -o $$@.tmp $$^
	$$(Q)chmod 755 $$@.tmp && mv $$@.tmp $$@
endef
$(foreach p,$(PLUGINS),$(eval $(call PLUGIN_RULE,$p)))

# The program needs "$ORIGIN/libumwelt.so.1" by that very name: no search, so that neither
# LD_LIBRARY_PATH nor a library planted beside the program comes first (C-21), as it would with
# a run path. An installation, with the library in lib/ beside bin/, takes $B/installed/umwelt.
define PROGRAM_RULE
$B/$1/libumwelt.so: $(CORE_O) $B/common.a
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(LDFLAGS_ALL) -shared -Wl,-soname,'$2/libumwelt.so.$(SOMAJOR)' -Wl,--exclude-libs,ALL -o $$@ $$^ $$(CORE_LIBS)
$3: $(CMD_O) $B/common.a $B/$1/libumwelt.so $B/libumwelt.so
	$$(say) LINK $$@
	$$(Q)$$(CC) $$(LDFLAGS_ALL) -o $$@ $(CMD_O) $B/common.a -L$B/$1 -lumwelt $$(CMD_LIBS)
endef
$(eval $(call PROGRAM_RULE,link,$$$$ORIGIN,$B/umwelt))
$(eval $(call PROGRAM_RULE,installed,$$$$ORIGIN/../lib,$B/installed/umwelt))

$B/umwelt-scan: $(SCAN_O) $B/common.a
	$(say) LINK $@
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ -ldl

# The launcher: static, musl, the kernel's own headers and nothing else.
build/uapi/.done:
	@mkdir -p build/uapi
	@for d in linux asm-generic; do ln -sfn /usr/include/$$d build/uapi/$$d; done
	@ln -sfn /usr/include/$$($(CC) -dumpmachine)/asm build/uapi/asm
	@touch $@
$B/umwelt-launch: $(LAUNCHER_C) $(LAUNCHER_COMMON) $(wildcard launcher/*.h common/*.h core/include/umwelt/*.h) build/uapi/.done $B/flags
	$(say) MUSL $@
	$(Q)$(MUSL_CC) -std=c11 -D_GNU_SOURCE -DUW_VERSION='"$(VERSION)"' -Os -g $(filter-out -Wpedantic,$(WARN)) \
	  -fno-common -fstack-protector-strong -static -s -isystem build/uapi $(INCLUDES) \
	  -o $@.tmp $(LAUNCHER_C) $(LAUNCHER_COMMON)
	$(Q)mv $@.tmp $@

$B/bundles: $(wildcard bundles/*.yaml)
	@rm -rf $@; mkdir -p $@; for f in $^; do cp $$f $@/; done

clean:
	rm -rf build

-include $(shell find $B/obj $B/tests -name '*.d' 2>/dev/null)
