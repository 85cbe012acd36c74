import { autoplay, isPlaying, stopAutoplay } from './autoplay.ts'
import { find, isCalm, make } from './elements.ts'
import { prepareLogin } from './login-scene.ts'
import { setSpeed } from './pace.ts'
import { prepareRecording } from './recording-scene.ts'
import { prepareRefresh } from './refresh-scene.ts'
import type { Scene } from './scene.ts'
import type { Fault } from './wire.ts'

/** The speeds of the slider, in order. */
const SPEEDS = [1, 2, 5, 10, 30, 60, 120]

/** The speeds of the autoplay: short waits, and messages that the eye can follow. */
const AUTOPLAY = { waiting: 8, inTraffic: 0.5 }

/** The speed of an autoplay that nobody sees yet: it stays where the first code is shown. */
const HELD = 0.001

/** Milliseconds between two updates of the countdowns. */
const TICK = 100

/** Each shows its scene before the start, and returns a function that starts it. */
const SCENES: Readonly<Record<string, () => (onEnd: () => void) => Scene | undefined>> = {
  login: prepareLogin,
  refresh: prepareRefresh,
  recording: prepareRecording,
}

/** The pages of the machines, with descriptions of their states, by the section that shows one. */
const PAGES = {
  device: 'Device_authorization',
  service: 'Device_grant',
  first: 'Session',
  second: 'Session',
  family: 'Refresh_family',
}

const main = find('main')
const next = find('#next')
const startButton = find<HTMLButtonElement>('#start')
const buttons = [...document.querySelectorAll<HTMLButtonElement>('fieldset button')]
let begin: (onEnd: () => void) => Scene | undefined = () => undefined
let scene: Scene | undefined

function open(): void {
  const name = SCENES[location.hash.slice(1)] ? location.hash.slice(1) : 'login'
  scene?.end()
  scene = undefined
  takeOver()
  next.hidden = true
  main.dataset.scene = name
  for (const link of document.querySelectorAll('[aria-label=Scenes] a'))
    link.ariaCurrent = link.getAttribute('href') === `#${name}` ? 'page' : null
  find('#service').hidden = false
  begin = SCENES[name]?.() ?? begin
  showRunning()
}

/** Plays the scene, unless the user has already started it. Without motion, another page shows how it ends. */
function offerPlay(): void {
  if (scene !== undefined || main.dataset.scene === 'recording') return
  if (!isCalm()) play()
  else if (document.body.classList.contains('embed')) finish()
}

/** Runs the scene out of sight, as fast as it can, and then shows its end. */
function finish(): void {
  main.classList.add('out-of-sight')
  setSpeed(SPEEDS.at(-1) ?? 1)
  void autoplay(main.dataset.scene ?? '', takeOver)
}

function play(): void {
  find('#hint').hidden = false
  setSpeed(AUTOPLAY.waiting, AUTOPLAY.inTraffic)
  void autoplay(main.dataset.scene ?? '', () => {
    takeOver()
    next.hidden = false
  })
}

/** Ends the autoplay. What has begun continues at the speed of the slider. */
function takeOver(): void {
  stopAutoplay()
  main.classList.remove('out-of-sight')
  find('#hint').hidden = true
  showSpeed()
}

function start(): void {
  scene?.end()
  next.hidden = true
  for (const button of document.querySelectorAll('[aria-pressed]'))
    button.setAttribute('aria-pressed', 'false')
  document.body.classList.remove('asleep')
  scene = begin(() => {
    showRunning()
    next.hidden = false
  })
  showRunning()
}

function showRunning(): void {
  startButton.textContent = scene ? 'Restart' : 'Start'
  showPossible()
}

/** Enables the buttons that can do something. While a scene runs, none of them is to start it. */
function showPossible(): void {
  startButton.classList.toggle('go', !scene?.isRunning)
  for (const button of buttons)
    button.disabled = !scene?.isRunning || scene.can?.(button.dataset.act ?? '') === false
}

