/* link.c: see link.h. */
#include "link.h"
#include "../dist_base.h"
#include "../launch/eventcount.h"
#include "../launch/settings.h"

#include <string.h>

#define SLOWER 50.0 /* than in life */

/* One direction, as a program sees it; rounded. Fourth generation NVLink, PCIe 5 with 16 lanes, InfiniBand NDR. */
static const struct {
    const char *name;
    double microseconds, gigabytes;
} links[] = { { "nvlink", 2, 450 }, { "pcie", 4, 50 }, { "ib", 8, 50 } };

int link_read(struct link *link, struct why *why)
{
    const char *text = setting_text("DIST_SIM");
    *link = (struct link){ 0 };
    int status = setting_check("DIST_SIM", why);
    if (!text || status != DIST_OK)
        return status;
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        if (strcmp(text, links[i].name) == 0) {
            link->latency = links[i].microseconds * 1e-6 * SLOWER;
            link->bandwidth = links[i].gigabytes * 1e9 / SLOWER;
            return DIST_OK;
        }
    setting_read_link(text, &link->latency, &link->bandwidth);
    link->latency *= 1e-6;
    link->bandwidth *= 1e9;
    return DIST_OK;
}

/* The next transfer may follow as soon as this one's last byte has left; the latency is only its way. */
int64_t link_put(struct link *link, double bytes, int trips)
{
    int64_t begin = launch_clock_ns();
    if (link->bandwidth <= 0)
        return begin;
    if (begin < link->free_at)
        begin = link->free_at;
    link->free_at = begin + (int64_t)(bytes / link->bandwidth * 1e9);
    return link->free_at + (int64_t)(link->latency * trips * 1e9);
}
