#!/bin/sh
# bare.sh: do the README's two commands work on a machine that has git, gcc and make, and nothing else? `make test-bare`.
#
# debootstrap makes a root of Debian in build/bare/root, once; each run works on a copy of it, which is removed at the end. The
# committed tree is cloned into it twice. As root: `make`, then `make test`, which installs what it needs. As an ordinary user
# who may install nothing, before that: `make`, `make next`, an exercise solved and graded, and `make test`, which must print one command.
# Both must have seen the same, and nothing may be left in /dev/shm, /tmp or the process table. FULL=1: once root has installed, the
# ordinary user's `make test` must pass, too.
#
# It needs root, for chroot and mounts. All happens in namespaces of its own: whatever runs in there ends when this script does.

. tests/tools/count.sh

here=$PWD/build/bare
base=$here/root
copy=$here/copy
log=$here/log
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")

leave_out()
{
    skip "make test-bare: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit "${2:-0}"
}

# What the machine that we are on calls its package archive: the first one that apt would ask.
archive()
{
    apt-get indextargets --format '$(SITE)' 2>/dev/null | head -n 1
}

# The root itself. apt in it asks the same archives in the same way as apt out here.
make_root()
{
    echo "  making a bare $suite in ${base#"$PWD"/}, once: a minute or two"
    rm -rf "$base" "$base.new"
    debootstrap --variant=minbase --include=git,gcc,make,libc6-dev "$suite" "$base.new" "$(archive)" >"$log.root" 2>&1 || {
        tail -n 5 "$log.root"
        return 1
    }
    rm -rf "$base.new/etc/apt"
    cp -rL /etc/apt "$base.new/etc/apt"
    rm -f "$base.new"/etc/apt/apt.conf.d/*packagekit "$base.new"/etc/apt/apt.conf.d/*appstream
    mkdir -p "$base.new/usr/share/keyrings"
    cp -rL /usr/share/keyrings/. "$base.new/usr/share/keyrings/"
    chroot "$base.new" useradd --create-home reader && mv "$base.new" "$base"
}

# inside USER COMMAND: in the copy, in USER's clone of the tree; what it prints goes to $log.NAME.
inside()
{
    name=$1 user=$2 command=$3
    from=$(date +%s)
    chroot "$copy" su - "$user" -c "cd workbook && $command" >"$log.$name" 2>&1 </dev/null
    status=$?
    took=$(($(date +%s) - from))
    printf '  %-34s exit %d, %4d s, %4d lines\n' "$name" $status $took "$(wc -l <"$log.$name")"
}

# judge NAME CONDITION...: shows the end of the last log where it does not hold.
judge()
{
    what="bare: $1"
    shift
    if "$@"; then pass "$what"; else
        fail "$what"
        tail -n 25 "$log.$name" | sed 's/^/    /'
    fi
}

says()
{
    grep -q -e "$1" "$log.$name"
}

ended()
{
    [ $status -eq "$1" ]
}

# What is the same for everybody: the time is not.
timeless()
{
    sed -E -e 's/[0-9]+(\.[0-9]+)? ?(s|ms|us)\b/some s/g' -e 's/ +/ /g' "$log.$1"
}

same_for_both()
{
    timeless "make as root" >"$log.left"
    timeless "make as reader" >"$log.right"
    diff "$log.left" "$log.right" >"$log.both"
    name=both
    [ ! -s "$log.both" ]
}

# The reports of deadlocks, /tmp/dist-UID/, are meant to stay: the text names them.
nothing_left()
{
    {
        ls -A "$copy/dev/shm" "$copy/tmp" | grep -v -e ':$' -e '^$' -e '^dist-[0-9]*$'
        ps -e -o pid=,comm= | awk -v me=$$ '$1 != 1 && $1 != me && $2 !~ /^(ps|awk|sh|bare.sh|grep|ls)$/'
    } >"$log.left"
    name=left
    [ ! -s "$log.left" ]
}

clone_for()
{
    git clone -q "$PWD" "$copy$2/workbook" && chroot "$copy" chown -R "$1:$1" "$2/workbook"
}

as_reader()
{
    inside "make as reader" reader "make"
    judge "a reader's make" ended 0
    judge "make prints at most 25 lines" [ "$(wc -l <"$log.make as reader")" -le 25 ]
    judge "make says where to go on" says 'Next: chapters/01_first_program/README.md'
    first=$took
    inside "make next" reader "make next"
    judge "make next shows the first exercise" says 'make exercise-01.1'
    inside "the stub" reader "make exercise-01.1"
    judge "a stub is graded, without points" says '0 of 10 points'
    first=$((first + took))
    inside "the answer" reader "cp solutions/01_first_program/1_who_is_everyone.c exercises/01_first_program/ && make exercise-01.1"
    judge "the first exercise is solved and graded" says 'passed, 10 of 10 points'
    first=$((first + took))
    echo "  a first reader is done after $((first + took)) s; below three minutes are promised"
    inside "make test, nothing may be installed" reader "git checkout -q exercises && make test"
    judge "make test says who may install" ended 2
    judge "and the command for it" says '^ *sudo apt-get .*install .*libcriterion-dev'
    chroot "$copy" su - reader -c "cd workbook && git status --short" >"$log.status"
    name=status
    judge "git sees nothing new in the tree" [ ! -s "$log.status" ]
}

as_root()
{
    inside "make as root" root "make"
    judge "root's make" ended 0
    judge "both see the same" same_for_both
    # A part of what an engine needs is worse than nothing of it: the Makefile must not take it for the whole.
    inside "g++ is here, and Gloo is not" root "apt-get -qq update && apt-get -qq -y install g++ && make"
    judge "make where g++ is here, and Gloo is not" ended 0
    inside "make test as root" root "make test"
    judge "make test installs what it needs, and passes" ended 0
    tail -n 1 "$log.make test as root" | sed 's/^/    /'
    [ "$FULL" ] || return 0
    inside "make test as reader" reader "make test"
    judge "then the reader's make test passes" ended 0
    tail -n 1 "$log.make test as reader" | sed 's/^/    /'
}

# In namespaces of our own: mounts and processes are gone when we are.
work()
{
    rm -rf "$copy"
    cp -a "$base" "$copy"
    trap 'umount "$copy/dev/shm" "$copy/proc" 2>/dev/null; rm -rf --one-file-system "$copy"' EXIT
    mount -t proc proc "$copy/proc" && mount -t tmpfs -o mode=1777,size=2g tmpfs "$copy/dev/shm" || exit 1
    [ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$copy/etc/resolv.conf"
    clone_for reader /home/reader && clone_for root /root || exit 1
    as_reader
    as_root
    judge "nothing is left in /dev/shm, /tmp or the process table" nothing_left
}

if [ "$1" = --inside ]; then
    work
    awk '{ count[$1]++ } END { printf "%d passed, %d failed\n", count["pass"], count["fail"]; exit count["fail"] > 0 || !count["pass"] }' "$RESULTS"
    exit
fi

mkdir -p "$here"
[ "$(id -u)" -eq 0 ] || leave_out "chroot and mounts need root: sudo make test-bare" 2
git rev-parse --verify -q HEAD >/dev/null 2>&1 || leave_out "what it clones is the last commit, and this is no clone of git"
command -v apt-get >/dev/null 2>&1 || leave_out "debootstrap makes Debian from Debian; this is another system"
if ! command -v debootstrap >/dev/null 2>&1; then
    echo "  installing debootstrap with apt-get"
    { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends debootstrap; } \
        >"$log.install" 2>&1 || leave_out "debootstrap is missing, and could not be installed: apt-get install debootstrap" 1
fi
[ -d "$base" ] || make_root || leave_out "debootstrap failed: see ${log#"$PWD"/}.root" 1

RESULTS=$here/results
export RESULTS
: >"$RESULTS"
unset MAKEFLAGS MAKELEVEL MFLAGS CC CFLAGS WERROR
exec unshare --mount --pid --ipc --fork --kill-child=KILL --mount-proc "$0" --inside
