import { FONTS } from './content.ts'
import { widthOf, wrap } from './measure-text.ts'
import { box, element, picture, round, type Scheme, text } from './svg.ts'
import type { Role } from './theme.ts'

/** Pixels. */
const WIDTH = 760
const MARGIN = 24
const HEADS = 92
const LINE = 18

/** Where each one's line stands. */
const PLACES = { person: 112, device: 376, service: 648 } as const
type Who = keyof typeof PLACES

const HEADINGS: Readonly<Record<Who, { readonly name: string; readonly text: string }>> = {
  person: { name: 'Person', text: 'with a browser' },
  device: { name: 'Device', text: 'authgraph' },
  service: { name: 'Service', text: 'authgraph/service' },
}

/** What happens, from top to bottom. */
type Step =
  | {
      readonly kind: 'message'
      readonly from: Who
      readonly to: Who
      readonly name: string
      readonly text: string
      /** Answers are dashed. */
      readonly isAnswer?: true
    }
  | { readonly kind: 'state'; readonly of: Who; readonly role: Role; readonly name: string }
  | { readonly kind: 'wait'; readonly name: string }
  | { readonly kind: 'loop'; readonly name: string; readonly steps: readonly Step[] }

const STEPS: readonly Step[] = [
  {
    kind: 'message',
    from: 'device',
    to: 'service',
    name: 'POST /login/device/code',
    text: 'client_id, scope',
  },
  { kind: 'state', of: 'service', role: 'waiting', name: 'requested' },
  {
    kind: 'message',
    from: 'service',
    to: 'device',
    name: 'the codes',
    text: 'device_code, user_code, verification_uri, expires_in 900, interval 5',
    isAnswer: true,
  },
  { kind: 'state', of: 'device', role: 'waiting', name: 'requested' },
  {
    kind: 'message',
    from: 'device',
    to: 'person',
    name: 'shows the user code',
    text: 'WDJB-MJHT, and where to enter it',
  },
  {
    kind: 'loop',
    name: 'until the person has decided',
    steps: [
      { kind: 'wait', name: 'waits interval seconds' },
      {
        kind: 'message',
        from: 'device',
        to: 'service',
        name: 'POST /login/oauth/access_token',
        text: 'client_id, device_code, grant_type',
      },
      {
        kind: 'message',
        from: 'service',
        to: 'device',
        name: 'authorization_pending',
        text: 'or slow_down: interval grows by 5',
        isAnswer: true,
      },
      { kind: 'state', of: 'device', role: 'waiting', name: 'pending, or slowed' },
    ],
  },
  {
    kind: 'message',
    from: 'person',
    to: 'service',
    name: 'enters the code, and approves',
    text: 'at verification_uri, signed in',
  },
  { kind: 'state', of: 'service', role: 'working', name: 'approved' },
  { kind: 'wait', name: 'waits interval seconds' },
  {
    kind: 'message',
    from: 'device',
    to: 'service',
    name: 'POST /login/oauth/access_token',
    text: 'client_id, device_code, grant_type',
  },
  { kind: 'state', of: 'service', role: 'good', name: 'authorized' },
  {
    kind: 'message',
    from: 'service',
    to: 'device',
    name: 'the token',
    text: 'access_token, token_type, scope',
    isAnswer: true,
  },
  { kind: 'state', of: 'device', role: 'good', name: 'authorized' },
]

/** Draws one flow as the three who take part in it live it, from the request for codes to the token. */
export function drawSequence(scheme: Scheme): string {
  const { parts, bottom } = drawSteps(STEPS, HEADS + 34)
  const height = bottom + MARGIN
  return picture(
    {
      title: 'One device authorization',
      description:
        'A device asks a service for codes, shows one to a person, and polls until the person has approved.',
      width: WIDTH,
      height,
    },
    scheme,
    ...(Object.keys(PLACES) as Who[]).map((who) => drawHeading(who, height)),
    ...parts,
  )
}

function drawHeading(who: Who, height: number): string {
  const x = PLACES[who]
  const { name, text: words } = HEADINGS[who]
  const line = element('path', {
    class: 'way life',
    d: `M${x} ${HEADS}V${height - MARGIN}`,
    'stroke-dasharray': '2 6',
  })
  const head = { x: x - 84, y: MARGIN, width: 168, height: HEADS - MARGIN }
  return element(
    'g',
    { class: 'over' },
    line,
    box('shape', head, 12),
    text('name', x, MARGIN + 25, name, 'middle'),
    text('text', x, MARGIN + 48, words, 'middle'),
  )
}

function drawSteps(
  steps: readonly Step[],
  top: number,
): { readonly parts: readonly string[]; readonly bottom: number } {
  let bottom = top
  const parts = steps.flatMap((step) => {
    const drawn = drawStep(step, bottom)
    bottom = drawn.bottom
    return drawn.parts
  })
  return { parts, bottom }
}

function drawStep(step: Step, top: number): { readonly parts: readonly string[]; readonly bottom: number } {
  switch (step.kind) {
    case 'message':
      return drawMessage(step, top)
    case 'state':
      return drawPill(step.name, PLACES[step.of], top, step.role)
    case 'wait':
      return drawPill(step.name, PLACES.device, top, 'over')
    case 'loop': {
      const inside = drawSteps(step.steps, top + 50)
      const frame = {
        x: PLACES.device - 124,
        y: top,
        width: PLACES.service - PLACES.device + 208,
        height: inside.bottom - top,
      }
      const parts = [
        element('g', { class: 'over' }, box('around frame', frame, 12)),
        text('tag', PLACES.device + 16, top + 22, step.name.toUpperCase()),
        ...inside.parts,
      ]
      return { parts, bottom: inside.bottom + 26 }
    }
  }
}

function drawMessage(
  { from, to, name, text: words, isAnswer }: Extract<Step, { kind: 'message' }>,
  top: number,
): { readonly parts: readonly string[]; readonly bottom: number } {
  const start = PLACES[from]
  const end = PLACES[to]
  const toward = Math.sign(end - start)
  // A message that passes someone by keeps its words beside that one's line.
  const middle = from === 'person' ? (start + PLACES.device) / 2 : (start + end) / 2
  const lines = wrap(words, 236, FONTS.text)
  const y = top + LINE * (lines.length + 1) + 4
  const parts = [
    text('trigger', middle, top + LINE / 2, name, 'middle'),
    ...lines.map((line, index) => text('text', middle, top + LINE * (index + 1.5), line, 'middle')),
    element('path', {
      class: 'way',
      d: `M${start} ${y}H${round(end - toward * 8)}`,
      'stroke-dasharray': isAnswer && '6 5',
    }),
    element('path', { class: 'head', d: `M${end} ${y}l${-toward * 10} -5v10z` }),
  ]
  return { parts, bottom: y + 20 }
}

function drawPill(
  name: string,
  x: number,
  top: number,
  role: Role,
): { readonly parts: readonly string[]; readonly bottom: number } {
  const width = widthOf(name, FONTS.trigger) + 28
  const place = { x: x - width / 2, y: top - 4, width, height: 28 }
  const parts = [
    element('g', { class: role }, box('shape', place, 14), text('trigger', x, top + 10, name, 'middle')),
  ]
  return { parts, bottom: top + 42 }
}
