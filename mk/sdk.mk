# The example host, built as a third party would: public headers and the library.
$B/sdk/%: sdk/%.c $B/libumwelt.so $(wildcard core/include/umwelt/*.h) $B/flags
	@mkdir -p $(@D)
	$(say) SDK $@
	$(Q)$(CC) -std=c11 -D_POSIX_C_SOURCE=200809L $(OPT) $(WARN) $(SAN) -Icore/include \
	  $(LDFLAGS_ALL) -o $@ $< -L$B -lumwelt -Wl,-rpath,$(abspath $B)

tests-built: $(patsubst sdk/%.c,$B/sdk/%,$(wildcard sdk/*.c))
