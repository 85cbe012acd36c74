import { FONTS, widthOf, wrap } from '../../src/pictures/measure-text.ts'
import { roleOfName } from '../../src/pictures/state-roles.ts'
import { box, element, picture, round, type Scheme, text } from '../../src/pictures/svg.ts'
import type { Role } from '../../src/pictures/theme.ts'
import type { Box } from './places.ts'

/** Pixels. */
const MARGIN = 24
const HEADS = 92
const LINE = 18

/** Pixels at which text wraps, if its lifelines are that far apart. */
const ROOM = 236

/** Padding around text in pixels: to a border, and to what is drawn below it. */
const EDGE = 8

type Who = 'user' | 'device' | 'service'

/** Measures of a picture in pixels. */
interface Measures {
  readonly width: number
  /** The position of each lifeline, and the width of its heading. */
  readonly places: Readonly<Record<Who, { readonly x: number; readonly head: number }>>
  /** The frame around repeated steps, and where its text begins. */
  readonly loop: { readonly x: number; readonly width: number; readonly words: number }
}

/** For a page and for a phone screen. */
const MEASURES = {
  wide: {
    width: 760,
    places: { user: { x: 112, head: 168 }, device: { x: 376, head: 168 }, service: { x: 648, head: 168 } },
    loop: { x: 252, width: 480, words: 392 },
  },
  narrow: {
    width: 400,
    places: { user: { x: 66, head: 116 }, device: { x: 184, head: 100 }, service: { x: 330, head: 124 } },
    loop: { x: 78, width: 314, words: 92 },
  },
} satisfies Record<string, Measures>

const HEADINGS: Readonly<Record<Who, { readonly name: string; readonly text: string }>> = {
  user: { name: 'User', text: 'with a browser' },
  device: { name: 'Device', text: 'authgraph' },
  service: { name: 'Service', text: 'authgraph/service' },
}

/** The steps, from top to bottom. */
type Step =
  | {
      readonly kind: 'message'
      readonly from: Who
      readonly to: Who
      readonly name: string
      readonly text: string
      /** Responses are dashed. */
      readonly isResponse?: true
    }
  | { readonly kind: 'state'; readonly of: Who; readonly name: string }
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
  { kind: 'state', of: 'service', name: 'requested' },
  {
    kind: 'message',
    from: 'service',
    to: 'device',
    name: 'the codes',
    text: 'device_code, user_code, verification_uri, expires_in 900, interval 5',
    isResponse: true,
  },
  { kind: 'state', of: 'device', name: 'requested' },
  {
    kind: 'message',
    from: 'device',
    to: 'user',
    name: 'shows the user code',
    text: 'WDJB-MJHT, and where to enter it',
  },
  {
    kind: 'loop',
    name: 'until the user has decided',
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
        isResponse: true,
      },
      { kind: 'state', of: 'device', name: 'pending, or slowed' },
    ],
  },
  {
    kind: 'message',
    from: 'user',
    to: 'service',
    name: 'enters the code, and approves',
    text: 'at verification_uri, signed in',
  },
  { kind: 'state', of: 'service', name: 'approved' },
  { kind: 'wait', name: 'waits interval seconds' },
  {
    kind: 'message',
    from: 'device',
    to: 'service',
    name: 'POST /login/oauth/access_token',
    text: 'client_id, device_code, grant_type',
  },
  { kind: 'state', of: 'service', name: 'authorized' },
  {
    kind: 'message',
    from: 'service',
    to: 'device',
    name: 'the token',
    text: 'access_token, token_type, scope',
    isResponse: true,
  },
  { kind: 'state', of: 'device', name: 'authorized' },
]

/** Draws one flow between user, device and service, from the device code request to the token. */
export function drawSequence(scheme: Scheme, kind: keyof typeof MEASURES = 'wide'): string {
  const measures = MEASURES[kind]
  const { parts, bottom } = drawSteps(STEPS, HEADS + 34, measures)
  const height = bottom + MARGIN
  return picture(
    {
      title: 'One device authorization',
      description:
        'A device asks a service for codes, shows the user code, and polls until the user has approved.',
      width: measures.width,
      height,
    },
    scheme,
    ...(Object.keys(HEADINGS) as Who[]).map((who) => drawHeading(who, height, measures)),
    ...parts,
  )
}

