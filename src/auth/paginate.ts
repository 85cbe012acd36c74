import { BadResponseError } from '../errors.ts'

/**
 * Finds the address of the next page in a `Link` header.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8288.html#section-3 RFC 8288, section 3}
 */
export function nextPage(link: string | null): string | undefined {
  for (const [, address, parameters = ''] of (link ?? '').matchAll(/<([^<>]*)>([^<]*)/g)) {
    const [, quoted, plain] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters) ?? []
    if ((quoted ?? plain ?? '').toLowerCase().split(' ').includes('next')) return address
  }
  return undefined
}

/**
 * The items of a page: the page itself, or its only list, as in `{ "total_count": 2, "repositories": [ … ] }`.
 *
 * @param request Names the request of the page, for the error.
 * @throws {@link BadResponseError} if the page is not JSON, or has no list or several.
 */
export function itemsOf(page: unknown, request: string): readonly unknown[] {
  if (page === undefined) return []
  if (Array.isArray(page)) return page
  if (Object(page) !== page)
    throw new BadResponseError(`the response (${request}) is not a JSON array or object`)
  const lists = Object.values(page as object).filter((value) => Array.isArray(value))
  const [list] = lists
  if (list !== undefined && lists.length === 1) return list
  throw new BadResponseError(`${request} did not return a list`)
}
