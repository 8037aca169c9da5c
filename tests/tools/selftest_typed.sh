# selftest_typed.sh: is what somebody types looked at before the work it is for? To be read by selftest.sh.

# refuses WORDS COMMAND...: exit status 2, and but for make's own one line with these words
refuses()
{
    words=$1
    shift
    (cd "$here" && exec "$@") >said 2>&1 </dev/null
    [ $? -eq 2 ] && [ "$(grep -v -e '^make' -e '^building;' said | tee one | wc -l)" -eq 1 ] && grep -qF -e "$words" one || { cat said; return 1; }
}
whole()
{
    sh -c '. tests/tools/whole_number.sh; whole_number N "$1" $2' sh "$@"
}
for given in abc 0 -1 1.5 08 '2 3' 1000000000000000000; do expect no "N=$given is no whole number" whole "$given"; done
for given in '' 1 20 999999999999999999; do expect yes "N=$given is one, or nothing" whole "$given"; done
for script in hosts_conform hosts_misuse; do
    expect yes "$script: a COUNT is refused" refuses 'COUNT is "abc"' tests/tools/$script.sh abc
    expect yes "$script: a SEED is refused" refuses 'SEED is "abc"' env SEED=abc tests/tools/$script.sh
    expect yes "$script: ENGINES are refused" refuses 'ENGINES has "abc"' env ENGINES="mpi abc" tests/tools/$script.sh 1
done
for typed in SECONDS JOBS SEED FAULT; do
    expect yes "make torture $typed=abc is refused" refuses "$typed is \"abc\"" make torture "$typed=abc"
done
expect yes "make bench ROUNDS=0 is refused" refuses 'ROUNDS is "0"' env ROUNDS=0 ROWS=ping-pong tests/bench/bench.sh
for typed in SEED SECONDS LIMIT TIMES; do
    expect yes "GRADE_$typed=abc is refused" refuses "GRADE_$typed is \"abc\"" env GRADE_$typed=abc tests/tools/exercise.sh grade 01.1
done
expect yes "MUTANT_TIMES=abc is refused" refuses 'MUTANT_TIMES is "abc"' env MUTANT_TIMES=abc tests/tools/gates.sh
expect yes "LEAST=abc is refused" refuses 'LEAST is "abc"' env LEAST=abc tests/tools/coverage.sh
expect yes "make run-02 N=abc is refused" refuses 'N is "abc"' make run-02 N=abc
expect yes "make cluster-02 N=1025 is refused" refuses 'N is 1025' make cluster-02 N=1025
expect yes "on_hosts.sh: a WORLD_SIZE is refused" refuses 'WORLD_SIZE is "abc"' env HOSTS=h0 WORLD_SIZE=abc tests/tools/on_hosts.sh gloo true
expect yes "on_hosts.sh runs on the switch only" refuses 'not the switch' tests/tools/on_hosts.sh gloo true
expect yes "make draw-02 N=abc is refused, once" refuses 'N is "abc"' make draw-02 N=abc
for out in /nonexistent/x "$work" "$here/Makefile/x"; do
    expect yes "make grade: OUT=$out is refused before anything is graded" refuses "OUT is \"$out\"" env FORMAT=csv OUT="$out" tests/tools/grade.sh
    expect yes "make grade-all: OUT=$out, too" refuses "OUT is \"$out\"" env OUT="$out" tests/tools/grade_all.sh tests
done
printf 'one\ttest\t1\t1\tpassed\t1\t1\t\n' >results
expect yes "results that cannot be written are told" sh -c "'$here'/build/tests/tools/convert csv results 2>&1 >/dev/full | grep -q 'cannot be written'"
expect yes "EVERY=abc is refused" refuses 'EVERY is "abc"' env EVERY=abc tests/tools/test.sh quick
expect yes "a fuzzer's target that is none is refused" refuses 'TARGET is "abc"' tests/tools/fuzz.sh 1 abc
expect no "coverage KEEP=1 needs a run before it" env KEEP=1 tests/tools/coverage.sh
expect yes "and one sentence says so" sh -c "KEEP=1 tests/tools/coverage.sh 2>&1 | grep -q '^KEEP=1 counts the last run again'"
