#!/bin/sh
# check_one.sh CC FILE FOLDER: look at one source, or one header by itself, with the flags in FLAGS. Warnings are errors.

# Some of gcc's warnings come from its optimizer, at -O1 as well: so what we ship is compiled, by gcc. Clang's come from its front end.
look=-fsyntax-only

# What a learner has not written yet leaves things unused.
case $2 in
exercises/* | tests/wrong/* | tests/right/*) FLAGS="$FLAGS -Wno-unused -Wno-unused-parameter" ;;
*) if [ "$1" = gcc ]; then look="-c -o $3/$(echo "$2" | tr / _).o"; fi ;;
esac

case $2 in
# Everybody has the double's header of CUDA; the build takes the real one.
lib/devices/cuda/* | tests/doubles/cuda/*) FLAGS="-Itests/doubles/cuda $FLAGS" ;;
esac

# The public headers pass for a system's, of which nobody is warned; here they do not.
FLAGS="$FLAGS -DDIST_OWN_WARNINGS"

case $2 in
*.h)
    # Twice: its guard is tried too. The declaration is there because C forbids an empty file.
    printf '#include "%s"\n#include "%s"\nextern int not_empty;\n' "$PWD/$2" "$PWD/$2" |
        $1 $FLAGS -Werror -x c -fsyntax-only - ;;
*)
    $1 $FLAGS -Werror -O1 $look "$2" ;;
esac
