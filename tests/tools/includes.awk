# includes.awk FILE...: check every #include against the table in the Makefile, which comes in $INCLUDE_RULES.
#
# A rule is "who : what it may include". The first rule whose left side fits a file counts. * stands for anything
# but /, ** for anything, ./ for the file's own folder. Headers of the system may always be included.
# Exit status 1, with a line for each arrow that points up.

BEGIN {
    rules = split(ENVIRON["INCLUDE_RULES"], rule, "\n")
    for (i = 1; i < ARGC; i++) known[ARGV[i]] = 1
}

# A glob as a regular expression.
function pattern(glob) {
    gsub(/\./, "\\.", glob)
    gsub(/\*\*/, "\001", glob)
    gsub(/\*/, "[^/]*", glob)
    gsub(/\001/, ".*", glob)
    return "^" glob "$"
}

function folder(file) {
    sub(/[^\/]*$/, "", file)
    return file
}

# "lib/launch/../tensor.h" is "lib/tensor.h".
function plain(path) {
    while (sub(/[^\/]+\/\.\.\//, "", path))
        ;
    return path
}

# What is meant by the name between the quotes; empty: no file of ours.
function find(name,    path) {
    path = plain(folder(FILENAME) name)
    if (path in known) return path
    return ("lib/" name) in known ? "lib/" name : ""
}

function allowed(path,    i, side, words, count, word) {
    for (i = 1; i <= rules; i++) {
        if (split(rule[i], side, " : ") != 2) continue
        gsub(/[ \t]/, "", side[1])
        if (FILENAME !~ pattern(side[1])) continue
        count = split(side[2], words, /[ \t]+/)
        while (count) {
            word = words[count--]
            if (word == "") continue
            if (word ~ /^\.\//) word = folder(FILENAME) substr(word, 3)
            if (path ~ pattern(word)) return 1
        }
        return 0
    }
    return 0
}

/^[ \t]*#[ \t]*include[ \t]*["<]/ {
    quoted = /include[ \t]*"/
    name = $0
    sub(/^[^"<]*["<]/, "", name)
    sub(/[">].*$/, "", name)
    path = find(name)
    if (path == "") {
        if (quoted) complain("there is no " name)
    } else if (!allowed(path))
        complain("may not include " path)
}

function complain(what) {
    print FILENAME ":" FNR ": " what
    wrong = 1
}

END { exit wrong }
