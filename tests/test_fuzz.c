/* test_fuzz.c: the inputs in tests/fuzz/NAME/, with which the fuzzer begins; what it found once is among them. */
#include "fuzz_one.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static int run_file(const struct fuzz_target *target, const char *name)
{
    static char bytes[1 << 16];
    char path[400];
    snprintf(path, sizeof path, "tests/fuzz/%s/%s", target->name, name);
    FILE *file = fopen(path, "rb");
    cr_assert(file, "%s", path);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    char *exact = malloc(size ? size : 1); /* so that AddressSanitizer sees what reads beyond */
    for (size_t i = 0; i < size; i++)
        exact[i] = bytes[i];
    target->run(exact, size);
    free(exact);
    return 1;
}

Test(fuzz, what_was_found_once_does_no_harm)
{
    static const struct fuzz_target targets[] = FUZZ_TARGETS;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        char path[100];
        int count = 0;
        snprintf(path, sizeof path, "tests/fuzz/%s", targets[i].name);
        DIR *folder = opendir(path);
        for (struct dirent *one; folder && (one = readdir(folder));)
            count += one->d_name[0] != '.' && run_file(&targets[i], one->d_name);
        if (folder)
            closedir(folder);
        cr_expect(count > 0, "%s has no inputs", path);
    }
}
