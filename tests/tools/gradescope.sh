#!/bin/sh
# gradescope.sh: build/autograder.zip, to be uploaded to Gradescope as it is. setup.sh and run_autograder lie at its root, and in
# workbook/ what it takes to grade: the exercises as students got them, and no solutions, for the graders need none.

zip=$PWD/build/autograder.zip
tree=build/gradescope

if ! command -v zip >/dev/null 2>&1; then
    echo "This needs the program zip: sudo apt-get install zip" >&2
    exit 2
fi
tests/tools/seal.sh --check || exit 2

rm -rf $tree "$zip"
mkdir -p $tree/workbook/tests
cp tests/gradescope/setup.sh tests/gradescope/run_autograder $tree/
cp -rp Makefile lib diagrams exercises $tree/workbook/
rm -rf $tree/workbook/diagrams/drawn
cp -rp tests/reference.[ch] tests/grader tests/graders tests/tools $tree/workbook/tests/
chmod +x $tree/setup.sh $tree/run_autograder $tree/workbook/tests/tools/*.sh

(cd $tree && zip -q -r -X "$zip" .) || exit 1
echo "$zip: $(ls tests/graders/*/*.desk.c | wc -l) exercises, $(du -k "$zip" | cut -f 1) KB. On Gradescope choose Ubuntu 22.04 or later, and upload it."
