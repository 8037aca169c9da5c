#!/bin/sh
# handout.sh: the workbook as students get it, in build/handout/workbook and build/handout.tar.gz: no solutions, no wrong answers,
# nothing that is for teachers. It builds and grades by itself. tests/stubs/ has each exercise as it came, for make reset.

tree=build/handout/workbook

# What stays here, as beginnings of paths.
ours='solutions/|tests/wrong/|tests/right/|tests/hostile/|tests/gradescope/|tests/TEACHING.md|tests/graders/(CLAIMS|SAME)|tests/tools/(gradescope|handout|grade_all|grade_submission|new_exercise|teaching|hostile|gates|claims|mutate|mutants)|\.ci/|\.github/'

for file in exercises/*/[0-9]*.c; do
    [ -e "solutions/${file#exercises/}" ] || continue
    if cmp -s "$file" "solutions/${file#exercises/}"; then
        echo "$file is the solution. Put the stub back first: git checkout $file" >&2
        exit 2
    fi
done
changed=$(git status --porcelain exercises 2>/dev/null)
if [ "$changed" ] && [ ! "$FORCE" ]; then
    echo "These exercises are not as they were committed, so students could get your answers with them:" >&2
    echo "$changed" >&2
    echo "Commit or restore them; or, if you know that they are unsolved: make handout FORCE=1" >&2
    exit 2
fi

# All that belongs to the workbook: what git knows or would know, or else every file but what was built.
files()
{
    git ls-files --cached --others --exclude-standard 2>/dev/null | grep . ||
        find . -type f ! -path './build/*' ! -path './exercises/progress.txt' | sed 's|^\./||'
}

rm -rf build/handout build/handout.tar.gz
mkdir -p $tree
files | grep -v -E "^($ours)" | while IFS= read -r file; do
    [ ! -f "$file" ] || echo "$file"
done | tar -cf - -T - | tar -xf - -C $tree || exit 1
mkdir -p $tree/tests/stubs
(cd exercises && tar -cf - */[0-9]*.c) | tar -xf - -C $tree/tests/stubs || exit 1

tar -czf build/handout.tar.gz -C build/handout workbook || exit 1
echo "build/handout.tar.gz: $(find $tree -type f | wc -l) files, $(ls $tree/exercises/*/[0-9]*.c | wc -l) exercises to be solved, no solutions. The same lies in $tree."
