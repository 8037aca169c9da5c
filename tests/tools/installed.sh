#!/bin/bash
# installed.sh: what `make install` puts somewhere is what programs outside the tree need: with gcc, clang and CMake, shared and
# static, with sanitizers, under distrun. `make uninstall` leaves nothing of it; `make dist` packs what is committed.

. tests/tools/count.sh

work=$PWD/build/installed
home=$work/home/.local
failed=0
unset DESTDIR LIBDIR PREFIX DIST_OUTPUT DIST_RANKS WORLD_SIZE
# Variables that make was given stay as they are, or all would be built anew; its jobs are not ours.
MAKEFLAGS=$(echo "$MAKEFLAGS" | sed -n 's/.* -- /-- /p')
unset MAKELEVEL MFLAGS
export MAKEFLAGS PKG_CONFIG_PATH=$home/lib/pkgconfig

# expect NAME COMMAND...: it must end well, else what it said is shown.
expect()
{
    name="installed: $1"
    shift
    if "$@" >"$work/said" 2>&1 </dev/null; then
        pass "$name"
    else
        fail "$name"
        tail -n 12 "$work/said" | sed 's/^/    /'
        failed=1
    fi
}

has()
{
    command -v "$1" >/dev/null 2>&1 || { skip "installed: $2: there is no $1"; return 1; }
}

# prints TEXT COMMAND...: the command's output has a line with just this text.
prints()
{
    text=$1
    shift
    timeout -k 2 30 "$@" >"$work/printed" 2>&1 && grep -q -x -e "\(\[0\] \)\?$text" "$work/printed" || { cat "$work/printed"; return 1; }
}

runs()
{
    prints "the sum of 1 to 4 is 10" "$1" && WORLD_SIZE=7 prints "the sum of 1 to 7 is 28" "$1" &&
        DIST_RANKS=threads prints "the sum of 1 to 4 is 10" "$1" && prints "the sum of 1 to 3 is 6" "$home/bin/distrun" -n 3 "$1"
}

# builds HOW COMPILER...: $source, the way that dist(7) tells, in a folder outside the tree.
source=mine.c
builds()
{
    how=$1
    shift
    case $how in
    shared) set -- "$@" "$source" $(pkg-config --cflags --libs dist) ;;
    archive) set -- "$@" "$source" $(pkg-config --cflags dist) "$home/lib/libdist.a" -pthread -lm -ldl ;;
    static) set -- "$@" -static "$source" $(pkg-config --static --cflags --libs dist) ;;
    # A library of one's own around it, and a program with only that.
    around) "$@" -shared -fPIC -Wl,--whole-archive "$home/lib/libdist.a" -Wl,--no-whole-archive -pthread -lm -ldl -o libaround.so &&
        set -- "$@" "$source" $(pkg-config --cflags dist) -L. -Wl,-rpath,"$outside" -laround ;;
    esac && rm -f mine && (set -x; "$@" -o mine) && runs ./mine
}

# As dist.h promises: loaded while a program runs, also with a copy of its own inside; two copies that are both called are an error.
loaded()
{
    compile="cc -Wall -Wextra -Werror $(pkg-config --cflags dist)"
    own="$home/lib/libdist.a -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -Wl,-z,nodelete -pthread -lm -ldl"
    $compile -fPIC -shared "$here/tests/installed/plugin.c" $(pkg-config --libs dist) -o plugin.so &&
        $compile -fPIC -shared "$here/tests/installed/plugin.c" $own -o own.so &&
        $compile "$here/tests/installed/loads.c" -pthread -ldl -o loads &&
        $compile "$here/tests/installed/twice.c" $(pkg-config --libs dist) -ldl -o twice || return 1
    for ranks in processes threads; do
        for plugin in "plugin.so $(readelf -d plugin.so | sed -n 's/.*\[\(libdist.*\)\]/\1/p')" "own.so -"; do
            DIST_RANKS=$ranks timeout -k 2 30 ./loads ./$plugin >said 2>&1 || { cat said; return 1; }
            [ "$(grep -c -x 'the sum of 1 to 4 is 10\|\[0\] the sum of 1 to 4 is 10' said)" = 2 ] || { cat said; return 1; }
        done
        DIST_RANKS=$ranks prints "the plugin knows the rank" ./twice ./plugin.so || return 1
        DIST_RANKS=$ranks timeout -k 2 30 ./twice ./own.so >said 2>&1; status=$?
        [ $status = 41 ] && grep -q 'two copies of the library' said || { echo "status $status"; cat said; return 1; }
    done
}

