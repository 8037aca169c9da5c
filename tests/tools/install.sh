#!/bin/sh
# install.sh: what `make test` needs beyond a compiler and make: Criterion, and Graphviz for the drawings.
# Present: says nothing. Missing: says what it is about to install, and does, where that is allowed (root, or sudo without a
# password); else prints the command that would and fails. With --ask it never installs; then only Criterion is asked for.

has_criterion()
{
    echo '#include <criterion/criterion.h>' | ${CC:-cc} $(pkg-config --cflags criterion 2>/dev/null) -E - >/dev/null 2>&1
}

has_all()
{
    has_criterion && command -v dot >/dev/null 2>&1
}

has_all && exit 0
if [ "$1" = --ask ] && has_criterion; then exit 0; fi

# The names differ between systems. RPM systems can be asked for what a package provides instead of for its name.
refresh=
for manager in apt-get dnf pacman zypper apk brew none; do
    command -v $manager >/dev/null 2>&1 && break
done
case $manager in
apt-get)
    refresh="apt-get -qq update"
    install="env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends libcriterion-dev pkg-config graphviz" ;;
dnf) install="dnf -q -y install pkgconfig(criterion) pkgconf-pkg-config graphviz" ;;
pacman) install="pacman -Sy --noconfirm --needed criterion pkgconf graphviz" ;;
zypper) install="zypper -q -n install pkgconfig(criterion) pkgconf-pkg-config graphviz" ;;
apk) install="apk add criterion-dev pkgconf graphviz" ;;
brew) install="brew install criterion pkg-config graphviz" ;;
none)
    echo "The tests need Criterion (github.com/Snaipe/Criterion) and Graphviz; please install them, then try again." >&2
    exit 1 ;;
esac

# brew wants the user, all others want root.
if [ "$1" = --ask ]; then
    echo "This needs Criterion. \`make test\` installs it where that is allowed; \`make doctor\` says how." >&2
    exit 1
elif [ $manager = brew ] || [ "$(id -u)" = 0 ]; then
    as_root=
elif sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    shown=$(echo "$install" | sed 's/^env DEBIAN_FRONTEND=noninteractive //; s/-qq //; s/pkgconfig(criterion)/"&"/')
    {
        echo "The tests need Criterion and Graphviz, and only root may install them. Please run:"
        echo "    ${refresh:+sudo apt-get update && }sudo $shown"
    } >&2
    exit 1
fi

log=build/install.log
mkdir -p build
echo "  installing Criterion and Graphviz with $manager (log: $log)"
{
    { [ -z "$refresh" ] || $as_root $refresh; } && $as_root $install
} >$log 2>&1 </dev/null
if ! has_all; then
    tail -n 15 $log >&2
    echo "Criterion or Graphviz could not be installed; the command was: $as_root $install" >&2
    exit 1
fi
