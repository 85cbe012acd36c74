import { find, make, timeText } from './elements.ts'

/** Something that happened, and how to show it. */
export interface Moment {
  /** Milliseconds since the story began. */
  readonly at: number
  /** One line that tells what happened. The user can go back to every moment that has one. */
  readonly caption?: string | undefined
  /** The state that began, and its role, for a moment with a caption. */
  readonly state?: { readonly name: string; readonly role: string }
  /** Shows the moment. It moves only if it has just happened (`isNow`). */
  readonly paint: (isNow: boolean) => void
  /** Shows it while the page shows an earlier moment. */
  readonly foretell?: () => void
}

/** Milliseconds for which each moment is shown when a story is played again. */
const SHOWN = 1000

const place = find<HTMLInputElement>('#moment')
const strip = find('#strip')
const returnToNow = find<HTMLButtonElement>('#now')

/** The story on the page. */
let current: Story | undefined

/** All that happened since the start. It is shown as it happens, and again from the start when the user goes back. */
export class Story {
  readonly #clear: () => void
  readonly #moments: Moment[] = []
  /** The indices of the moments with a caption. */
  readonly #stops: number[] = []
  /** The stop that the user went back to. */
  #past: number | undefined
  #playing: ReturnType<typeof setInterval> | undefined

  /** @param clear Resets all that moments paint. */
  constructor(clear: () => void) {
    this.#clear = clear
    if (current) current.#pause()
    current = this
    place.oninput = () => this.#leaveFor(Number(place.value))
    returnToNow.onclick = () => this.#leaveFor(this.#stops.length - 1)
    strip.replaceChildren()
    clear()
    this.#showPlace()
  }

  /** Whether the page shows the newest moment. */
  get isNow(): boolean {
    return this.#past === undefined
  }

  /** @param isFresh Whether it has just happened. */
  add(moment: Moment | undefined, isFresh = true): void {
    // What was in flight at a restart still arrives.
    if (moment === undefined || current !== this) return
    this.#moments.push(moment)
    if (moment.caption !== undefined) {
      this.#stops.push(this.#moments.length - 1)
      const { name, role } = moment.state ?? { name: '', role: '' }
      // The space is where a name breaks that has no room: then it is not shown.
      strip.append(make('span', `chip ${role}`, make('i', ''), ' ', name))
    }
    if (this.isNow) moment.paint(isFresh)
    this.#showPlace()
  }

  /** Shows the moments one after the other, from the start or where the user stopped, or stops. */
  playOrPause(): void {
    const isPlaying = this.#playing !== undefined
    this.#pause()
    if (isPlaying) return
    if (this.isNow) this.#goTo(0)
    this.#playing = setInterval(() => {
      if (this.#past !== undefined) this.#goTo(this.#past + 1)
      if (this.isNow) this.#pause()
    }, SHOWN)
    document.body.classList.add('playing')
  }

  /** Goes to a moment before or after the one that is shown. */
  step(by: number): void {
    const last = this.#stops.length - 1
    this.#leaveFor(Math.min(Math.max((this.#past ?? last) + by, 0), last))
  }

  #pause(): void {
    clearInterval(this.#playing)
    this.#playing = undefined
    document.body.classList.remove('playing')
  }

  #leaveFor(stop: number): void {
    this.#pause()
    this.#goTo(stop)
  }

  #goTo(stop: number): void {
    this.#past = stop === this.#stops.length - 1 ? undefined : stop
    this.#clear()
    const end = this.isNow ? this.#moments.length : this.#stops[stop + 1]
    for (const { paint } of this.#moments.slice(0, end)) paint(false)
    for (const { foretell } of this.#moments.slice(end)) foretell?.()
    this.#showPlace()
  }

  #showPlace(): void {
    const last = this.#stops.length - 1
    const moment = this.#moments[this.#stops[this.#past ?? last] ?? -1]
    find('#timeline').style.setProperty('--stops', String(Math.max(1, last + 1)))
    place.max = String(Math.max(0, last))
    place.value = String(this.#past ?? last)
    place.disabled = last < 1
    returnToNow.disabled = this.isNow
    document.body.classList.toggle('past', !this.isNow)
    find('#caption').textContent = moment?.caption ?? 'Nothing has happened yet.'
    if (moment === undefined) return
    const time = timeText(moment.at)
    find('#moment-value').textContent = `${moment.state?.name ?? ''} ${time}`
    place.setAttribute('aria-valuetext', `${time}: ${moment.caption}`)
  }
}
