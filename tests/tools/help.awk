# help.awk: `make help`. What stands behind ## beside a rule, in three groups: ##l is for learners, ##t for teachers, and ## alone
# for whoever works on the workbook. In each in the order of the Makefile.

/^[a-z%-]+:.*##[lt]? / {
    target = words = group = $0
    sub(/:.*/, "", target)
    sub(/.*##[lt]? /, "", words)
    sub(/.*##/, "", group)
    group = group ~ /^l / ? 1 : group ~ /^t / ? 2 : 3
    number = target ~ /^(exercise|try|hint|reset|solution)/ ? "NN.K" : "NN"
    sub(/%/, number, target)
    sub(/^chapters$/, "", target)
    text[group] = text[group] sprintf("  make %-14s %s\n", target, words)
}

END {
    printf "for learners\n%s\nfor teachers (tests/TEACHING.md)\n%s\nfor whoever works on it\n%s", text[1], text[2], text[3]
    print "\nAlso: CC=clang, CFLAGS=\"-O0 -g\", WERROR=-Werror (warnings are errors), V=1 (show each command)."
}
