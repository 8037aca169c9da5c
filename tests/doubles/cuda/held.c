/* held.c: see held.h. */
#include "held.h"
#include "devices/cuda/cuda.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void CUDART_CB pass(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

void held_up(struct stream *stream)
{
    pthread_mutex_lock(&lock);
    cudaLaunchHostFunc(cuda_stream_of(stream), pass, NULL);
}

int held_devices(void)
{
    int count = 0;
    for (const struct cuda *rank = cuda_all.ranks; rank; rank = rank->next)
        count++;
    return count;
}

void held_release(void)
{
    pthread_mutex_unlock(&lock);
}
