#!/bin/sh
# digits.sh WHEEL: how digits.txt was made. Needs unzip. Run it from the root of the repository:
#
#     pip download --no-deps scikit-learn
#     sh chapters/10_data_parallel/digits.sh scikit_learn-*.whl
#
# The images are those of the UCI repository (see digits.txt); the package carries a copy of them:
# sklearn/datasets/data/digits.csv.gz, a line of 65 numbers for each image: its pixels, and the digit.

table=chapters/10_data_parallel/digits.txt
sum=09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22

[ -f "$1" ] || { echo "usage: digits.sh WHEEL, as pip download --no-deps scikit-learn fetches it" >&2; exit 2; }
work=$(mktemp -d) || exit 1
trap 'rm -rf $work' EXIT
unzip -p "$1" sklearn/datasets/data/digits.csv.gz >$work/digits.csv.gz || exit 1
if ! echo "$sum  $work/digits.csv.gz" | sha256sum --status -c; then
    echo "digits.csv.gz has another checksum than on the day when this was written: nothing made" >&2
    exit 1
fi

{
    cat <<END
# Optical Recognition of Handwritten Digits, by E. Alpaydin and C. Kaynak (1998), UCI Machine Learning Repository,
# https://archive.ics.uci.edu/dataset/80. Licence: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/
# Changed: written another way. A line is an image of 8 x 8: 64 pixels row by row, from 0 (white) to g (16, black), a blank,
# and the digit that it shows. Made by digits.sh from scikit-learn's digits.csv.gz, SHA-256
# $sum.
END
    gunzip -c $work/digits.csv.gz | awk -F , '{
        line = ""
        for (i = 1; i <= 64; i++)
            line = line substr("0123456789abcdefg", $i + 1, 1)
        print line, $65 + 0
    }'
} >$work/digits.txt && cp $work/digits.txt $table || exit 1
echo "wrote $table: $(grep -vc '^#' $table) images, SHA-256 $(sha256sum $table | cut -d ' ' -f 1)"
