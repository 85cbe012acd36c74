import { deviceAuthorization } from '../../../machines/device-authorization.ts'
import { FONTS, type Font, widthOf, wrap } from '../../../src/pictures/measure-text.ts'
import { roleOfName } from '../../../src/pictures/state-roles.ts'
import { box, element, picture, text } from '../../../src/pictures/svg.ts'
import { detailsOf, type Exchange, type Span, type Story } from '../../../src/recording/story.ts'

/** The width in pixels, and the frames in a row: for the column of a README, and for the screen of a phone. */
const FORMS = { wide: { width: 830, columns: 3 }, narrow: { width: 358, columns: 1 } }

/** Pixels. */
const MARGIN = 16
const GAP = { x: 15, y: 20 }
const FRAME = { height: 234, caption: 42 }
const PILL = { height: 24 }
const TOP = 14
const ACTIVE = { x: 12, y: 92, width: 128, height: 54 }
/** The name of the state that followed, from the right border. */
const NEXT = { right: 12, width: 80 }
const SCREEN = { x: 12, y: 164, height: 58 }
const PADDING = 12

/** The letters of the user code. */
const CODE = '.code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:16px}'

/** What the machine tells about a state. */
type Node = (typeof deviceAuthorization)['root']

/**
 * Draws one frame for each status that a user saw: the state between the one that it came from and the one that followed,
 * with the number of others that could have, the time, the screen of the device, and below the frame the messages.
 */
export function filmstrip({ spans, exchanges }: Story, form: keyof typeof FORMS): string {
  const { width, columns } = FORMS[form]
  const each = (width - 2 * MARGIN - (columns - 1) * GAP.x) / columns
  const row = FRAME.height + FRAME.caption
  const rows = Math.ceil(spans.length / columns)
  return picture(
    {
      title: 'A recorded login, frame by frame',
      description: `${spans.map(({ name }) => name).join(', ')}.`,
      width,
      height: 2 * MARGIN + rows * row + (rows - 1) * GAP.y,
    },
    'auto',
    element('style', {}, CODE),
    ...spans.map((span, index) => {
      const x = MARGIN + (index % columns) * (each + GAP.x)
      const y = MARGIN + Math.floor(index / columns) * (row + GAP.y)
      const drawn = drawFrame(span, each, exchanges, spans[index - 1], spans[index + 1])
      return element('g', { transform: `translate(${x} ${y})` }, ...drawn)
    }),
  )
}

function drawFrame(
  span: Span,
  width: number,
  exchanges: readonly Exchange[],
  before?: Span,
  after?: Span,
): string[] {
  const { from, name, state } = span
  const node = nodeOf(state)
  // An end stands in the middle: nothing follows.
  const x = after ? ACTIVE.x : (width - ACTIVE.width) / 2
  const middle = x + ACTIVE.width / 2
  const by = exchanges[span.after ?? -1]
  const sent = by ?? exchanges.find((one) => one.from >= from && one.from <= span.to)
  const label = by?.outcome ?? ''
  const told = sent
    ? [`→ ${sent.request}`, ...(by ? [`${label === 'no response' ? '✕' : '←'} ${outcomeOf(by)}`] : [])]
    : wrap(node?.description ?? '', width - 4, FONTS.text)
  return [
    element('g', { 'stroke-opacity': 0.4 }, box('way', { x: 0, y: 0, width, height: FRAME.height }, 12)),
    before === undefined
      ? element('circle', { class: 'dot', cx: middle, cy: TOP + 12, r: 6 })
      : drawPill(before.name, middle, TOP),
    element(
      'g',
      { class: 'main' },
      element('path', { class: 'way', d: `M${middle} ${TOP + (before ? PILL.height : 18)}V${ACTIVE.y - 8}` }),
      element('path', { class: 'head', d: `M${middle} ${ACTIVE.y}l-6 -11h12z` }),
    ),
    ...(label === '' ? [] : drawLabel(label, middle)),
    ...(after
      ? drawNext(
          after.name,
          nextOf(node).filter((other) => other !== name).length - 1,
          x + ACTIVE.width,
          width,
        )
      : []),
    element(
      'g',
      { class: roleOfName(name) },
      element('rect', { class: 'shape', style: 'stroke-width:3', ...ACTIVE, x, rx: 12 }),
      ...(node?.type === 'final' ? [box('inner', { ...ACTIVE, x }, 12, 5)] : []),
      text('name', middle, ACTIVE.y + ACTIVE.height / 2, name, 'middle'),
    ),
    ...drawScreen(span, width - 2 * SCREEN.x),
    text('trigger', width - NEXT.right, TOP + PILL.height / 2, `${(from / 1000).toFixed(1)} s`, 'end'),
    ...told.map((line, index) =>
      text('text', 2, FRAME.height + 16 + 18 * index, shorten(line, width - 4, FONTS.text)),
    ),
  ]
}

