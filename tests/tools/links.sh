#!/bin/sh
# links.sh FILE.md...: does every link of ours lead somewhere, and is every term of the glossary defined where it says?
#
# A link is checked where it leads to a file of this repository; what follows a # is not looked at. Terms stand in the
# table of chapters/STYLE.md: each must be in **bold** in the chapter named beside it, and in no other lesson.

. tests/tools/count.sh

style=chapters/STYLE.md
failed=0

# Targets of links and pictures, one a line; fenced blocks are left out.
targets()
{
    awk '/^```/ { fenced = !fenced; next } !fenced' "$1" | grep -o -e '](\([^)]*\))' -e 'src="[^"]*"' |
        sed 's/^](//; s/)$//; s/^src="//; s/"$//; s/#.*$//' | grep -v -e '^[a-z]*:' -e '^$'
}

for file in "$@"; do
    broken=$(targets "$file" | while read -r target; do
        [ -e "$(dirname "$file")/$target" ] || echo "$target"
    done)
    if [ "$broken" ]; then
        fail "$file: these links lead nowhere: $broken"
        failed=1
    else
        pass "$file: every link leads somewhere"
    fi
done

# Rows of the glossary: | term | NN | meaning |
rows=build/glossary
mkdir -p build
sed -n 's/^| *\([A-Za-z0-9][^|]*[^ |]\) *| *\([0-9][0-9]\) *|.*/\2 \1/p' $style >$rows
while read -r chapter term; do
    here=$(grep -l -i -F -e "**$term**" chapters/*/README.md | sed 's|chapters/||; s|_.*||' | tr '\n' ' ')
    if [ "$here" = "$chapter " ]; then
        pass "\"$term\" is defined in chapter $chapter"
    else
        fail "$style says that \"$term\" is defined in chapter $chapter; it stands in bold in: ${here:-none}"
        failed=1
    fi
done <$rows
[ -s $rows ] || { fail "$style has no glossary"; failed=1; }
exit $failed
