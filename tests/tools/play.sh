#!/bin/sh
# play.sh: does the page that build/bin/play makes work, in a browser without a screen? A script at its end presses
# keys and buttons as a reader would, and leaves its findings in the title.

. tests/tools/count.sh

work=build/results/play
mkdir -p $work
browser=
for name in chromium chromium-browser google-chrome; do
    if command -v $name >/dev/null 2>&1; then
        browser=$name
        break
    fi
done

if ! DIST_TRACE=$work/run.json WORLD_SIZE=4 build/chapters/03_ring/ring >$work/out 2>&1 ||
    ! build/bin/play $work/run.json -o $work/page.html --title 'Once </script> round "the" ring'; then
    fail "the moving picture could not be made"
    exit 1
fi
if grep -n 'https\?://' $work/page.html | grep -v 'http://www.w3.org/2000/svg'; then
    fail "the page of play names the network"
else
    pass "the page of play needs no network"
fi
if [ -z $browser ]; then
    skip "there is no Chromium: the moving picture was made, but nobody looked at it"
    exit 0
fi

cat >$work/keys.html <<'E2'
<script>
const found = [];
const press = key => document.dispatchEvent(new KeyboardEvent('keydown', {key: key, cancelable: true}));
const at = () => Number(slider.value);
const check = (name, good) => found.push((good ? 'good ' : 'WRONG ') + name);
const shows = rank => (document.querySelector(`[data-holds="${rank}"]`) || {}).textContent;

check('title', document.title === 'Once <\/script> round "the" ring');
check('ranks', picture.querySelectorAll('circle').length === 4);
const walked = new Set();
let steps = 0;
for (; at() < end && steps < 500; steps++) {
    press('ArrowRight');
    picture.querySelectorAll('[data-message]').forEach(m => walked.add(m.dataset.message));
}
check('every message walks', [...walked].sort().join() === '0-1,1-2,2-3,3-0');
check('the end is reached', at() === end && shows(0) === '[604, 608]');
press('Home');
check('Home', at() === 0);
press('End');
check('End', at() === end);
press('Home');
slider.value = 1.5;
slider.dispatchEvent(new Event('input'));
check('slider', picture.querySelectorAll('[data-message]').length === 1 && said.textContent.includes('rank 0 to rank 1'));
button.click();
check('Play', button.textContent === 'Pause' && button.getAttribute('aria-pressed') === 'true');
const before = at();
setTimeout(() => {
    check('it moves', at() > before);
    press(' ');
    check('space pauses', button.textContent === 'Play');
    document.title = 'found: ' + found.join('; ');
}, 600);
</script>
E2
cat $work/page.html $work/keys.html >$work/tested.html
timeout -k 2 60 $browser --headless --no-sandbox --disable-gpu --user-data-dir=$work/profile --virtual-time-budget=4000 \
    --dump-dom "file://$PWD/$work/tested.html" >$work/dom 2>$work/err
found=$(sed -n 's/.*<title>\(found: .*\)<\/title>.*/\1/p' $work/dom)
if [ "$found" ] && ! echo "$found" | grep -q WRONG; then
    pass "the moving picture plays, and obeys keys and mouse"
else
    fail "the moving picture: ${found:-the page said nothing}"
    exit 1
fi
