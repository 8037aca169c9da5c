/* test_chapter_words.c: do the chapters' programs refuse a word that cannot be right, and say from where they have to be run? Is what they
 * say true of one rank, and of a GPU, where calls only enqueue? */
#include "started.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
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

static const struct {
    const char *program, *right, *wrong;
} alone[] = {
    { "04_pipeline_simulation/naive", "naive with 1 stage, ", "predicted 75" },
    { "05_collectives/reduce", "rank 0 has the largest of 1 ", "1 ranks" },
    { "12_real_gpus/bandwidth", " 0.000\n", "1 ranks" }, /* nothing passes a link */
};

Test(chapter_words, are_true_of_one_rank)
{
    for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++) {
        struct started job;
        char path[100];
        snprintf(path, sizeof path, "build/chapters/%s", alone[i].program);
        STARTED(&job, SETTINGS("WORLD_SIZE=1", "DIST_OUTPUT=ordered"), path);
        cr_expect(job.status == 0 && strstr(job.stdout_text, alone[i].right) &&
                      !strstr(job.stdout_text, alone[i].wrong),
                  "%s: %d, %s", path, job.status, job.stdout_text);
    }
}

/* The number behind `words` in what the program says, with tensors on a simulated GPU. */
static double said_on_a_gpu(const char *program, const char *words)
{
    struct started job;
    STARTED(&job, SETTINGS("DEVICE=sim", "WORLD_SIZE=4", "DIST_OUTPUT=ordered"), program);
    const char *at = strstr(job.stdout_text, words);
    cr_assert(job.status == 0 && at, "%s: %d, %s", program, job.status, job.stderr_text);
    return strtod(at + strlen(words), NULL);
}

/* Both wait for a rank that sleeps; a busy machine only makes them wait longer. */
Test(chapter_words, of_time_are_true_of_a_gpu)
{
    cr_expect_geq(said_on_a_gpu("build/chapters/03_ring/overlap", "start to receive, work, wait"), 5);
    cr_expect_geq(said_on_a_gpu("build/chapters/04_pipeline_simulation/naive", "bubble "), 50);
}
