#!/bin/sh
# install.sh check|install|uninstall: put what `make installable` has built where programs find it, and take it away again.
#
# From the Makefile: PREFIX LIBDIR DESTDIR, VERSION SONAME, HEADERS, and PRIVATE: what a static program has to link too.
# What was put where, and which folders were made for it, stands in PREFIX/share/dist/installed: so uninstall removes that
# and nothing else, also after the workbook has become another version.

umask 022
built=build/pic
filled=$built/filled

stop()
{
    echo "$*" >&2
    exit 1
}

# ~ stays as it is in `make PREFIX=~/here` under some shells, and make's working folder is where names begin.
whole()
{
    case $1 in
    "~" | "~/"*) set -- "$HOME${1#?}" ;;
    /*) ;;
    *) set -- "$PWD/$1" ;;
    esac
    while [ "$1" != / ] && [ "$1" != "${1%/}" ]; do set -- "${1%/}"; done
    echo "$1"
}

# Compilers' command lines, pkg-config's answers and paths of folders fall apart at these.
fits_a_command()
{
    case $1 in
    *[][[:space:]\"\'\$\`\\\|\&\;\<\>\#\*\?\(\)\,\:]*) return 1 ;;
    esac
}

for folder in "$PREFIX" "$LIBDIR"; do
    if [ ! "$folder" ]; then
        message="Nothing was done: PREFIX or LIBDIR is empty; name a folder, as in PREFIX=\$HOME/.local"
    elif ! fits_a_command "$(whole "$folder")"; then
        message="Nothing was done: a compiler's options cannot hold the name \"$(whole "$folder")\"; choose another, as in PREFIX=\$HOME/.local"
    else
        continue
    fi
    [ "$1" != check ] || { echo "$message"; exit; }
    stop "$message"
done
PREFIX=$(whole "$PREFIX")
LIBDIR=$(whole "$LIBDIR")
list=$PREFIX/share/dist/installed

# MODE SOURCE TARGET, a line for each file; links point to what stands in SOURCE.
files()
{
    for header in $HEADERS; do
        echo "644 $header $PREFIX/include/dist/${header##*/}"
    done
    cat <<END
644 $built/libdist.a $LIBDIR/libdist.a
$(for plugin in build/plugins/dist-*.so; do
    [ ! -e "$plugin" ] || echo "755 $plugin $LIBDIR/${plugin##*/}"
done)
755 $built/libdist.so.$VERSION $LIBDIR/libdist.so.$VERSION
link libdist.so.$VERSION $LIBDIR/$SONAME
link $SONAME $LIBDIR/libdist.so
644 $filled/dist.pc $LIBDIR/pkgconfig/dist.pc
644 $filled/dist-config.cmake $LIBDIR/cmake/dist/dist-config.cmake
644 $filled/dist-config-version.cmake $LIBDIR/cmake/dist/dist-config-version.cmake
755 $built/bin/distrun $PREFIX/bin/distrun
644 $filled/distrun.1 $PREFIX/share/man/man1/distrun.1
644 $filled/dist.7 $PREFIX/share/man/man7/dist.7
644 LICENSE $PREFIX/share/dist/LICENSE
END
}

folders()
{
    { files | sed 's|.* \(/.*\)/[^/]*$|\1|'; echo "$PREFIX/share/dist"; } | sort -u
}

# The nearest folder above $1 that is there.
nearest()
{
    there=$1
    while [ ! -e "$there" ]; do there=$(dirname "$there"); done
    echo "$there"
}

# One sentence where something cannot be written; nothing where all is well.
check()
{
    for folder in $(folders); do
        there=$(nearest "$DESTDIR$folder")
        if [ ! -d "$there" ]; then
            echo "Nothing was installed: $there is no folder, and $folder would lie in it; choose another PREFIX"
        elif [ ! -w "$there" ]; then
            echo "Nothing was installed: you may not write into $there. Install where you may: make install PREFIX=\$HOME/.local"
        else
            continue
        fi
        return
    done
}

