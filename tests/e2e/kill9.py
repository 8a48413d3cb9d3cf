"""Kills `umwelt run` with signal 9 at random moments and looks for survivors.

Each round starts a tree that ignores TERM, has a setsid child, a double-forked
orphan and a grandchild, all with one mark in their words. After the kill, no
process with the mark may be left; the time that took is measured from the kill.
The random delay before the kill is what is tested, not a synchronisation.
"""
import argparse
import os
import random
import signal
import subprocess
import sys
import time

TREE = r'''
trap "" TERM HUP INT
setsid bash -c 'trap "" TERM HUP; sleep 600; : MARK' &
(setsid bash -c 'trap "" TERM; (sleep 600; : MARK) & sleep 600; : MARK' &)
bash -c '(bash -c "trap \"\" TERM; sleep 600; : MARK" &) ; : MARK'
: > started.MARK
sleep 600; : MARK
'''


def marked(mark):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                words = f.read()
            with open(f"/proc/{pid}/stat", "rb") as f:
                state = f.read().rsplit(b")", 1)[1].split()[0]
        except OSError:
            continue
        if mark.encode() in words and state not in (b"Z", b"X") and int(pid) != os.getpid():
            found.append(int(pid))
    return found


def demote(uid):
    if uid:
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)


def start(args, mark):
    text = TREE.replace("MARK", mark)
    if args.bare:
        argv = ["bash", "-c", text]
    else:
        argv = [args.umwelt, "run", "--bundle", "read-only", "--mode", args.mode, "--workspace",
                args.workspace, "--set", f"world.sandbox={args.sandbox}", "--", "bash", "-c", text]
    return subprocess.Popen(argv, cwd=args.workspace, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            preexec_fn=lambda: demote(args.uid))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--umwelt")
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--workspace", required=True)
    parser.add_argument("--sandbox", default="none")
    parser.add_argument("--mode", default="danger-full-access")
    parser.add_argument("--uid", type=int, default=0)
    parser.add_argument("--bound", type=float, default=30.0, help="seconds until a survivor is a failure")
    args = parser.parse_args()
    seed = int(os.environ.get("KILL9_SEED", time.time_ns() & 0xffffffff))
    chance = random.Random(seed)
    slowest, survived, began = 0.0, 0, 0
    for round_ in range(args.rounds):
        mark = f"uwk{seed:08x}r{round_:04d}"
        host = start(args, mark)
        # every fourth round lets the whole tree come up first
        if round_ % 4 == 0:
            end = time.monotonic() + args.bound
            while not os.path.exists(f"{args.workspace}/started.{mark}") and host.poll() is None:
                if time.monotonic() > end:
                    sys.exit(f"seed {seed} round {round_}: the tree did not come up")
                time.sleep(0.002)
        else:
            time.sleep(chance.uniform(0, 0.05))
        host.send_signal(signal.SIGKILL)
        host.wait()
        killed = time.monotonic()
        left = marked(mark)
        began += bool(left) or os.path.exists(f"{args.workspace}/started.{mark}")
        if args.bare:
            time.sleep(0.2)
            survived += bool(marked(mark))
            for pid in marked(mark):
                os.kill(pid, signal.SIGKILL)
            continue
        while left:
            if time.monotonic() - killed > args.bound:
                for pid in left:
                    os.kill(pid, signal.SIGKILL)
                sys.exit(f"seed {seed} round {round_}: survivors {left}")
            time.sleep(0.01)
            left = marked(mark)
        slowest = max(slowest, time.monotonic() - killed)
    if args.bare:
        print(f"{survived} of {args.rounds} trees survived without umwelt")
        sys.exit(0 if survived else "no tree survived: this test shows nothing")
    print(f"{args.rounds} kills, {began} with a live tree, slowest end {slowest:.3f} s, seed {seed}")
    if not began:
        sys.exit("no kill met a live tree: this test shows nothing")


main()
