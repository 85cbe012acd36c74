import type { ServiceEvent } from 'authgraph/service'

/** The part of an OpenTelemetry meter that is used. */
interface Meter {
  createCounter(name: string): {
    add(value: number, attributes: Record<string, string>): void
  }
}

/** Counts each event, and writes those that an audit needs to a log. */
export function watchService(
  meter: Meter,
  log: (line: string) => void,
): (event: ServiceEvent) => void {
  const events = meter.createCounter('authgraph.events')
  return (event) => {
    const { type, client } = event
    events.add(1, {
      type,
      detail: detailOf(event),
      client: client?.name ?? '',
    })
    if (type !== 'limited') log(JSON.stringify(event))
  }
}

function detailOf(event: ServiceEvent): string {
  if (event.type === 'decision') return `${event.decision} by ${event.by}`
  if (event.type === 'code.refused') return event.reason
  return event.type === 'limited' ? event.limit : ''
}