# Templates become files. Folders are told as parts of the prefix where they are: pkg-config --define-prefix moves them.
fill()
{
    mkdir -p $filled || exit 1
    case $LIBDIR in
    "$PREFIX"/*) to_include=$(echo "${LIBDIR#"$PREFIX"/}" | sed 's|[^/][^/]*|..|g')/../../include/dist ;;
    *) to_include=$PREFIX/include/dist ;;
    esac
    # The system's folders are found without being told.
    case $LIBDIR in
    /lib | /lib/* | /lib64 | /usr/lib | /usr/lib/* | /usr/lib64) rpath= ;;
    *) rpath='-Wl,-rpath,${libdir} ' ;;
    esac
    for template in lib/packaging/*.in; do
        name=$(basename "$template" .in)
        sed "s|@PREFIX@|$PREFIX|g; s|@VERSION@|$VERSION|g; s|@SONAME@|$SONAME|g; s|@PRIVATE@|$PRIVATE|g
             s|@PRIVATE_LIST@|$(echo $PRIVATE | tr ' ' ';')|g; s|@RPATH@|$rpath|g; s|@TO_INCLUDE@|$to_include|g
             s|@LIBDIR@|$(echo "$LIBDIR" | sed "s,^$PREFIX/,\${prefix}/,")|g" "$template" >$filled/"$name" || exit 1
        case $name in
        # No absolute place survives a move; a path that was given apart has to.
        *.cmake) sed -i 's|"${CMAKE_CURRENT_LIST_DIR}//|"/|' $filled/"$name" ;;
        *.[17])
            awk -f lib/packaging/manual.awk lib/REFERENCE.md $filled/"$name" >$filled/page && mv $filled/page $filled/"$name" || exit 1 ;;
        esac
    done
}

# Folders that were not there are noted, so that they go again. Those of a package's root belong to the package.
make_folder()
{
    [ ! -d "$DESTDIR$1" ] || return 0
    case $1 in
    ?*/*) make_folder "${1%/*}" ;;
    esac
    mkdir -p "$DESTDIR$1" || stop "Not installed: the folder $DESTDIR$1 could not be made"
    case $DESTDIR$1 in
    /*/dist | "$1") made="$made$1/
" ;;
    esac
}

# Beside its place first: who runs the old one keeps it.
put()
{
    target=$DESTDIR$3
    if [ "$1" = link ]; then
        ln -sf "$2" "$target.new"
    else
        cp "$2" "$target.new" && chmod "$1" "$target.new"
    fi && mv -f "$target.new" "$target" ||
        { rm -f "$target.new"; stop "Installed only in part: $target could not be written; \`make uninstall\` takes back what is there"; }
}

put_all()
{
    fill
    old=$(cat "$DESTDIR$list" 2>/dev/null)
    made=
    for folder in $(folders); do make_folder "$folder"; done
    {
        files | sed 's/^[^ ]* [^ ]* //'
        echo "$list"
        printf '%s\n%s' "$(echo "$old" | grep '/$')" "$made" | grep . | sort -u
    } >"$DESTDIR$list" || stop "Not installed: $DESTDIR$list could not be written"
    files | while read -r mode source target; do put "$mode" "$source" "$target"; done || exit 1
    # What an older version had and this one has not.
    echo "$old" | grep '[^/]$' | grep -v -x -F -f "$DESTDIR$list" | while read -r gone; do rm -f "$DESTDIR$gone"; done
    echo "dist $VERSION is installed in $DESTDIR$PREFIX"
}

# What this shell still lacks for using it.
advise()
{
    [ ! "$DESTDIR" ] || return 0
    if ! command -v pkg-config >/dev/null 2>&1; then
        echo "  cc mine.c -I$PREFIX/include/dist -L$LIBDIR -Wl,-rpath,$LIBDIR -ldist -o mine"
        return
    fi
    [ "$(pkg-config --variable=libdir dist 2>/dev/null)" = "$LIBDIR" ] ||
        echo "  export PKG_CONFIG_PATH=$LIBDIR/pkgconfig"
    [ "$(command -v distrun)" = "$PREFIX/bin/distrun" ] || echo "  export PATH=$PREFIX/bin:\$PATH"
    echo '  cc mine.c $(pkg-config --cflags --libs dist) -o mine; man dist'
}

take_away()
{
    [ -f "$DESTDIR$list" ] || stop "Nothing to remove: dist is not installed in $DESTDIR$PREFIX; if it is elsewhere: make uninstall PREFIX=folder"
    all=$(sort -r "$DESTDIR$list")
    left=$(echo "$all" | grep '[^/]$' | grep -v -x -F "$list" | while read -r file; do
        rm -f "$DESTDIR$file" 2>/dev/null || echo "$DESTDIR$file"
    done)
    [ ! "$left" ] || stop "You may not remove $(echo "$left" | head -n 1); as whoever installed it: make uninstall PREFIX=$PREFIX"
    rm -f "$DESTDIR$list" || exit 1
    echo "$all" | grep '/$' | while read -r folder; do rmdir "$DESTDIR$folder" 2>/dev/null; done
    echo "dist is removed from $DESTDIR$PREFIX"
}

case $1 in
check) check ;;
install)
    why=$(check)
    [ ! "$why" ] || stop "$why"
    put_all
    advise
    ;;
uninstall) take_away ;;
esac
