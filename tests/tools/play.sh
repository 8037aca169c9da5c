#!/bin/sh
# play.sh: do the page and the image that build/bin/play makes work, in a browser without a screen? A script at the page's end
# presses keys and buttons as a reader would, one beside the image turns its clock; both leave their findings in the title.

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

# ---- the image: small, without script and network, the same from each run; too much is refused -------------------

image()
{
    DIST_TRACE=$work/ring.json WORLD_SIZE=$1 build/chapters/08_all_reduce/by_hand >$work/out 2>&1 &&
        build/bin/play $work/ring.json --blocks -o "$2" --title 'Sums & <b>rings</b>' 2>$work/said
}
failed=0
if image 4 $work/first.svg && image 4 $work/second.svg && cmp -s $work/first.svg $work/second.svg; then
    pass "two runs give one moving image"
else
    fail "two runs give two moving images"
    failed=1
fi
if [ "$(wc -c <$work/first.svg)" -gt 200000 ] || grep -q -e '<script' -e '<b>' $work/first.svg ||
    grep -o 'https\?://[^'"'"']*' $work/first.svg | grep -v '^http://www.w3.org/2000/svg$'; then
    fail "the moving image is too large, or holds what an image must not hold"
    failed=1
else
    pass "the moving image is small, and needs nothing"
fi
rm -f $work/large.svg
if ! image 16 $work/large.svg && [ ! -e $work/large.svg ] && grep -q '480 messages are too many for an image' $work/said; then
    pass "a run that is too large for an image is refused in a sentence"
else
    fail "a run that is too large for an image: $(cat $work/said)"
    failed=1
fi

if [ -z $browser ]; then
    skip "there is no Chromium: the moving pictures were made, but nobody looked at them"
    exit $failed
fi

# judge NAME PAGE OPTION...: the page leaves "found: good this; good that" in its title.
judge()
{
    name=$1
    page=$2
    shift 2
    timeout -k 2 60 $browser --headless --no-sandbox --disable-gpu --user-data-dir=$work/profile --virtual-time-budget=4000 \
        "$@" --dump-dom "file://$PWD/$page" >$work/dom 2>$work/err
    found=$(sed -n 's/.*<title>\(found: .*\)<\/title>.*/\1/p' $work/dom)
    if [ "$found" ] && ! echo "$found" | grep -q WRONG; then
        pass "$name"
    else
        fail "$name: ${found:-the page said nothing}"
        failed=1
    fi
}

cat >$work/head.html <<'E2'
<!DOCTYPE html><title>looking</title><img id=image src=first.svg>
E2
cat >$work/clock.html <<'E2'
<script>
const found = [], moves = document.getAnimations();
const check = (name, good) => found.push((good ? 'good ' : 'WRONG ') + name);
const seen = kind => [...document.querySelectorAll(kind)].filter(part => Number(getComputedStyle(part).opacity) > 0.5);
const words = () => seen('.hold').map(part => part.textContent.replace(/[+].*/, '')).sort().join();
const sums = [604, 608, 612, 616].flatMap(sum => [sum, sum, sum, sum]).join();
const turn = time => moves.forEach(move => { move.pause(); move.currentTime = time; });
onload = () => {
    check('as an image', document.getElementById('image').naturalWidth > 400);
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
        check('nothing moves', moves.length === 0 && seen('.trip').length === 0);
        check('the end is shown', words() === sums);
    } else {
        const round = moves[0].effect.getTiming().duration, walked = new Set();
        let most = 0;
        for (let time = 0; time < round; time += 50) {
            turn(time);
            const now = seen('.trip');
            now.forEach(part => walked.add(part.style.animationName));
            most = Math.max(most, now.length);
        }
        check('each of 24 messages walks', walked.size === 24);
        check('four at once', most === 4);
        turn(400);
        check('at first each has what it brings', words() === '1,102,203,304');
        turn(round - 900);
        check('at last all have the sums', words() === sums && seen('.trip').length === 0);
        check('for ever', moves.every(move => move.effect.getTiming().iterations === Infinity));
    }
    document.title = 'found: ' + found.join('; ');
};
</script>
E2
cat $work/head.html $work/first.svg $work/clock.html >$work/image.html
judge "the moving image shows each message, and the sums" $work/image.html
judge "the moving image stands still for those who want it so" $work/image.html --force-prefers-reduced-motion

# ---- the page -----------------------------------------------------------------------------------------------------

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
    press('Home');
    document.getElementById('on').click();
    const one = at();
    document.getElementById('on').click();
    document.getElementById('back').click();
    check('single steps', one > 0 && at() === one);
    check('a way has a head', (slider.value = 1.5, draw(), picture.querySelectorAll('[data-head]').length === 1));
    check('told in words', slider.getAttribute('aria-valuetext').includes('rank 0 to rank 1'));
    check('speeds', document.getElementById('speed').options.length === 5);
    check('small text', parseFloat(getComputedStyle(picture.querySelector('text')).fontSize) * 340 / (2 * half) >= 9);
    document.title = 'found: ' + found.join('; ');
}, 600);
</script>
E2
cat >$work/sums.html <<'E2'
<script>
const found = [];
const check = (name, good) => found.push((good ? 'good ' : 'WRONG ') + name);
const held = () => [...Array(4).keys()].map(rank => holds(rank, Number(slider.value)));
go(0);
check('at first each block that is sent', held().join() === '[1, \u00b7, \u00b7, \u00b7],[\u00b7, 102, \u00b7, \u00b7],' +
      '[\u00b7, \u00b7, 203, \u00b7],[\u00b7, \u00b7, \u00b7, 304]');
go(end);
check('at last all sums', held().every(row => row === '[604, 608, 612, 616]'));
check('and shown', shown === 4 && [...picture.querySelectorAll('[data-holds]')].every(t => t.textContent.includes('604')));
document.title = 'found: ' + found.join('; ');
</script>
E2
image 4 $work/again.svg && build/bin/play $work/ring.json --blocks -o $work/blocks.html
cat $work/blocks.html $work/sums.html >$work/tested.html
judge "the page of a ring all-reduce shows what each rank holds, block by block" $work/tested.html

cat >$work/apart.html <<'E2'
<script>
const found = [];
let together = 0, most = 0;
for (let time = 0; time <= end; time += 0.25) {
    slider.value = time;
    draw();
    const tags = [...picture.querySelectorAll('[data-message]')].map(t => t.getBBox());
    most = Math.max(most, tags.length);
    tags.forEach((a, i) => tags.slice(i + 1).forEach(b => {
        together += Math.abs(a.x - b.x) < (a.width + b.width) / 2 - 2 && Math.abs(a.y - b.y) < (a.height + b.height) / 2 - 2;
    }));
}
document.title = 'found: ' + (together ? 'WRONG ' + together + ' tags lie on each other' : 'good apart') + (most > 3 ? '' : ' WRONG few') +
    (messages.every(m => /^(forward|backward) [0-7]$/.test(m.text)) ? '' : ' WRONG names: ' + messages[0].text);
</script>
E2
DIST_TRACE=$work/pipe.json WORLD_SIZE=4 build/chapters/04_pipeline_simulation/one_forward_one_backward >$work/out 2>&1 &&
    build/bin/play $work/pipe.json -o $work/pipe.html
cat $work/pipe.html $work/apart.html >$work/tested.html
judge "the page of a pipeline names its micro-batches, and no name lies on another" $work/tested.html

cat $work/page.html $work/keys.html >$work/tested.html
judge "the moving picture plays, and obeys keys and mouse" $work/tested.html
exit $failed