with_cmake()
{
    mkdir -p cmake && cat >cmake/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.13)
project(mine C)
find_package(dist $1)
add_executable(mine ../mine.c)
target_link_libraries(mine PRIVATE $2)
END
    rm -rf cmake/build
    cmake -S cmake -B cmake/build -DCMAKE_PREFIX_PATH="$home" && cmake --build cmake/build && runs cmake/build/mine
}

# What is taken from glibc was there in 2.27, so that it builds and runs on systems of 2018 (RHEL 8 has 2.28). A newer version of
# a name needs its reason here: these functions are older, and only moved or changed in what no caller sees.
versions()
{
    newer=$(nm -D --undefined-only "$home/lib/libdist.so" "$home/bin/distrun" |
        awk -F '@GLIBC_2[.]' 'NF == 2 && $2 + 0 > 27 { sub(/.* /, "", $1); print $1 "@" $2 }' | sort -u)
    for name in $newer; do
        case $name in
        *_clock*) echo "$name came with glibc 2.30 or later"; return 1 ;;
        exp@29 | log@29 | pow@29 | hypot@35 | fmod@38) ;;         # no longer call a program's handler of errors
        stat@33 | lstat@33 | fstat@33) ;;                         # were inline, around a function with a number
        pthread_*@3[24] | __pthread_*@34 | sem_*@34 | dl*@34) ;;  # libpthread and libdl became parts of libc
        __libc_start_main@34) ;;                                  # calls constructors itself
        __isoc23_*@38) ;;                                         # read binary numbers, too; the headers ask for them
        *) echo "$name is newer than glibc 2.27"; return 1 ;;
        esac
    done
}

