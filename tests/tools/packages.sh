# packages.sh: which system this is, and how it installs something. To be read by other scripts.

# The system's family: debian fedora arch alpine suse, or nothing where we do not know it. OS_RELEASE: for trying it.
system=$(
    . "${OS_RELEASE:-/etc/os-release}" 2>/dev/null
    for word in $ID $ID_LIKE; do
        case $word in
        debian | ubuntu) echo debian; break ;;
        fedora | rhel | centos) echo fedora; break ;;
        arch | alpine) echo "$word"; break ;;
        suse | opensuse*) echo suse; break ;;
        esac
    done
)

# What it is called there: name;debian;fedora;arch;alpine;suse. A dash: we know of no package.
packages_table()
{
    cat <<'END'
compiler;gcc libc6-dev;gcc;gcc;gcc musl-dev linux-headers;gcc
make;make;make;make;make;make
binutils;binutils;binutils;binutils;binutils;binutils
diff;diffutils;diffutils;diffutils;diffutils;diffutils
awk;mawk;gawk;gawk;gawk;gawk
timeout;coreutils;coreutils;coreutils;coreutils;coreutils
Criterion;libcriterion-dev;-;criterion;-;criterion-devel
pkg-config;pkg-config;pkgconf-pkg-config;pkgconf;pkgconf;pkgconf-pkg-config
Graphviz;graphviz;graphviz;graphviz;graphviz;graphviz
clang;clang;clang;clang;clang;clang
clang-format;clang-format;clang-tools-extra;clang;clang-extra-tools;clang-tools
torchrun or mpirun;openmpi-bin;openmpi;openmpi;openmpi;openmpi
Open MPI;openmpi-bin libopenmpi-dev;openmpi-devel;openmpi;openmpi-dev;openmpi-devel
MPICH;mpich libmpich-dev;mpich-devel;mpich;mpich-dev;mpich-devel
Gloo;libgloo-dev g++;-;-;-;-
gnuplot;gnuplot-nox;gnuplot;gnuplot;gnuplot;gnuplot
END
}

# called_there SYSTEM NAME,NAME...: lines "NAME;PACKAGES".
called_there()
{
    packages_table | awk -F ';' -v family="$1" -v names=",$2," '
        BEGIN { count = split("name debian fedora arch alpine suse", place, " ")
                for (i = 2; i <= count; i++) if (place[i] == family) column = i }
        column && index(names, "," $1 ",") { print $1 ";" $column }'
}

# how_to_get SYSTEM NAME,NAME...: the one command that installs them; nothing where there is none.
how_to_get()
{
    case $1 in
    debian) install="apt-get install" ;;
    fedora) install="dnf install" ;;
    arch) install="pacman -S --needed" ;;
    alpine) install="apk add" ;;
    suse) install="zypper install" ;;
    esac
    called_there "$1" "$2" | awk -F ';' -v install="$install" -v sudo="$([ "$(id -u)" -eq 0 ] || echo 'sudo ')" '
        $2 != "-" && !seen[$2]++ { all = all " " $2 }
        END { if (all) print sudo install all }'
}

# Those of them that the system has no package of, as far as we know.
not_packaged()
{
    called_there "$1" "$2" | sed -n 's/;-$//p' | paste -s -d , - | sed 's/,/, /g'
}
