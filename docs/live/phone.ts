import type { Service } from 'authgraph/service'
import { find } from './elements.ts'
import { AUTH_URL } from './watched-service.ts'

/** The path of the verification page. */
const PATH = '/login/device'

/** Headers of a browser, with a cookie as the service sets it: a page cannot read that from a response. */
const HEADERS = {
  origin: AUTH_URL,
  cookie: `__Host-authgraph=${crypto.randomUUID().replaceAll('-', '')}`,
  'accept-language': 'en',
}

/** In a phone as low as this one, the page keeps its buttons in view too, and comes without the margin of a desktop. */
const LOW =
  '<style>form:has(.choices){position:sticky;bottom:0}body{padding:0!important;place-items:start stretch!important}main{min-height:100vh;padding:1rem!important;border:0!important;border-radius:0!important;box-shadow:none!important}header{margin-bottom:1rem!important}.choices{grid-template-columns:1fr 1fr!important;gap:.5rem!important;margin:1rem -1rem 0!important;padding:.5rem!important}.choices button{padding-inline:0!important}@media(height<30rem){header,footer{display:none!important}main:has(input.code){padding-bottom:6rem!important}}@media(height<15rem){.done p{display:none}}</style></head>'

/** Pixels between the edge of the phone and what is whole. */
const EDGE = 8

const frame = find<HTMLIFrameElement>('#phone-page')
const fill = find<HTMLButtonElement>('#fill')

/** What a user has to do in the phone. */
export type Task = 'enter' | 'decide'

/** The phone of a user: a browser with the verification page of the service, whose forms it sends. */
export class Phone {
  readonly #fetch: Service['fetch']
  readonly #onTask: (task?: Task) => void
  #isOpen = false

  /** @param onTask Called with what the user has to do now, and with nothing once that is done. */
  constructor(fetch: Service['fetch'], onTask: (task?: Task) => void) {
    this.#fetch = fetch
    this.#onTask = onTask
  }

  /** Opens the page. The user enters the code that the device shows. */
  open(code: string): void {
    fill.onclick = () => {
      const input = inPhone<HTMLInputElement>('input.code')
      if (input) input.value = code
    }
    if (this.#isOpen) return
    this.#isOpen = true
    void this.#go('GET')
  }

  /** What the page shows stays there. It asks for nothing more. */
  close(): void {
    this.#isOpen = false
    this.#showTask()
  }

  /** Requests a page and shows it. */
  async #go(method: 'GET' | 'POST', body?: URLSearchParams): Promise<void> {
    const request = new Request(AUTH_URL + PATH, { method, ...(body && { body }) })
    // A page may not set these headers of a request, which a browser sets.
    const headers = new Headers(HEADERS)
    if (body) headers.set('content-type', 'application/x-www-form-urlencoded')
    Object.defineProperty(request, 'headers', { value: headers })
    const hadFocus = document.activeElement === frame
    showPage(await (await this.#fetch(request)).text(), hadFocus)
    for (const form of frame.contentDocument?.forms ?? [])
      form.addEventListener('submit', (event) => {
        event.preventDefault()
        const fields = [...new FormData(form, event.submitter)].map(([name, value]) => [name, String(value)])
        void this.#go('POST', new URLSearchParams(fields))
      })
    frame.contentWindow?.scrollTo(0, 0)
    // `scrollIntoView` would also scroll the page that frames this one.
    const form = inPhone('form:has(input.code)')
    if (form) {
      // The form is whole, and so is the first thing above it.
      const least = form.getBoundingClientRect().bottom + 2 * EDGE - frame.clientHeight
      const tops = [...(form.parentElement?.children ?? [])].map((part) => part.getBoundingClientRect().top)
      const top = tops.find((top) => top >= least) ?? least
      frame.contentWindow?.scrollTo(0, least > 0 ? top - EDGE : 0)
    }
    this.#showTask()
  }

  #showTask(): void {
    const toEnter = this.#isOpen && inPhone('input.code') ? 'enter' : undefined
    const task = this.#isOpen && inPhone('[name=decision]') ? 'decide' : toEnter
    fill.hidden = toEnter === undefined
    find('#phone').classList.toggle('asks', task !== undefined)
    this.#onTask(task)
  }
}

/** Finds an element of the page in the phone. */
export function inPhone<E extends HTMLElement>(selector: string): E | null | undefined {
  return frame.contentDocument?.querySelector<E>(selector)
}

/** Shows a page. Only a user who is in the phone already gets the focus there. */
export function showPage(html: string, takesFocus = false): void {
  const page = frame.contentDocument
  page?.open()
  page?.write(html.replaceAll(takesFocus ? /$^/g : / autofocus\b/g, '').replace('</head>', LOW))
  page?.close()
}
