#!/bin/sh
# pack.sh: pack what is committed as build/dist-VERSION.tar.gz, the same bytes whoever does it. VERSION is from the Makefile.

name=dist-$VERSION
stop()
{
    echo "No release was packed: $*" >&2
    exit 1
}

[ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ] ||
    stop "this folder is not a git repository, and a release is what was committed; do it in a clone"
changed=$(git status --porcelain | head -n 1)
[ ! "$changed" ] || stop "there are changes that are not committed (first: ${changed#???}); commit them or put them aside with \`git stash -u\`"
grep -q "^## \[$VERSION\]" CHANGELOG.md ||
    stop "CHANGELOG.md has no section \"## [$VERSION]\"; write what is new, or set DIST_VERSION in lib/dist.h"

mkdir -p build
git archive --format=tar --prefix="$name/" HEAD >build/$name.tar && gzip -9 -n -f build/$name.tar || exit 1
echo "build/$name.tar.gz: $(git ls-files | wc -l) files of $(git rev-parse --short HEAD)"
