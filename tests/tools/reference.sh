#!/bin/sh
# reference.sh: does lib/REFERENCE.md list what there is? Each variable that lib/ names where it reads the environment, each error of
# dist.h, each make target; and no variable and no error that is gone.

. tests/tools/count.sh
export LC_ALL=C

page=lib/REFERENCE.md
work=build/results/reference
mkdir -p $work
failed=0

# compare WHAT MISSING: fails where there is something in MISSING.
compare()
{
    if [ -s "$2" ]; then
        fail "$page: $1: $(tr '\n' ' ' <"$2")"
        failed=1
    else
        pass "$page: $1: none"
    fi
}

# Names of variables are strings of capitals in files that call getenv. A short word without _ is none (types of tensors).
name='"[A-Z][A-Z0-9]*(_[A-Za-z0-9]+)+"|"[A-Z]{4,}"'
grep -l getenv $(find lib -name '*.[ch]') | xargs grep -ohE "$name" | tr -d '"' | grep -v -e '^DIST_TEST_' -e '^DIST_ERR_' -e '^DIST_OK$' |
    sort -u >$work/read
grep -ohE "$name" $(find lib -name '*.[ch]' -o -name '*.cu') | tr -d '"' | sort -u >$work/named

# The first cell of each row under "## Variables".
awk -F '|' '/^## / { on = /^## Variables/ } on && /^\| `/ { print $2 }' $page | grep -o '`[^`]*`' | tr -d '`' | sort >$work/listed
comm -23 $work/read $work/listed >$work/missing
comm -13 $work/named $work/listed >$work/gone
uniq -d $work/listed >$work/twice
compare "variables that lib/ reads and it does not list" $work/missing
compare "variables that it lists and lib/ does not know" $work/gone
compare "variables that it lists twice" $work/twice
if [ "$(wc -l <$work/read)" -lt 20 ]; then
    fail "lib/ reads hardly any variable: reference.sh looks in the wrong place"
    failed=1
fi

# "45 DIST_ERR_DEADLOCK", from both.
sed -n 's/^ *\(DIST_ERR_[A-Z_]*\) = \([0-9]*\).*/\2 \1/p' lib/dist_base.h | sort >$work/errors
sed -n 's/^| \([0-9]*\) | `\(DIST_ERR_[A-Z_]*\)` .*/\1 \2/p' $page | sort >$work/statuses
comm -3 $work/errors $work/statuses >$work/differ
compare "exit statuses that differ from dist.h" $work/differ
[ -s $work/errors ] || { fail "dist_base.h has no DIST_ERR_"; failed=1; }

# Targets with a text for `make help`; run-% stands there as run-02.
sed -n 's/^\([a-z-]*%*\):.*## .*/\1/p' Makefile | while read -r target; do
    grep -qE "\`make $(echo "$target" | sed 's/%/[0-9.]+/')( [^\`]*)?\`" $page || echo "$target"
done >$work/targets
compare "make targets that it does not list" $work/targets
exit $failed