/** What came back, with what the device has to know of it. */
function outcomeOf(exchange: Exchange): string {
  const details = detailsOf(exchange).flatMap(([name, value]) => (value === '' ? [] : `${name} ${value}`))
  return [exchange.outcome, ...details].join(', ')
}

/** Draws what the last response was, on the arrow. */
function drawLabel(words: string, middle: number): string[] {
  const width = widthOf(words, FONTS.trigger) + 8
  const y = (TOP + PILL.height + ACTIVE.y - 11) / 2
  const place = { x: Math.max(2, middle - width / 2), y: y - 10, width, height: 20 }
  return [box('paper', place, 4), text('trigger', place.x + width / 2, y, words, 'middle')]
}

/** Draws the state that followed, and how many others could have. */
function drawNext(name: string, others: number, start: number, width: number): string[] {
  const end = width - NEXT.right - NEXT.width
  const y = ACTIVE.y + ACTIVE.height / 2
  return [
    element('path', { class: 'way', d: `M${start} ${y}H${end - 6}` }),
    element('path', { class: 'head', d: `M${end} ${y}l-8 -4v8z` }),
    drawPill(name, end + NEXT.width / 2, y - PILL.height / 2),
    ...(others > 0
      ? [
          text(
            'tag',
            end + NEXT.width / 2,
            y + PILL.height,
            `or ${others} other${others > 1 ? 's' : ''}`,
            'middle',
          ),
        ]
      : []),
  ]
}

function drawPill(name: string, middle: number, y: number): string {
  const width = Math.max(NEXT.width, widthOf(name, FONTS.tag) + 12)
  return element(
    'g',
    { class: roleOfName(name) },
    box('shape', { x: middle - width / 2, y, width, height: PILL.height }, 8),
    text('text tag', middle, y + PILL.height / 2, name, 'middle'),
  )
}

/** Draws the screen of the device: the code and where to enter it, while there is one, or what it says. */
function drawScreen({ name, code, verificationUri = '', text: words }: Span, width: number): string[] {
  const { x, y, height } = SCREEN
  const said = name === 'authorized' ? 'Logged in' : words.replace(/\.$/, '')
  const room = width - 2 * PADDING
  const address = shorten(verificationUri.replace('https://', ''), room, FONTS.tag)
  return [
    element('g', { class: 'over' }, box('shape', { x, y, width, height }, 8)),
    ...(code === undefined
      ? [text('trigger', x + width / 2, y + height / 2, shorten(said, room, FONTS.trigger), 'middle')]
      : [
          text('name code', x + width / 2, y + 20, code, 'middle'),
          text('tag', x + width / 2, y + 41, address, 'middle'),
        ]),
  ]
}

/** Cuts what does not fit, such as a long address. */
function shorten(words: string, width: number, font: Font): string {
  return widthOf(words, font) <= width ? words : shorten(words.replace(/.…?$/u, '…'), width, font)
}

function nodeOf(id: string): Node | undefined {
  return id
    .split('.')
    .reduce<Node | undefined>(
      (node, name) => (node && Object.hasOwn(node.states, name) ? (node.states[name] as Node) : undefined),
      deviceAuthorization.root,
    )
}

/** The states that a user could see next, in the order of the machine. A poll is not one of them. */
function nextOf(node: Node | undefined): string[] {
  const { polling } = deviceAuthorization.root.states
  const targets = (from: Node): Node[] => [
    ...[...from.transitions.values()].flat().flatMap(({ target = [] }) => target as Node[]),
    ...(from.parent?.parent ? targets(from.parent as Node) : []),
  ]
  const direct = node ? targets(node) : []
  const all = new Set(direct.flatMap((target) => (target === (polling as Node) ? targets(target) : [target])))
  const leaves = [...all].map((target) => (target.initial?.target[0] ?? target) as Node)
  return [
    ...new Set(
      leaves
        .filter(({ type }) => type !== 'history')
        .sort((a, b) => a.order - b.order)
        .map(({ key }) => key),
    ),
  ]
}
