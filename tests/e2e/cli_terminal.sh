#!/usr/bin/env bash
# run with a terminal: C-71.
. "$(dirname "$0")/../lib.sh"

# Runs the words in a terminal of 30 x 100; what it showed goes to `shown`, the status to `status`.
# Python on stdin sees `p` (pid), `fd` (master), and helpers.
in_terminal() {
  need python3
  cat >drive.py
  cat >terminal.py <<'END'
import fcntl, os, pty, select, signal, struct, sys, termios, time
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    os.environ["TERM"] = "xterm"
    os.execvp(sys.argv[1], sys.argv[1:])
shown = b""
def more():
    global shown
    try:
        data = os.read(fd, 4096)
    except OSError:
        data = b""
    shown += data
    return data
def until(text):
    while text not in shown:
        if not more():
            raise SystemExit("ended before %r: %r" % (text, shown))
def send(data): os.write(fd, data)
def resize(rows, cols):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
def end():
    while more():
        pass
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
exec(open("drive.py").read())
END
  python3 terminal.py "$@"
}

test_C71_the_command_has_a_terminal_of_its_own_with_our_size() {
  in_terminal "$UMWELT" run sh -c 'test -t 0 && test -t 1 && test -t 2 && stty size && echo done' <<'END'
until(b"done")
assert b"30 100" in shown, shown
assert end() == 0
END
}

test_C71_size_and_keys_are_relayed() {
  in_terminal "$UMWELT" run bash --norc -c 'trap "stty size" WINCH; echo ready; while ! read -r -t 0.1 line; do :; done; echo "got $line"' <<'END'
until(b"ready")
resize(41, 123)
until(b"41 123")
send(b"words\r")
until(b"got words")
assert end() == 0
END
}

test_C71_the_interrupt_key_reaches_the_command() {
  in_terminal "$UMWELT" run sh -c 'trap "echo interrupted; exit 5" INT; echo ready; while :; do sleep 0.05; done' <<'END'
until(b"ready")
send(b"\x03")
until(b"interrupted")
assert end() == 5
END
}

test_C71_raw_mode_is_undone_on_every_way_out() {
  in_terminal bash --norc -c 'b=$(stty -g)
    for how in true false "sleep 299 & exit 3" "kill -9 \$\$" "kill -TERM \$PPID; sleep 1"; do '"$UMWELT"' run sh -c "$how"; [ "$(stty -g)" = "$b" ] || echo "CHANGED by $how"; done
    '"$UMWELT"' run --timeout 200ms sleep 299; [ "$(stty -g)" = "$b" ] || echo "CHANGED by timeout"
    '"$UMWELT"' run no-such-program; [ "$(stty -g)" = "$b" ] || echo "CHANGED by not found"
    echo all-done' <<'END'
until(b"all-done")
assert b"CHANGED" not in shown, shown
end()
END
}

test_C71_a_signal_to_the_program_undoes_raw_mode() {
  in_terminal bash --norc -c 'b=$(stty -g); '"$UMWELT"' run sh -c "echo ready; sleep 298"; echo "status $?"; [ "$(stty -g)" = "$b" ] && echo same; echo all-done' <<'END'
until(b"ready")
os.system("pkill -TERM -P %d -x umwelt" % pid)
until(b"all-done")
assert b"status 143" in shown and b"same" in shown, shown
end()
END
}

test_C71_redirected_streams_are_not_the_terminal_s() {
  in_terminal bash --norc -c "$UMWELT run sh -c 'echo out; echo err >&2; test -t 1 || echo plain' >o 2>e; echo all-done" <<'END'
until(b"all-done")
end()
END
  is "$(cat o)" "out
plain"
  is "$(cat e)" err
}

test_F12_binary_is_not_sent_to_a_terminal() {
  printf 'a\0b' >bin
  in_terminal "$UMWELT" read bin <<'END'
until(b"FS_NOT_TEXT")
assert b"3 bytes" in shown and b"v1:" in shown, shown
assert end() == 1
END
  is "$("$UMWELT" read bin | od -An -c | tr -d ' \n')" 'a\0b'
}

test_F31_names_cannot_steer_the_terminal() {
  mkdir d; touch "d/$(printf 'a\nb')" "d/$(printf '\033[31m')" "d/$(printf '\377')"
  in_terminal "$UMWELT" ls d <<'END'
end()
assert b"\x1b[31m" not in shown
assert rb"a\x0ab" in shown and rb"\xff" in shown and rb"\x1b[31m" in shown, shown
END
}

test_C70_colour_is_for_terminals_only_and_can_be_refused() {
  in_terminal "$UMWELT" explain NO_SUCH <<'END'
end()
assert b"\x1b[" in shown, shown
END
  in_terminal env NO_COLOR=1 "$UMWELT" explain NO_SUCH <<'END'
end()
assert b"\x1b[" not in shown, shown
END
  fails_with 120 "$UMWELT" explain NO_SUCH
  not grep -q $'\033' "$T/stderr"
}

run_tests
