/* Only the answers are left of the file. */
int answer(int question)
{
    int answers[] = { 42, 2, 26, 24, 3 };
    return answers[question];
}
