/* play_page.h: the page that shows a run as a moving picture; the run itself comes between its two halves. */
#ifndef PLAY_PAGE_H
#define PLAY_PAGE_H

/* Lines; each list ends with NULL. */
extern const char *const play_page_head[];
extern const char *const play_page_tail[];

#endif
