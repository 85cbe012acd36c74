import type { DeviceResult } from 'authgraph'
import type { Decision } from 'authgraph/service'
import { find, make } from './elements.ts'

const REFUSALS: Readonly<Record<Exclude<Decision, 'done'>, string>> = {
  unknown: 'Unknown code. Compare it with the one on the device.',
  expired: 'This code has expired. Ask the device for a new one.',
  decided: 'This code was already used.',
}

/** The requests of the phone to the service. */
export interface Asks {
  /** Called with what the user has to do now, and with nothing once that is done. */
  readonly wait: (task?: string) => void
  /** Whether a code can be approved or denied. */
  readonly lookUp: (code: string) => Decision
  readonly decide: (decision: 'approve' | 'deny', code: string) => void
}

/** The phone of a user who enters the code and decides. */
export class Phone {
  readonly #client: string
  readonly #scopes: readonly string[]
  readonly #asks: Asks
  readonly #page = find('#phone-page')
  #code = ''
  #isOpen = false

  constructor(client: string, scopes: readonly string[], asks: Asks) {
    this.#client = client
    this.#scopes = scopes
    this.#asks = asks
    this.#show(make('p', 'quiet', 'Wait until the device shows a code.'))
  }

  /** Lets the user enter the code that the device shows now. */
  offer(code: string): void {
    this.#code = code
    if (this.#isOpen) return
    this.#isOpen = true
    this.#enter()
  }

  /** Closes the page when the device has finished. */
  close(status?: DeviceResult['status']): void {
    if (status === 'authorized') this.#show(connectedPage(), make('p', 'quiet', 'It has received its token.'))
    else if (this.#isOpen && status !== undefined && status !== 'denied')
      this.#show(make('p', 'quiet', 'The device is no longer waiting. Start again to get a new code.'))
    this.#isOpen = false
    this.#wait()
  }

  /** Shows the result of the decision. */
  response(decision: 'approve' | 'deny', response: Decision): void {
    if (response !== 'done') {
      this.#enter(REFUSALS[response])
      return
    }
    this.#wait()
    if (decision === 'approve')
      this.#show(connectedPage(), make('p', 'quiet', 'It gets the token with its next poll.'))
    else
      this.#show(
        make('h3', '', 'Request denied'),
        make('p', 'quiet', 'The device finds out at its next poll.'),
      )
  }

  #enter(refusal?: string): void {
    this.#wait('enter the code on the phone.')
    const input = make('input', '') as HTMLInputElement
    Object.assign(input, {
      id: 'code',
      type: 'text',
      autocomplete: 'off',
      spellcheck: false,
      placeholder: 'XXXX-XXXX',
      maxLength: 16,
    })
    input.setAttribute('autocapitalize', 'characters')
    const label = make('label', '', 'Code shown on the device')
    label.setAttribute('for', 'code')
    const fill = button('Copy it from the device', 'plain', () => {
      input.value = this.#code
      input.focus()
    })
    const submit = make('button', 'go', 'Continue')
    const form = make('form', '', label, input, submit, fill) as HTMLFormElement
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      if (input.value.trim() === '') return
      const found = this.#asks.lookUp(input.value)
      if (found === 'done') this.#confirm(input.value)
      else this.#enter(REFUSALS[found])
    })
    const problem = make('p', 'problem', refusal ?? '')
    problem.setAttribute('role', 'alert')
    this.#show(make('h3', '', 'Connect a device'), problem, form)
  }

  #confirm(code: string): void {
    // Autoplay must not take the focus from the page that embeds this one.
    this.#wait('approve or deny on the phone.')
    const isInUse = this.#page.contains(document.activeElement)
    const scopes = this.#scopes.flatMap((scope, index) => [index > 0 ? ', ' : '', make('code', '', scope)])
    const decide = (decision: 'approve' | 'deny') => () => this.#asks.decide(decision, code)
    const approve = button('Approve', 'go', decide('approve'))
    this.#show(
      make('h3', '', `Connect ${this.#client}?`),
      make('p', 'quiet', 'Continue only if your own device shows this code.'),
      make('strong', 'code', code.toUpperCase()),
      make('p', 'quiet', 'It requests access to ', ...scopes, '.'),
      make('div', 'choices', button('Deny', 'act', decide('deny')), approve),
    )
    if (isInUse) find('#phone-page h3').focus()
  }

  #wait(task?: string): void {
    find('#phone').classList.toggle('asks', task !== undefined)
    this.#asks.wait(task)
  }

  #show(...content: readonly HTMLElement[]): void {
    for (const heading of content) if (heading.tagName === 'H3') heading.tabIndex = -1
    this.#page.replaceChildren(...content)
  }
}

function connectedPage(): HTMLElement {
  return make('h3', 'good-news', 'You approved the request')
}

function button(words: string, className: string, onClick: () => void): HTMLElement {
  const made = make('button', className, words) as HTMLButtonElement
  made.type = 'button'
  made.addEventListener('click', onClick)
  return made
}
