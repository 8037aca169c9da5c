#!/bin/bash
# setup.sh: Gradescope runs this once, as root, when it makes the image: installs what is needed and builds the graders, so that
# grading builds nothing but the student's file. AUTOGRADER: somewhere else than /autograder, to try it at home.
set -e

needed="gcc libc6-dev make util-linux"

# All of it there already?
there()
{
    for command in gcc make setpriv prlimit timeout objcopy; do
        command -v $command >/dev/null || return 1
    done
    echo '#include <stdio.h>' | gcc -E - >/dev/null 2>&1
}

if ! there; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get -qq update
    apt-get -qq -y install --no-install-recommends $needed
fi
if ! there; then
    echo "Something of this is still missing: $needed" >&2
    exit 1
fi

cd "${AUTOGRADER:-/autograder}/source/workbook"
chmod -R u+w,a+rX . # students' files are compiled and run by a user without rights
make CC="${CC:-gcc}" graders
