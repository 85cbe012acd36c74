import { find, isCalm, make } from '../live/elements.ts'
import { type Choice, choiceOf, faultLinks, hashOf, type Recorded, raceSvg, runsOf, SHOWN } from './card.ts'
import { type Fault, LANES } from './faults.ts'
import { type Client, type Run, race } from './race.ts'

declare const clients: Readonly<Record<string, Client>>

/** Pixels of the picture at least. A narrower window scrolls it. */
const NARROWEST = 290

/** Pixels in height from which its bars are higher. */
const TALL = 360

const recorded: Recorded = JSON.parse(find('#recorded').textContent ?? '')
const picture = find('#picture')
let choice = choiceOf(location.hash)
/** Whether the faults follow each other, until the user chooses one. */
let isTour = location.hash === '' && !isCalm()

function show(next: Choice): void {
  choice = next
  const { fault, isCareful } = choice
  find('#title').textContent = fault.title
  find('#text').textContent = (isCareful && fault.careText) || fault.text
  find('#care')
    .querySelectorAll('a')
    .forEach((link, care) => {
      link.href = hashOf({ fault, isCareful: care === 1 })
      link.ariaCurrent = isCareful === (care === 1) ? 'true' : null
    })
  showMarks()
  draw()
}

function showMarks(): void {
  const faults = find('#faults')
  const hasFocus = faults.contains(document.activeElement)
  faults.innerHTML = faultLinks(recorded, choice)
  const chosen = find('#faults [aria-current]')
  if (hasFocus) chosen.focus()
  // On a phone the faults scroll sideways.
  faults.scrollLeft = chosen.offsetLeft - faults.offsetLeft - 12
}

function draw(): void {
  const { clientWidth, clientHeight } = picture
  picture.innerHTML = raceSvg(recorded, choice, Math.max(NARROWEST, clientWidth), clientHeight >= TALL)
  const errors = runsOf(recorded, choice).flatMap(({ error = '' }, lane) =>
    picture.textContent?.includes(error)
      ? []
      : [make('b', '', LANES[lane]?.name ?? ''), ` ${error}`, make('br', '')],
  )
  find('#errors').replaceChildren(...errors)
}

/** Runs everything that is recorded again, here, and shows what differs. */
async function runAll(): Promise<void> {
  let same = 0
  let all = 0
  for (const fault of SHOWN)
    for (const isCareful of [false, true]) {
      const before = runsOf(recorded, { fault, isCareful })
      const runs: Run[] = []
      for (const { client } of LANES) {
        runs.push(await race(clients[client] as Client, fault, isCareful))
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      all += runs.length
      same += runs.filter((run, lane) => JSON.stringify(run) === JSON.stringify(before[lane])).length
      recorded.runs[fault.id ?? '']?.splice(isCareful ? 1 : 0, 1, runs)
    }
  find('#live').textContent = `${same} of ${all} runs in your browser match the build.`
  if (same < all) show(choice)
}

addEventListener('hashchange', () => {
  // That is the skip link.
  if (location.hash === '#stage') return
  isTour = false
  show(choiceOf(location.hash))
})
picture.addEventListener('animationend', ({ animationName }) => {
  if (animationName !== 'hold' || !isTour) return
  const next = SHOWN[(SHOWN.indexOf(choice.fault) + 1) % SHOWN.length] as Fault
  show({ ...choice, fault: next })
})
let { clientWidth } = picture
new ResizeObserver(() => {
  if (clientWidth !== picture.clientWidth) draw()
  clientWidth = picture.clientWidth
}).observe(picture)
show(choice)
// The font of the page changes where the chosen fault is.
void document.fonts.ready.then(showMarks)
void runAll()