# What the library shows is ours, and it needs nothing that no system has.
symbols()
{
    library=$home/lib/libdist.so
    readelf -d "$library" | grep -q "SONAME.*\[libdist\.so\.[0-9]*\.[0-9]*\]" || { echo "no versioned soname"; return 1; }
    for name in $(nm -D --defined-only "$library" | awk '$3 !~ /^algorithm_/ { print $3 }'); do
        grep -q "\<$name(" "$home"/include/dist/*.h || { echo "$name is in no header"; return 1; }
    done
    nm -D --defined-only "$library" | grep -q ' T dist_spawn$' || return 1
    ! ldd -r "$library" 2>&1 | grep -e undefined -e 'not found' || return 1
    ! readelf -d "$library" "$home/bin/distrun" | grep -E '(RPATH|RUNPATH).*build' || return 1
    ! grep -r -F "$PWD/build/pic" "$home/lib/pkgconfig" "$home/lib/cmake"
}

manual()
{
    filled=$(grep -c -e '^.It Ev DIST_SHUFFLE$' -e '^.It 49 DIST_ERR_BUFFER$' "$home/share/man/man7/dist.7") # from REFERENCE.md
    filled=$filled,$(grep -c '^.It Ev' "$home/share/man/man1/distrun.1")
    [ "$filled" = 2,8 ] || { echo "dist.7 and distrun.1 lack variables or statuses: $filled"; return 1; }
    for page in "$home"/share/man/man[17]/*; do
        ! grep -n @ "$page" || return 1
        ! command -v mandoc >/dev/null || mandoc -T lint -W warning "$page" || return 1
        if command -v groff >/dev/null; then
            said=$(groff -ww -mandoc -Tutf8 "$page" 2>&1 >"$work/page")
            [ ! "$said" ] || { echo "$page: $said"; return 1; }
            [ "$(wc -l <"$work/page")" -gt 60 ] || { echo "$page: too short"; return 1; }
        fi
    done
    export MANPATH="$home/share/man"
    if command -v man >/dev/null; then
        [ "$(man -w distrun)" = "$home/share/man/man1/distrun.1" ] && [ "$(man -w dist)" = "$home/share/man/man7/dist.7" ]
    fi
}

# One sentence that says what, where, and what to do.
refuses()
{
    ! make install PREFIX="$1" >"$work/refused" 2>&1 || { echo "it was installed"; return 1; }
    grep -q "Nothing was .*PREFIX" "$work/refused" && [ "$(wc -l <"$work/refused")" -le 1 ] || { cat "$work/refused"; return 1; }
}

as_nobody()
{
    mkdir -p "$work/theirs" && chmod 755 "$work/theirs" || return 1
    set -- env PREFIX="$work/theirs" LIBDIR="$work/theirs/lib" VERSION=0.0.0 SONAME=x HEADERS= PRIVATE= lib/packaging/install.sh check
    [ "$(id -u)" != 0 ] || set -- setpriv --reuid=65534 --clear-groups "$@"
    [ "$(id -u)" = 0 ] || chmod 555 "$work/theirs"
    "$@" >"$work/refused"
    grep -q "may not write into $work/theirs" "$work/refused" && grep -q 'make install PREFIX=$HOME/.local' "$work/refused" ||
        { cat "$work/refused"; return 1; }
}

a_package()
{
    make install PREFIX=/usr DESTDIR="$work/root" && [ -e "$work/root/usr/lib/libdist.so" ] &&
        ! grep -r -e "$work" -e rpath "$work"/root/usr/lib/pkgconfig "$work"/root/usr/lib/cmake "$work"/root/usr/share/dist &&
        make uninstall PREFIX=/usr DESTDIR="$work/root" && ! find "$work/root" ! -type d | grep .
}

# A release is what was committed, and its make knows how to build it; with changes there is none.
a_release()
(
    git clone -q . "$work/clone" && cd "$work/clone" && make dist && tar -xzf build/dist-*.tar.gz -C "$work" || return 1
    (cd "$work"/dist-[0-9]* && make -n programs >/dev/null && find . -type f | sed 's|^./||' | sort) >"$work/packed"
    git ls-files | sort | diff - "$work/packed" || return 1
    echo >>README.md
    ! make dist >"$work/refused" 2>&1 && grep 'No release was packed.*README.md.*commit' "$work/refused"
)

nothing_left()
{
    ! find "$work/home" | grep -v -x -e "$work/home" -e "$home" -e "$home/lib" -e "$home/lib/theirs"
}

rm -rf "$work"
mkdir -p "$home/lib"
echo theirs >"$home/lib/theirs"

expect "make install" make install PREFIX="$home"
if grep -q '^==== ' "$work/said"; then fail "installed: make install runs no chapter"; fi
expect "make install again, over it" make install PREFIX="$home"
expect "only public names, a versioned name" symbols
expect "nothing that is newer than glibc 2.27" versions
expect "the manual" manual
expect "a program finds its library by a name with a version" test -L "$home/lib/libdist.so"

outside=$(mktemp -d) || exit 1
trap 'rm -rf "$outside"' EXIT
sed -n '/^#include <dist.h>/,/^\.Ed/p' "$home/share/man/man7/dist.7" | sed '/^\.Ed/d; s/\\e/\\/g' >"$outside/mine.c"
here=$PWD
RESULTS=$(realpath "$RESULTS")
cd "$outside" || exit 1

if has pkg-config "pkg-config"; then
    for compiler in gcc clang; do
        has $compiler "programs with $compiler" || continue
        for how in shared archive static around; do
            expect "$compiler, $how" builds $how $compiler -Wall -Wextra -Werror
        done
        if [ "$("$here/tests/tools/sanitizer.sh" $compiler -fsanitize=address,undefined)" ]; then
            expect "$compiler with sanitizers" builds shared $compiler -fsanitize=address,undefined
            expect "$compiler with sanitizers, archive" builds archive $compiler -fsanitize=address,undefined
        fi
    done
    expect "dlopen, and two copies in one process" loaded
    cp mine.c mine.cc
    source=mine.cc
    if grep -q __cplusplus "$home/include/dist/dist.h"; then
        for compiler in g++ clang++; do
            has $compiler "programs with $compiler" || continue
            expect "$compiler" builds shared $compiler -Wall -Wextra -Werror
        done
    fi
fi
if has cmake "CMake"; then
    expect "CMake" with_cmake REQUIRED dist::dist
    expect "CMake, the archive" with_cmake "REQUIRED COMPONENTS static" dist::dist
    expect "CMake, the archive by name" with_cmake "0.1 REQUIRED" dist::static
fi

cd "$here" || exit 1
expect "a folder that is none is refused" refuses "$home/lib/theirs/here"
for name in "a b" a,b "a[b" a:b "it's"; do expect "the name $name is refused" refuses "$work/$name"; done
expect "no name at all is refused" refuses ""
expect "a folder that one may not write into is refused" as_nobody
expect "a package for /usr" a_package
if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ]; then
    expect "make dist" a_release
else
    skip "installed: make dist: this is no git repository"
fi
expect "make uninstall" make uninstall PREFIX="$home"
expect "nothing is left, and nothing else is gone" nothing_left
exit $failed
