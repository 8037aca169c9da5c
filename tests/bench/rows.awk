# rows.awk: the rows of tests/bench/goals that are asked for, one a line:
#
#     SECTION CASE RANKS CORES BYTES LIMIT PEER MOST
#
# Set `wanted` (a regular expression on the case or its section; empty: all), and `cores`, how many there are.

function bytes(size) {
    if (size ~ /K$/) return size * 1024
    if (size ~ /M$/) return size * 1048576
    return size
}

/^ *#/ || NF == 0 { next }
$1 == "=" { section = $2; next }

NF != 7 {
    print FILENAME ":" FNR ": a row has 7 columns: case ranks cores size limit peer most" > "/dev/stderr"
    exit 1
}

wanted != "" && $1 !~ wanted && section !~ wanted { next }

$3 > cores {
    if (section != "curves") print "LEFT OUT: " $1 " on " $3 " cores: this machine has " cores > "/dev/stderr"
    next
}

{ print section, $1, $2, $3, bytes($4), $5, $6, $7 }
