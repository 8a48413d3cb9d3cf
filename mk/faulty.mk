# One tiny plugin per defect, for the loader's tests (C-3). They stand below
# $B/tests, where no plugin directory leads.
FAULTY_C := $(wildcard tests/faulty-plugins/*.c)
FAULTY_SO := $(patsubst tests/faulty-plugins/%.c,$B/tests/faulty/%.so,$(FAULTY_C))

$B/tests/faulty/%.so: tests/faulty-plugins/%.c tests/faulty-plugins/plugin.h $(wildcard core/include/umwelt/*.h) $B/flags
	@mkdir -p $(@D)
	$(say) FAULTY $@
	$(Q)$(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) $(LDFLAGS_ALL) $(FAULTY_FLAGS) -shared -o $@.tmp $< $(FAULTY_LIBS)
	$(Q)chmod 755 $@.tmp && mv $@.tmp $@

$B/tests/faulty/run-path.so: FAULTY_FLAGS := -Wl,-rpath,'$$ORIGIN:/tmp'
$B/tests/faulty/needed-slash.so: FAULTY_LIBS = -Wl,--no-as-needed $B/tests/faulty/slash/libslash.so
$B/tests/faulty/needed-slash.so: $B/tests/faulty/slash/libslash.so

$B/tests/faulty/slash/libslash.so: tests/faulty-plugins/no-entry.c $B/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) $(LDFLAGS_ALL) -shared -Wl,-soname,./slash/libslash.so -o $@ $<

tests-built inside-built: $(FAULTY_SO)