function drawHeading(who: Who, height: number, { places }: Measures): string {
  const { x, head: width } = places[who]
  const { name, text: words } = HEADINGS[who]
  const line = element('path', {
    class: 'way life',
    d: `M${x} ${HEADS}V${height - MARGIN}`,
    'stroke-dasharray': '2 6',
  })
  const head = { x: x - width / 2, y: MARGIN, width, height: HEADS - MARGIN }
  return element(
    'g',
    { class: 'over' },
    line,
    box('shape', head, 12),
    text('name', x, MARGIN + 25, name, 'middle'),
    text('text', x, MARGIN + 48, words, 'middle'),
  )
}

/** What is drawn, and its lower edge. */
interface Drawn {
  readonly parts: readonly string[]
  readonly bottom: number
}

function drawSteps(steps: readonly Step[], top: number, measures: Measures): Drawn {
  let bottom = top
  const parts = steps.flatMap((step) => {
    const drawn = drawStep(step, bottom, measures)
    bottom = drawn.bottom
    return drawn.parts
  })
  return { parts, bottom }
}

function drawStep(step: Step, top: number, measures: Measures): Drawn {
  const { places, loop } = measures
  switch (step.kind) {
    case 'message':
      return drawMessage(step, top, measures)
    case 'state':
      return drawPill(step.name, places[step.of].x, top, roleOfName(step.name))
    case 'wait':
      return drawPill(step.name, places.device.x, top, 'over')
    case 'loop': {
      const inside = drawSteps(step.steps, top + 50, measures)
      const frame = { x: loop.x, y: top, width: loop.width, height: inside.bottom - top }
      const words = step.name.toUpperCase()
      const size = { width: widthOf(words, FONTS.tag), height: LINE }
      const parts = [
        box('way frame', frame, 12),
        ...drawGround({ x: loop.words, y: top + 22 - LINE / 2, ...size }, measures),
        text('tag', loop.words, top + 22, words),
        ...inside.parts,
      ]
      return { parts, bottom: inside.bottom + 26 }
    }
  }
}

function drawMessage(
  { from, to, name, text: words, isResponse }: Extract<Step, { kind: 'message' }>,
  top: number,
  measures: Measures,
): Drawn {
  const { width, places } = measures
  const start = places[from].x
  const end = places[to].x
  const toward = Math.sign(end - start)
  const roomTo = (x: number) => Math.min(ROOM, Math.abs(x - start) - 2 * EDGE)
  const lines = [
    ...wrap(name, roomTo(end), FONTS.trigger).map((line) => ({ line, kind: 'trigger' as const })),
    ...wrap(words, roomTo(end), FONTS.text).map((line) => ({ line, kind: 'text' as const })),
  ].map(({ line, kind }) => ({ line, kind, width: widthOf(line, FONTS[kind]) }))
  const widest = Math.max(...lines.map(({ width }) => width))
  // A message that crosses a lifeline keeps its text beside that line, if there is room.
  const isBeside = from === 'user' && widest <= roomTo(places.device.x)
  const between = (start + (isBeside ? places.device.x : end)) / 2
  const middle = Math.min(Math.max(between, widest / 2 + EDGE), width - widest / 2 - EDGE)
  const y = top + LINE * lines.length + 4
  const parts = [
    ...lines.flatMap(({ line, kind, width }, index) => {
      const place = { x: middle - width / 2, y: top + LINE * index, width, height: LINE }
      return [...drawGround(place, measures), text(kind, middle, place.y + LINE / 2, line, 'middle')]
    }),
    element('path', {
      class: 'way',
      d: `M${start} ${y}H${round(end - toward * 8)}`,
      'stroke-dasharray': isResponse && '6 5',
    }),
    element('path', { class: 'head', d: `M${end} ${y}l${-toward * 10} -5v10z` }),
  ]
  return { parts, bottom: y + 20 }
}

/** Hides the part of a lifeline that a text covers. */
function drawGround(place: Box, { places }: Measures): string[] {
  const isOnLine = Object.values(places).some(({ x }) => x > place.x && x < place.x + place.width)
  return isOnLine ? [box('paper', place, 4)] : []
}

function drawPill(name: string, x: number, top: number, role: Role): Drawn {
  const width = widthOf(name, FONTS.trigger) + 28
  const place = { x: x - width / 2, y: top - 4, width, height: 28 }
  const parts = [
    element('g', { class: role }, box('shape', place, 14), text('trigger', x, top + 10, name, 'middle')),
  ]
  return { parts, bottom: top + 42 }
}
