#!/bin/sh
# cc.sh: the compiler of `make coverage`: counters in every object, and dump.c in every program. COVERAGE_CC is the compiler itself,
# COVERAGE_DUMP dump.c's object.
for word; do
    case $word in
    -c | -E | -S | -r | -M | -MM | -fsyntax-only | -shared | --version | -v | -print-* | -dump*) exec $COVERAGE_CC --coverage "$@" ;;
    esac
done
exec $COVERAGE_CC --coverage "$@" "$COVERAGE_DUMP"
