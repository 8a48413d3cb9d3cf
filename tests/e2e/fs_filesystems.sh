#!/usr/bin/env bash
# F-20: fs-local and fs-sandboxed on the file systems that can be mounted here, as
# root and as an ordinary user. Each test mounts in a mount namespace of its own and
# runs the whole suites there. What this kernel or machine lacks is skipped, loudly.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

LOCAL=$BUILD/tests/unit/plugins/fs-local
SANDBOXED=$BUILD/tests/unit/plugins/fs-sandboxed

need_root() { [ "$(id -u)" = 0 ] || skip "needs root to mount"; }

# the suites on the directory $1, as whoever calls; a file system that hangs ends them
suites() {
  local program
  export UW_FS_SUITE_ROOT=$1 BUILD
  for program in "$LOCAL/test_suite" "$LOCAL/test_exchange" "$SANDBOXED/test_fence"; do
    timeout -k 5 400 "$program" || { say "$program on $1 as uid $(id -u)"; return 1; }
  done
}
export -f suites say as_user
export LOCAL SANDBOXED TEST_UID BUILD

# where the suites' directories are, which are to have short names
place() { MNT=$(mktemp -d "${T%/*}/XXX"); export MNT; }

# inside fresh mount and pid namespaces, so that no server of a file system outlives it:
# runs the mount command $1, then the suites, as root and ($2 empty) as a user
on() {
  need_root; export ONLY_ROOT=${2:-}
  unshare -m -p -f --kill-child --mount-proc --propagation private bash -ec '
    '"$1"'
    mountpoint -q "$MNT"
    chmod 1777 "$MNT"
    suites "$MNT"
    [ "$ONLY_ROOT" ] || as_user bash -ec "suites \"\$1\"" _ "$MNT"
    umount "$MNT"'
}

# a file system made in a file of $2 MiB by mkfs.$1
made() {
  need_root
  grep -qw "$1" /proc/filesystems || modprobe -q "$1" 2>/dev/null || skip "this kernel has no $1"
  need "mkfs.$1"
  truncate -s "$2M" "$T/image"
  "mkfs.$1" -q "$T/image" >/dev/null
  losetup -f >/dev/null 2>&1 || skip "no loop device"
  on "mount -o loop -t $1 '$T/image' '$MNT'"
}

test_f20_ext4() { place; made ext4 512; }
test_f20_xfs() { place; made xfs 512; }
test_f20_btrfs() { place; made btrfs 512; }
test_f20_tmpfs() { place; on "mount -t tmpfs -o size=512m tmpfs '$MNT'"; }

test_f20_overlay() {
  place
  mkdir -p "$T/base"
  on "mount -t tmpfs -o size=512m tmpfs '$T/base'
    mkdir '$T/base/lower' '$T/base/upper' '$T/base/work'
    mount -t overlay -o lowerdir='$T/base/lower',upperdir='$T/base/upper',workdir='$T/base/work' overlay '$MNT'"
}

# files that lie in the lower layer are replaced as any other
test_f20_overlay_replaces_what_lies_below() {
  place
  need_root
  mkdir -p "$T/base"
  unshare -m -p -f --kill-child --mount-proc --propagation private bash -ec '
    mount -t tmpfs tmpfs "$T/base"; cd "$T/base"; mkdir lower upper work
    mkdir -p lower/dir; echo old >lower/dir/f; chmod 640 lower/dir/f; ln -s dir/f lower/ln
    mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work overlay "$MNT"
    cd "$MNT"; suites "$MNT/dir"
    [ "$(cat dir/f)" = old ]; [ "$(stat -c %a dir/f)" = 640 ]'
}

test_f20_vfat() { place; need_root; made vfat 64; }

test_f20_fuse() {
  place
  need_root; need fuse2fs; [ -e /dev/fuse ] || skip "no /dev/fuse"
  truncate -s 512M "$T/image"; mkfs.ext4 -q "$T/image"
  # first: what is removed while it is open stays, hidden, until it is closed
  on "fuse2fs -o fakeroot '$T/image' '$MNT'; UW_FS_SUITE_ROOT='$MNT' TMPDIR='$MNT' timeout 60 '$BUILD/tests/unit/common/test_remove_tree'" \
    "whoever mounted it is the one who sees it"
}

# F-20, W5: an ordinary user without a passwd entry, on the file system that is here
test_f20_an_ordinary_user_on_the_root_file_system() {
  place
  need_root
  chmod 1777 "$MNT"
  as_user bash -ec 'suites "$1"' _ "$MNT"
  as_user "$SANDBOXED/test_suite"
  as_user "$LOCAL/test_trouble"
}

run_tests "$@"