function showSpeed(): void {
  const input = find<HTMLInputElement>('#speed')
  const speed = SPEEDS[Number(input.value)] ?? 1
  find('#speed-value').textContent = `${speed} ×`
  input.setAttribute('aria-valuetext', `${speed} times as fast`)
  setSpeed(speed)
}

function onButton(button: HTMLButtonElement): void {
  const { once, act } = button.dataset
  const toggled = button.dataset.switch
  if (button.id === 'cancel') scene?.cancel?.()
  if (act) scene?.act?.(act)
  if (once) setFault(button.getAttribute('aria-pressed') === 'true' ? undefined : (once as Fault))
  if (toggled) {
    const isOn = button.getAttribute('aria-pressed') !== 'true'
    button.setAttribute('aria-pressed', String(isOn))
    scene?.switch?.(toggled, isOn)
    if (toggled === 'asleep') document.body.classList.toggle('asleep', isOn)
  }
}

function setFault(fault: Fault | undefined): void {
  for (const wire of scene?.wires ?? []) wire.fault = fault
  showFault()
}

/** Releases the button of a fault that has happened, on all wires. */
function showFault(): void {
  const fault = scene?.wires.every((wire) => wire.fault) ? scene.wires[0]?.fault : undefined
  if (fault === undefined) for (const wire of scene?.wires ?? []) wire.fault = undefined
  for (const button of document.querySelectorAll<HTMLElement>('[data-once]'))
    button.setAttribute('aria-pressed', String(button.dataset.once === fault))
}

for (const [section, page] of Object.entries(PAGES)) {
  const heading = find(`#${section}-heading`)
  const link = make('a', '', ...heading.childNodes, make('span', 'full', ' ↗'))
  Object.assign(link, { href: `documents/${page}.html`, target: '_top', title: 'Full picture' })
  heading.append(link)
}
if (/[?#&]embed\b/.test(location.href)) document.body.classList.add('embed')
for (const tab of document.querySelectorAll<HTMLElement>('button[data-tab]'))
  tab.addEventListener('click', () => {
    main.dataset.tab = tab.dataset.tab
    for (const other of document.querySelectorAll('button[data-tab]'))
      other.ariaCurrent = other === tab ? 'true' : null
  })
startButton.addEventListener('click', start)
for (const button of buttons) button.addEventListener('click', () => onButton(button))
find('#speed').addEventListener('input', showSpeed)
for (const button of document.querySelectorAll<HTMLElement>('[data-effect]')) {
  const shown = find(`#${button.closest<HTMLElement>('fieldset')?.dataset.in}-effect`)
  const show = (effect: string) => () => shown.replaceChildren(effect)
  for (const event of ['pointerenter', 'focus'])
    button.addEventListener(event, show(button.dataset.effect ?? ''))
  for (const event of ['pointerleave', 'blur']) button.addEventListener(event, show(''))
  button.setAttribute('aria-describedby', shown.id)
}
// Scrollable areas must be reachable by keyboard.
for (const scrolling of document.querySelectorAll<HTMLElement>('.scrolls')) scrolling.tabIndex = 0
// Not at `pointerdown`: what the finger is on would move before it is lifted.
for (const type of ['click', 'input', 'keydown'])
  document.addEventListener(type, (event) => event.isTrusted && isPlaying() && takeOver(), { capture: true })
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') scene?.wake()
})
window.addEventListener('hashchange', () => {
  // That is the skip link.
  if (location.hash === '#stage') return
  open()
  offerPlay()
})
setInterval(() => {
  scene?.tick()
  showFault()
  showPossible()
}, TICK)
open()
const isHeld = document.body.classList.contains('embed') && !isCalm()
if (isCalm() || isHeld) offerPlay()
if (isHeld) setSpeed(HELD, 1)
// In a frame further down a page, it plays when it is seen.
new IntersectionObserver(([entry], observer) => {
  if (!entry?.isIntersecting) return
  observer.disconnect()
  if (isHeld && isPlaying()) setSpeed(AUTOPLAY.waiting, AUTOPLAY.inTraffic)
  else offerPlay()
}).observe(main)
