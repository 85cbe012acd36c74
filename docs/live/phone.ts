import type { DeviceResult } from 'authgraph'
import type { Decision } from 'authgraph/service'
import { find, make } from './elements.ts'

const REFUSALS: Readonly<Record<Exclude<Decision, 'done'>, string>> = {
  unknown: 'This code is not known. Compare it with the one on the device.',
  expired: 'This code has expired. Ask the device for a new one.',
  decided: 'This code was used already.',
}

/** What the phone asks the service. */
export interface Asks {
  /** Whether a code may be decided. */
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

  /** Lets the person enter a code: the one that the device shows now. */
  offer(code: string): void {
    this.#code = code
    if (this.#isOpen) return
    this.#isOpen = true
    this.#enter()
  }

  /** Ends what the person can do, once the device has come to its end. */
  close(status?: DeviceResult['status']): void {
    if (status === 'authorized') this.#show(connected(), make('p', 'quiet', 'It has its token now.'))
    else if (this.#isOpen && status !== undefined && status !== 'denied')
      this.#show(make('p', 'quiet', 'The device does not wait any more. Start again for a new code.'))
    this.#isOpen = false
  }

  /** Shows what became of the decision. */
  response(decision: 'approve' | 'deny', response: Decision): void {
    if (response !== 'done') {
      this.#enter(REFUSALS[response])
      return
    }
    if (decision === 'approve') this.#show(connected(), make('p', 'quiet', 'Its next poll brings the token.'))
    else this.#show(make('h3', '', 'Request denied'), make('p', 'quiet', 'Its next poll brings the news.'))
  }

  #enter(refusal?: string): void {
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
    const scopes = this.#scopes.flatMap((scope, index) => [index > 0 ? ', ' : '', make('code', '', scope)])
    const decide = (decision: 'approve' | 'deny') => () => this.#asks.decide(decision, code)
    const approve = button('Approve', 'go', decide('approve'))
    this.#show(
      make('h3', '', `Connect ${this.#client}?`),
      make('p', 'quiet', 'Go on only if you see this code on your own device.'),
      make('strong', 'code', code.toUpperCase()),
      make('p', 'quiet', 'It asks for access to ', ...scopes, '.'),
      make('div', 'choices', button('Deny', 'act', decide('deny')), approve),
    )
    find('#phone-page h3').focus()
  }

  #show(...content: readonly HTMLElement[]): void {
    for (const heading of content) if (heading.tagName === 'H3') heading.tabIndex = -1
    this.#page.replaceChildren(...content)
  }
}

function connected(): HTMLElement {
  return make('h3', 'good-news', 'Your device is connected')
}

function button(words: string, className: string, onClick: () => void): HTMLElement {
  const made = make('button', className, words) as HTMLButtonElement
  made.type = 'button'
  made.addEventListener('click', onClick)
  return made
}
