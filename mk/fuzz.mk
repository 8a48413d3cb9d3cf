# `make fuzz`: each fuzz/fuzz_NAME.c with libFuzzer (clang), FUZZ_SECONDS each, one
# after the other. Seeds are in fuzz/corpus/NAME; what a run finds besides goes to
# build/fuzz/corpus/NAME, what breaks to build/fuzz/NAME-crash-*. A finding becomes
# a unit test. FUZZ=NAME runs one.
FUZZ_SECONDS := 600
FUZZ := $(patsubst fuzz/fuzz_%.c,%,$(wildcard fuzz/fuzz_*.c))
FUZZ_PACKAGES := clang
FUZZ_FLAGS := -std=c11 -D_GNU_SOURCE -DUW_VERSION='"$(VERSION)"' -O1 -g -fno-omit-frame-pointer -pthread $(INCLUDES) \
              -fsanitize=address,undefined -fno-sanitize-recover=undefined
# what every fuzzer links; a fuzzer of a plugin adds FUZZ_SOURCES_NAME
FUZZ_SOURCES := $(wildcard core/*.c common/*.c)

build/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	$(say) CLANG $<
	$(Q)clang $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<

define FUZZ_RULE
build/fuzz/fuzz_$1: $(patsubst %.c,build/fuzz/obj/%.o,fuzz/fuzz_$1.c $(FUZZ_SOURCES) $(FUZZ_SOURCES_$1))
	$$(say) LINK $$@
	$$(Q)clang $$(FUZZ_FLAGS) -fsanitize=fuzzer -o $$@ $$^ $$(CORE_LIBS)

.PHONY: fuzz-$1
fuzz-$1: build/fuzz/fuzz_$1
	@mkdir -p build/fuzz/corpus/$1
	build/fuzz/fuzz_$1 -max_total_time=$$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
	  -artifact_prefix=build/fuzz/$1- $$(if $$(wildcard fuzz/$1.dict),-dict=fuzz/$1.dict) build/fuzz/corpus/$1 $$(wildcard fuzz/corpus/$1)
endef
$(foreach f,$(patsubst fuzz/fuzz_%.c,%,$(wildcard fuzz/fuzz_*.c)),$(eval $(call FUZZ_RULE,$f)))

fuzz:
	@$(MAKE) --no-print-directory BUILD_PACKAGES='$(BUILD_PACKAGES) $(FUZZ_PACKAGES)' deps
	@for f in $(FUZZ); do $(MAKE) --no-print-directory fuzz-$$f || exit 1; done

-include $(shell find build/fuzz/obj -name '*.d' 2>/dev/null)
