import { BadOptionError } from '../../errors.ts'
import { escapeHtml } from './escape-html.ts'
import type { Refusal } from './page.ts'

/** What the page says in a box: a short title, and a text that tells the user what to do. */
export interface PageNotice {
  readonly title: string
  readonly text: string
}

/**
 * All texts of {@link brandedPage} in one language. Each is plain text. It must contain the placeholders of the English
 * text, such as `{client}`, and a part between asterisks is emphasized: `Is this *your own* device?`
 */
export interface PageTexts {
  /** The direction of the writing. */
  readonly dir: 'ltr' | 'rtl'
  /**
   * Descriptions of scopes, by name. For other scopes, the page uses `describeScope` from `authgraph/service/page`, or
   * shows the name.
   */
  readonly scopes: Readonly<Record<string, string>>

  /** The heading while the user enters a code. */
  readonly connect: string
  readonly enter: string
  readonly enterCaution: string
  /** The title of the window while the user compares a code from the URL. */
  readonly compareTitle: string
  readonly compare: string
  readonly compareCaution: string
  /** The label of the code field. */
  readonly code: string
  readonly continue: string

  /** The heading of a request. Contains `{client}`. */
  readonly confirmTitle: string
  readonly confirm: string
  readonly confirmCaution: string
  /** The heading of the scopes. Contains `{client}`. */
  readonly permissions: string
  readonly noScopes: string
  /** A scope without a description. Contains `{scope}`. */
  readonly unknownScope: string
  /** Marks a scope that `isRiskyScope` from `authgraph/service/page` finds. */
  readonly risky: string
  /** The heading of the facts about the request. */
  readonly request: string
  /** The heading of the name of a client that nobody has checked. */
  readonly app: string
  /** What such a client claims to be. Contains `{name}`. */
  readonly unverified: string
  /** What such a client claims to be, according to a document at a host. Contains `{name}` and `{host}`. */
  readonly published: string
  /** The API that the token is for. */
  readonly resource: string
  readonly requested: string
  readonly device: string
  /** What the device claims to be. Contains `{name}`. */
  readonly claim: string
  readonly address: string
  readonly account: string
  readonly approve: string
  readonly deny: string

  readonly approved: PageNotice
  readonly denied: PageNotice
  /** What to do if somebody else started the request. */
  readonly deniedAdvice: string

  /** Why a code or a decision was refused. */
  readonly refusals: Readonly<Record<Refusal, PageNotice>>
  /** When to try again. Contains `{time}`, such as "in 4 minutes". */
  readonly retry: string
  readonly unavailable: PageNotice
  readonly tryAgain: string

  readonly signedOut: PageNotice
  readonly signIn: string
  /** What to do if the policy wants more proof of who the user is. */
  readonly stepUp: PageNotice
  /** Who is signed in. Contains `{user}`. */
  readonly signedIn: string
  /** The link to switch accounts. */
  readonly notYou: string
  /** The link for help. */
  readonly help: string
}

