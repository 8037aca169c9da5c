/* play_page.c: the head of the page, line by line: look and controls. Its own strings use single quotes, so that it can be read
 * here. play_script.c has the rest. */
#include "play_page.h"

#include <stddef.h>

/* clang-format off */
const char *const play_page_head[] = {
    "<!DOCTYPE html>",
    "<html lang='en'>",
    "<meta charset='utf-8'>",
    "<meta name='viewport' content='width=device-width, initial-scale=1'>",
    "<style>",
    ":root { color-scheme: light dark; --ink: #1F2933; --soft: #52606D; --line: #9AA5B1; --wait: #DDE3E9; --bg: #fff;",
    "  --s0: #0072B2; --p0: #DCEBF7; --s1: #C77700; --p1: #FCEBCB; --s2: #00805C; --p2: #D5F0E6; --s3: #A8487F; --p3: #F7E1EE;",
    "  --s4: #6B5CA5; --p4: #E6E2F5; --s5: #B4432E; --p5: #FBE3DC; --s6: #2E7F8F; --p6: #DAEFF2; --s7: #6E7A1F; --p7: #EFF2D6 }",
    "@media (prefers-color-scheme: dark) { :root { --ink: #E4E7EB; --soft: #9AA5B1; --line: #52606D; --wait: #323F4B; --bg: #12181F;",
    "  --s0: #56A8DE; --p0: #173448; --s1: #E9A23B; --p1: #44320F; --s2: #3DBB94; --p2: #123D31; --s3: #DB8AB8; --p3: #45263A;",
    "  --s4: #A394E0; --p4: #322C4D; --s5: #E5826B; --p5: #48261E; --s6: #62B8C8; --p6: #163B42; --s7: #B0BC52; --p7: #363B12 } }",
    "body { margin: 0 auto; padding: .6em; max-width: 62em; background: var(--bg); color: var(--ink);",
    "       font: 16px/1.4 Helvetica, Arial, sans-serif; text-align: center }",
    "h1 { font-size: 1.4em; margin: .3em } p { color: var(--soft); margin: .3em }",
    "svg { width: 100%; max-height: 74vh } svg text { font-size: 15px; text-anchor: middle; fill: var(--ink) }",
    "#bar { display: flex; flex-wrap: wrap; gap: .5em; align-items: center; margin: .6em auto; max-width: 46em }",
    "#at { flex: 1 1 12em } button, select { font: inherit; padding: .3em .7em } #play { min-width: 5.5em }",
    "button:focus-visible, input:focus-visible, select:focus-visible { outline: 3px solid var(--s0); outline-offset: 2px }",
    "#said { min-height: 2.8em }",
    "</style>",
    "<h1 id='title'></h1>",
    "<p id='help'></p>",
    "<div id='bar'><button id='back' type='button' aria-label='one step back'>&#9664;</button>",
    "<button id='play' type='button' aria-pressed='false'>Play</button>",
    "<button id='on' type='button' aria-label='one step on'>&#9654;</button>",
    "<input id='at' type='range' min='0' step='0.05' value='0' aria-label='moment of the run'>",
    "<output id='now' for='at'></output>",
    "<label>speed <select id='speed'><option value='0.25'>1/4</option><option value='0.5'>1/2</option>",
    "<option value='1' selected>1</option><option value='2'>2</option><option value='4'>4</option></select></label></div>",
    "<svg id='picture' role='img' aria-labelledby='title' aria-describedby='said'></svg>",
    "<p id='said' aria-live='polite'></p>",
    "<script>",
    "'use strict';",
    NULL
};
