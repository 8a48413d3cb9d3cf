# Tests. A unit test sees the folder it tests and nothing else; conformance and
# end-to-end tests see what a user sees.

# suites: tests of a service that several programs run against providers of their own
SUITES_O := $(patsubst %.c,$B/obj/%.o,$(wildcard tests/suites/*.c))
$(SUITES_O): CFLAGS_ALL += -Wno-pedantic
$B/suites.a: $(SUITES_O)
	@rm -f $@; mkdir -p $(@D)
	$(say) AR $@
	$(Q)ar rcs $@ $^

# objects a unit test of tests/unit/FOLDER links: the folder's own
unit_objects = $(if $(filter core,$1),$B/core.a)$(if $(filter cmd,$1),$(filter-out $B/obj/cmd/main.o,$(CMD_O)))$(if \
  $(filter launcher,$1),$(LAUNCHER_O))$(if $(filter plugins/%,$1),$(patsubst %.c,$B/obj/%.o,$(wildcard $1/*.c)) $B/suites.a)
unit_folder = $(patsubst tests/unit/%/,%,$(dir $1))

define UNIT_RULE
$B/obj/$(basename $1).o: CFLAGS_ALL += -Wno-pedantic -I$(call unit_folder,$1) -Itests
$B/$(basename $1): $B/obj/$(basename $1).o $(call unit_objects,$(call unit_folder,$1)) $B/common.a $(if $(filter cmd,$(call unit_folder,$1)),$B/libumwelt.so)
	@mkdir -p $$(@D)
	$$(say) TEST $$@
	$$(Q)$$(CC) $$(LDFLAGS_ALL) -o $$@ $B/obj/$(basename $1).o $(call unit_objects,$(call unit_folder,$1)) $B/common.a \
	  $(if $(filter cmd,$(call unit_folder,$1)),-L$B -lumwelt -Wl$(comma)-rpath$(comma)$(abspath $B) $(CMD_LIBS)) $$(CORE_LIBS) $$(TEST_LIBS)
endef
comma := ,
# tests of lost memory stand before the allocator of what they link
$(filter %_oom,$(UNIT_T)): LDFLAGS_ALL += -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc
$(foreach t,$(UNIT_C),$(eval $(call UNIT_RULE,$t)))

$B/obj/tests/conformance/%.o: CFLAGS_ALL += -Wno-pedantic -Itests
$B/tests/conformance/%: $B/obj/tests/conformance/%.o $B/libumwelt.so $B/suites.a $B/common.a
	@mkdir -p $(@D)
	$(say) TEST $@
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $< $B/suites.a $B/common.a -L$B -lumwelt -Wl,-rpath,$(abspath $B) $(TEST_LIBS)

$B/bench/%: bench/%.c $B/libumwelt.so $B/flags
	@mkdir -p $(@D)
	$(say) BENCH $@
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< -L$B -lumwelt -Wl,-rpath,$(abspath $B)

INSIDE_T := $(patsubst %.c,$B/%,$(shell grep -L UW_NEEDS_THE_MACHINE $(UNIT_C)))
inside-built: all $(INSIDE_T)

tests-built: all $(UNIT_T) $(CONFORMANCE_T)

# deps first: a bare machine has no compiler when make starts
check: deps
	@$(MAKE) --no-print-directory -j$(JOBS) tests-built
	@tests/run --build $B --jobs $(JOBS) all

check-unit:
	@$(MAKE) --no-print-directory -j$(JOBS) tests-built
	@tests/run --build $B --jobs $(JOBS) unit conformance

# the unit tests that run in a world of Umwelt too (tests/e2e/self_build.sh)
check-inside:
	@$(MAKE) --no-print-directory -j$(JOBS) inside-built
	@tests/run --build $B --jobs $(JOBS) inside

check-all: deps
	@$(MAKE) --no-print-directory -j$(JOBS) builtin-check
	@$(MAKE) --no-print-directory -j$(JOBS) SANITIZE=address tests-built
	@tests/run --build build/address --jobs $(JOBS) unit conformance e2e
	@$(MAKE) --no-print-directory -j$(JOBS) SANITIZE=thread tests-built
	@tests/run --build build/thread --jobs $(JOBS) unit conformance

try: deps
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@mk/try.sh

bench: deps
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_T)
	@bench/run