/** The English texts of {@link brandedPage}. Copy them to translate them, or spread them to change some. */
export const englishTexts: PageTexts = {
  dir: 'ltr',
  scopes: {},

  connect: 'Connect a device',
  enter: 'Enter the code that your device shows. You can type it in lower case and without the hyphen.',
  // A user who approves somebody else's code approves somebody else's device. RFC 8628, section 5.4.
  enterCaution: 'If someone sent you a code, close this page: they would get access to your account.',
  compareTitle: 'Compare the code',
  compare: 'Is this the code that *your own* device shows right now? If not, close this page.',
  compareCaution:
    'If someone sent you the code or a link, close this page too: they would get access to your account.',
  code: 'Code',
  continue: 'Continue',

  confirmTitle: 'Connect {client}?',
  confirm: 'Approve only if you started this yourself, on a device in front of you that shows this code:',
  confirmCaution:
    'If someone sent you the code or a link, choose Deny: they would get access to your account.',
  permissions: '{client} will be able to',
  noScopes: 'See public information only',
  unknownScope: 'Use a permission named {scope}',
  risky: 'High risk',
  request: 'The request',
  app: 'App',
  unverified: 'Calls itself {name}. Nobody has checked this name.',
  published: 'Calls itself {name} at {host}. Nobody has checked this name.',
  resource: 'For use at',
  requested: 'Requested',
  device: 'Device',
  claim: 'Calls itself {name}',
  address: 'IP address',
  account: 'Your account',
  approve: 'Approve',
  deny: 'Deny',

  approved: {
    title: 'You approved the request',
    text: 'Return to your device to continue. You can close this window.',
  },
  denied: {
    title: 'You denied the request',
    text: 'The device has no access to your account. You can close this window.',
  },
  deniedAdvice:
    'If you did not start this, someone tried to get access to your account. Never enter a code that someone sends you. If you ever did, change your password and sign out your other devices.',

  refusals: {
    missing: {
      title: 'No code entered',
      text: 'Enter the eight letters that your device shows.',
    },
    unknown: {
      title: 'Unknown code',
      text: 'Compare it with the code on your device and correct it.',
    },
    expired: {
      title: 'This code has expired',
      text: 'Start again on your device and enter the new code here.',
    },
    decided: {
      title: 'This code was already used',
      text: 'You can use each code only once. If your device is still waiting, start again there to get a new code.',
    },
    opened: {
      title: 'This code is open somewhere else',
      text: 'Only the account and the browser that opened it first can decide. If they are not yours, start again on your device and enter the new code here.',
    },
    linked: {
      title: 'Type the code',
      text: 'Type the code that the device in front of you shows right now. If someone sent you the code or a link, close this page.',
    },
    policy: {
      title: 'This login is not allowed',
      text: 'The rules of this service refused it, and the device has no access to your account. If you started this yourself, ask your administrator.',
    },
    forged: {
      title: 'This page was out of date',
      text: 'Nothing was approved or denied. Someone else has signed in, the page was open for too long, or cookies are turned off. Enter the code again.',
    },
    limited: {
      title: 'Too many attempts',
      text: 'Compare the code with the one on your device before you try again.',
    },
  },
  retry: 'You can try again {time}.',
  unavailable: {
    title: 'The service is not available',
    text: 'This is not your fault. Try again in a moment with the same code.',
  },
  tryAgain: 'Try again',

  signedOut: {
    title: 'Sign in to continue',
    text: 'You are no longer signed in. Nothing was approved or denied. Sign in and continue with the same code.',
  },
  signIn: 'Sign in',
  stepUp: {
    title: 'Confirm that it is you',
    text: 'Nothing was approved yet. Confirm who you are, then compare the code and approve again.',
  },
  signedIn: 'Signed in as {user}.',
  notYou: 'Not you?',
  help: 'Get help',
}

const PLACEHOLDER = /\{\w+\}/g

/** Fills a text as HTML: each placeholder with the given HTML, and a part between asterisks emphasized. */
export function fill(text: string, html: Readonly<Record<string, string>> = {}): string {
  const filled = new Map(Object.entries(html))
  return escapeHtml(text)
    .replaceAll(/\*([^*]+)\*/g, '<em>$1</em>')
    .replaceAll(PLACEHOLDER, (placeholder) => filled.get(placeholder.slice(1, -1)) ?? placeholder)
}

/**
 * Checks that texts are complete, in programs without types.
 *
 * @throws {@link BadOptionError} that names the text.
 */
export function checkTexts(texts: unknown, path: string, model: unknown = englishTexts): void {
  if (typeof texts !== typeof model || texts === null || texts === '')
    throw new BadOptionError(`${path} is missing`)
  if (typeof texts !== 'string') {
    for (const [name, part] of Object.entries(Object(model)))
      checkTexts(Object(texts)[name], `${path}.${name}`, part)
    return
  }
  for (const [placeholder] of String(model).matchAll(PLACEHOLDER))
    if (!texts.includes(placeholder)) throw new BadOptionError(`${path} must contain ${placeholder}`)
}
