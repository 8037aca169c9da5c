/* test_chapter_words.c: do the chapters' programs refuse a word that cannot be right, and say from where they have to be run? */
#include "started.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

TestSuite(chapter_words, .timeout = 120);

/* In the shell, with the programs' folder in $P, started in it. */
static const struct {
    const char *line;
    const char *words;
} wrong[] = {
    { "$P/08_all_reduce/measure cvs", "measure [csv]\n" },
    { "$P/10_data_parallel/bucket_size csv csv", "bucket_size [csv]\n" },
    { "$P/10_data_parallel/naive lossses", "naive [losses]\n" },
    { "$P/12_real_gpus/bandwidth 7", "bandwidth [csv]\n" },
    { "$P/13_scale/search ''", "search [csv]\n" },
    { "$P/13_scale/simulate -h", "simulate [csv]\n" },
    { "$P/11_sharding/grid 2 2", "usage: grid [DP TP PP [STEPS [csv | f64]]]: numbers from 1 on\n" },
    { "$P/11_sharding/grid 2 2 2x", "numbers from 1 on\n" },
    { "$P/11_sharding/grid 2 2 99999999999", "numbers from 1 on\n" },
    { "$P/11_sharding/grid 2 2 2 3 f99", "numbers from 1 on\n" },
    { "$P/11_sharding/grid 2 2 2 3 csv 1", "numbers from 1 on\n" },
    { "$P/13_scale/survives train", "usage: survives [train FILE [EPOCHS]]: epochs from 1 on\n" },
    { "$P/13_scale/survives trian state", "usage: survives" },
    { "$P/13_scale/survives train state ten", "usage: survives" },
    { "$P/13_scale/survives train state 0", "usage: survives" },
    { "RANK=0 $P/13_scale/survives", "survives starts its ranks itself: run it without a launcher\n" },
    { "PMI_RANK=0 $P/10_data_parallel/checkpoint", "checkpoint starts its ranks itself" },
    { "cd / && $P/13_scale/survives", "cannot run build/bin/distrun (No such file or directory): run the "
                                      "program from the root of the workbook\n" },
    { "cd / && $P/13_scale/published",
      "megatron_1.7B.run (No such file or directory): run the program from the root of the workbook\n" },
};

Test(chapter_words, are_refused_with_a_sentence)
{
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct started job;
        char here[400], command[1000];
        cr_assert(getcwd(here, sizeof here));
        snprintf(command, sizeof command, "P=%s/build/chapters; %s", here, wrong[i].line);
        STARTED(&job, NULL, "sh", "-c", command);
        cr_expect(job.status == 2 && strstr(job.stderr_text, wrong[i].words), "%s: %d, %s", wrong[i].line,
                  job.status, job.stderr_text);
        cr_expect_null(strstr(job.stdout_text, "checkpoints"), "%s: %s", wrong[i].line, job.stdout_text);
    }
}
