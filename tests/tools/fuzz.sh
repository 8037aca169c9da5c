#!/bin/sh
# fuzz.sh SECONDS: run clang's fuzzer on the reader and the pictures, from real traces and a report on.

work=build/fuzz
mkdir -p $work/corpus $work/seeds
for n in 1 2 3; do
    DIST_TRACE=$work/seeds/trace.$n.json WORLD_SIZE=$n build/tests/programs/traced mixed
    DIST_TRACE=$work/seeds/spans.$n.json WORLD_SIZE=$n build/tests/programs/traced break
done
cat >$work/seeds/report.json <<EOF
{"class":"deadlock","ranks":[{"rank":0,"state":"waiting","call":"dist_send","peer":1},
{"rank":1,"state":"left","call":null}],"waits":[[0,1],[1,0]],"cycle":[0,1]}
EOF

clang $FLAGS -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all tests/fuzz/fuzz_draw.c \
    tests/fuzz_one.c $(ls diagrams/*.c | grep -v -e diagrams/draw.c -e diagrams/play) \
    lib/diagnose/picture*.c -lm -o $work/fuzz_draw || {
    echo "This needs clang with its fuzzer (Debian: clang)." >&2
    exit 1
}
cd $work || exit 1
exec ./fuzz_draw -max_total_time="$1" -timeout=10 -rss_limit_mb=1024 -max_len=20000 -print_final_stats=1 corpus seeds
