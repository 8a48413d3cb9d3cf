# One plugin with many faces, for the tests of core: its providers count and
# misbehave as a test tells them. Below $B/tests, where no plugin directory leads.
STUB_NAMES := stub stub-serial stub-wrapper stub-shell stub-asker
STUB_SO := $(patsubst %,$B/tests/stub/%.so,$(STUB_NAMES))

$B/tests/stub/%.so: tests/stub-plugins/stub.c tests/stub-plugins/stub.h $(wildcard core/include/umwelt/*.h) $B/flags
	@mkdir -p $(@D)
	$(say) STUB $@
	$(Q)$(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) $(LDFLAGS_ALL) -DSTUB_NAME='"$*"' -DSTUB_$(subst -,_,$*) \
	  -shared -o $@.tmp $<
	$(Q)chmod 755 $@.tmp && mv $@.tmp $@

tests-built inside-built: $(STUB_SO)
