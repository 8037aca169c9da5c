#!/bin/sh
# genesis.sh: how genesis.txt was made, with Debian's packages bible-kjv and bible-kjv-text (4.38). Run it from the root of the
# repository:
#
#     apt-get install bible-kjv
#     sh chapters/11_sharding/genesis.sh

text=chapters/11_sharding/genesis.txt
sum=e7b72bfd25d395f55a3bd0c1ada5cbf3fd627f61734d239503d834ac9b5e23b6

command -v bible >/dev/null 2>&1 || { echo "there is no program bible: apt-get install bible-kjv" >&2; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf $work' EXIT
bible -f genesis1:1-genesis50:26 | sed 's/^[^ ]* //' >$work/verses
if ! echo "$sum  $work/verses" | sha256sum --status -c; then
    echo "the text has another checksum than on the day when this was written: nothing made" >&2
    exit 1
fi

{
    cat <<END
# The First Book of Moses, called Genesis: King James Version, 1611, in the public domain. A line is a verse.
# Made by genesis.sh from Debian's package bible-kjv-text 4.38; SHA-256 of the verses:
# $sum
END
    cat $work/verses
} >$work/genesis.txt && cp $work/genesis.txt $text || exit 1
echo "wrote $text: $(grep -vc '^#' $text) verses, $(wc -c <$text) bytes"
