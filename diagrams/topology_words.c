/* topology_words.c: the machine as text. */
#include "topology.h"

#include <string.h>

int topology_count(const struct topology *t, enum part_kind kind)
{
    int count = 0;
    for (int i = 0; i < t->part_count; i++)
        count += t->parts[i].kind == kind;
    return count;
}

static int links_between(const struct topology *t, int a, int b)
{
    for (int i = 0; i < t->link_count; i++)
        if ((t->links[i].a == a && t->links[i].b == b) ||
            (b >= 0 && t->links[i].a == b && t->links[i].b == a))
            return t->links[i].count;
    return 0;
}

const char *topology_way(const struct topology *t, int a, int b, char *text, size_t size)
{
    int direct = links_between(t, a, b), up = links_between(t, a, -1), down = links_between(t, b, -1);
    if (direct > 0)
        snprintf(text, size, "NVLink x%d", direct);
    else if (up > 0 && down > 0)
        snprintf(text, size, "NVLink x%d, by a switch", up < down ? up : down);
    else if (t->parts[a].above >= 0 && t->parts[a].above == t->parts[b].above)
        snprintf(text, size, "one PCIe switch");
    else
        snprintf(text, size, t->parts[a].node == t->parts[b].node ? "one processor" : "across processors");
    return text;
}

static void say_part(const struct topology *t, const struct topo_part *part, FILE *out)
{
    char name[96];
    if (part->kind == PART_GPU)
        snprintf(name, sizeof name, "GPU %d: %s", part->number, part->name);
    else
        snprintf(name, sizeof name, "network %s", part->name);
    fprintf(out, "  %-32s %s", name, part->address);
    if (part->lane[0])
        fprintf(out, ", %s", part->lane);
    if (part->rate[0])
        fprintf(out, ", %s", part->rate);
    if (part->above >= 0)
        fprintf(out, ", below PCIe switch %d", t->parts[part->above].number);
    fprintf(out, "\n");
}

/* Each two that can be far apart or near: a GPU and another, or a GPU and a network. */
static void say_ways(const struct topology *t, FILE *out)
{
    char way[64], a[80], b[80];
    for (int i = 0; i < t->part_count; i++)
        for (int j = 0; j < t->part_count; j++) {
            const struct topo_part *from = &t->parts[i], *to = &t->parts[j];
            bool two_gpus = from->kind == PART_GPU && to->kind == PART_GPU && i < j;
            if (!two_gpus && (from->kind != PART_GPU || to->kind != PART_NETWORK))
                continue;
            snprintf(a, sizeof a, "GPU %d", from->number);
            if (two_gpus)
                snprintf(b, sizeof b, "GPU %d", to->number);
            else
                snprintf(b, sizeof b, "%s", to->name);
            fprintf(out, "  %s and %s: %s\n", a, b, topology_way(t, i, j, way, sizeof way));
        }
}

void topology_words(const struct topology *t, FILE *out)
{
    for (int i = 0; i < t->node_count; i++) {
        const struct topo_node *node = &t->nodes[i];
        fprintf(out, "processor %d: %d core%s", node->number, node->cores, node->cores == 1 ? "" : "s");
        if (node->memory > 0)
            fprintf(out, ", %.1f GiB", (double)node->memory / (1 << 30));
        fprintf(out, "\n");
        for (int j = 0; j < t->part_count; j++)
            if (t->parts[j].node == i && t->parts[j].kind != PART_SWITCH)
                say_part(t, &t->parts[j], out);
    }
    if (topology_count(t, PART_GPU) == 0)
        fprintf(out, "no GPU here: ranks share the processor and its memory\n");
    else if (t->part_count > 1)
        fprintf(out, "the quickest way between\n");
    say_ways(t, out);
}
