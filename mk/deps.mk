# What build and tests need of Debian. `make deps` installs what is missing;
# without root it names it.
BUILD_PACKAGES := gcc libc6-dev linux-libc-dev musl-tools pkg-config libyaml-dev libconfig-dev libjansson-dev bubblewrap
TEST_PACKAGES := g++ check git jq python3 procps util-linux acl attr binutils python3-jsonschema python3-yaml groff-base xfsprogs btrfs-progs fuse2fs

deps:
	@missing=; for p in $(BUILD_PACKAGES) $(TEST_PACKAGES); do \
	  dpkg-query -W -f '$${db:Status-Status}\n' $$p 2>/dev/null | grep -qx installed || missing="$$missing $$p"; done; \
	[ -z "$$missing" ] && exit 0; \
	if [ "$$(id -u)" = 0 ]; then \
	  echo "installing:$$missing" >&2; \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $$missing >/dev/null || \
	  { apt-get update >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $$missing >/dev/null; }; \
	else echo "missing packages; as root: apt-get install$$missing" >&2; exit 1; fi

# Looked at once before all else, so that what is missing is a sentence and not the compiler's.
build/.tools:
	@mkdir -p build; lacks=; \
	for t in $(CC) $(MUSL_CC); do command -v $$t >/dev/null || lacks="$$lacks $$t"; done; \
	for h in yaml.h libconfig.h jansson.h; do \
	  echo "#include <$$h>" | $(CC) -E - >/dev/null 2>&1 || lacks="$$lacks <$$h>"; done; \
	[ -z "$$lacks" ] && touch $@ || { echo "this build lacks:$$lacks" >&2; \
	  echo 'as root: make deps, which is: apt-get install $(BUILD_PACKAGES)' >&2; exit 1; }
