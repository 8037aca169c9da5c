# lessons.awk: copy a lesson to stdout, with every inserted block made new.
#
#   <!-- insert: chain.c -->               the whole file
#   <!-- insert: chain.c run -->           the function run of that file, with the comment above it
#   <!-- insert: expected/chain.4.txt -->  what a program printed
#   <!-- said: expected/chain.4.txt: 72 | 42 -->
#                                          the sentences below name these numbers: each must still stand in that file
#
# Such a line is followed by a fenced block; what stands between its fences is replaced. Paths start at the
# lesson's folder, which comes as -v folder=. Exit status 2, with a sentence on stderr, where something is missing.

function stop(what) {
    print FILENAME ":" FNR ": " what > "/dev/stderr"
    stopped = 1
    exit 2
}

# The words behind ``` that say what the block is.
function language(file) {
    if (file ~ /\.[ch]$/) return "c"
    if (file ~ /\.cu$/) return "cuda"
    if (file ~ /\.sh$/) return "sh"
    return "text"
}

function show(line) {
    if (line ~ /^```/) stop("the inserted text holds a fence of its own")
    print line
}

function insert_file(file,    line, status, lines) {
    while ((status = (getline line < file)) > 0) {
        show(line)
        lines++
    }
    close(file)
    if (status < 0) stop("cannot read " file)
    if (!lines) stop(file " is empty")
}

# Lines are kept from the start of the comment that stands directly above.
function insert_function(file, name,    line, status, kept, in_comment, inside, i) {
    while ((status = (getline line < file)) > 0) {
        if (inside) {
            show(line)
            if (line ~ /^}/) break
        } else if (line ~ ("^[a-zA-Z_][^=]*[^a-zA-Z0-9_]" name "\\(") && line !~ /;[ \t]*$/) {
            for (i = 1; i <= kept; i++) show(above[i])
            show(line)
            inside = 1
        } else if (in_comment || line ~ /^(\/\*|\/\/)/) {
            if (!in_comment && line ~ /^\/\*/) kept = 0
            above[++kept] = line
            in_comment = line !~ /^\/\// && line !~ /\*\//
        } else
            kept = 0
    }
    close(file)
    if (status < 0) stop("cannot read " file)
    if (!inside) stop("no function " name " in " file)
}

/^<!-- insert: [^ ]+( [a-zA-Z0-9_]+)? -->$/ {
    print
    file = folder "/" $3
    name = $4 == "-->" ? "" : $4
    if ((getline) <= 0 || $0 !~ /^```/) stop("a fenced block must follow the insert line")
    print "```" language(file)
    if (name == "") insert_file(file)
    else insert_function(file, name)
    while ((more = (getline)) > 0 && $0 !~ /^```[ \t]*$/)
        ;
    if (more <= 0) stop("the fenced block does not end")
    print "```"
    next
}

# What a sentence takes from a file must stand there; how many blanks there are does not matter.
function look_up(file, words,    line, status, text, count, word, i) {
    while ((status = (getline line < file)) > 0) {
        gsub(/[ \t]+/, " ", line)
        text = text " " line
    }
    close(file)
    if (status < 0) stop("cannot read " file)
    count = split(words, word, / \| /)
    for (i = 1; i <= count; i++)
        if (!index(text " ", " " word[i] " ")) stop("a sentence says \"" word[i] "\", and " file " does not")
}

/^<!-- said: [^ ]+: .+ -->$/ {
    print
    file = $3
    sub(/:$/, "", file)
    words = $0
    sub(/^<!-- said: [^ ]+: /, "", words)
    sub(/ -->$/, "", words)
    look_up(folder "/" file, words)
    next
}

/<!-- *said/ { stop("this line is not understood: " $0) }

/<!-- *insert/ { stop("this insert line is not understood: " $0) }

{ print }

END { if (stopped) exit 2 }
