#!/bin/sh
# quiz.sh: the quizzes of solutions/quiz, ten questions a chapter, as build/quiz/NN_topic.gift for Moodle and as NN_topic.txt to paste
# anywhere. Every chapter has one, and every question has one right answer, wrong ones and a reason.

. tests/tools/count.sh

out=build/quiz
mkdir -p $out
failed=0
for chapter in chapters/[0-9]*/; do
    name=$(basename "$chapter")
    source=solutions/quiz/$name.txt
    if [ -f "$source" ] && awk -v to=gift -f tests/tools/quiz.awk "$source" >$out/"$name".gift &&
        awk -v to=text -f tests/tools/quiz.awk "$source" >$out/"$name".txt; then
        pass "$source: ten questions"
    else
        fail "$source: ten questions, each with one right answer, wrong ones and a reason, are what a chapter has"
        failed=1
    fi
done
echo "$out: for Moodle, Question bank > Import > GIFT, the .gift files; to paste, the .txt files"
exit $failed
