# quiz.awk: a quiz of solutions/quiz, as GIFT for Moodle (-v to=gift) or as plain text to paste anywhere (-v to=text).
# The source: "? question", then one "+ right" and some "- wrong" answers, then "! why", and an empty line.
function gift(s) { gsub(/[~=#{}:\\]/, "\\\\&", s); return s }
function close_question(    i, mark) {
    if (!question)
        return
    count++
    if (rights != 1 || wrongs < 2 || why == "") {
        printf "%s:%d: question %d needs one right answer, at least two wrong ones and a reason\n", FILENAME, FNR, count > "/dev/stderr"
        bad = 1
    }
    if (to == "gift") {
        printf "::%s %d::%s {\n", chapter, count, gift(question)
        for (i = 1; i <= answers; i++)
            printf "\t%s%s\n", kind[i] == "+" ? "=" : "~", gift(answer[i])
        printf "\t####%s\n}\n\n", gift(why)
    } else {
        printf "%d. %s\n", count, question
        # Turned round by the number of the question, so that no letter is right more often than another.
        for (i = 0; i < answers; i++)
            printf "   %s) %s\n", substr("abcdefgh", i + 1, 1), answer[(i + count) % answers + 1]
        printf "   Answer: %s. %s\n\n", substr("abcdefgh", (right - 1 - count % answers + answers) % answers + 1, 1), why
    }
    question = ""
}
FNR == 1 { chapter = FILENAME; sub(/.*\//, "", chapter); sub(/\.txt$/, "", chapter) }
/^\? / { close_question(); question = substr($0, 3); answers = rights = wrongs = 0; why = ""; next }
/^[-+] / { kind[++answers] = substr($0, 1, 1); answer[answers] = substr($0, 3)
           if (kind[answers] == "+") { rights++; right = answers } else wrongs++; next }
/^! / { why = substr($0, 3); next }
/^$/ { next }
{ printf "%s:%d: a line begins with ?, +, - or !\n", FILENAME, FNR > "/dev/stderr"; bad = 1 }
END {
    close_question()
    if (count != 10) { printf "%s: %d questions, not 10\n", FILENAME, count > "/dev/stderr"; bad = 1 }
    exit bad
}
