interface Page {
  readonly url: string
  readonly html: string
}

/** The CSRF token of the first form of a page, and the cookie that it sets. */
export async function formOf(page: Response): Promise<{ readonly csrf: string; readonly cookie: string }> {
  const [cookie = ''] = (page.headers.get('set-cookie') ?? '').split(';')
  return { csrf: /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? '', cookie }
}

/** A user with a browser without scripts: keeps cookies, follows redirects, and submits the first form of a page. */
export function userAt(fetch = globalThis.fetch) {
  const cookies = new Map<string, string>()

  async function open(url: string, init: RequestInit = {}): Promise<Page> {
    const headers = { ...init.headers, cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const cookie of response.headers.getSetCookie()) keep(cookie)
    const location = response.headers.get('location')
    return location ? open(new URL(location, url).href) : { url, html: await response.text() }
  }

  function keep(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    if (/expires=Thu, 01 Jan 1970|max-age=0/i.test(cookie)) cookies.delete(name)
    else cookies.set(name, value)
  }

  return {
    open,
    /** Submits the first form of the page. The given values override its own. */
    send(
      { url, html }: Page,
      values: Record<string, string> = {},
      headers: Record<string, string> = {},
    ): Promise<Page> {
      const form = /<form[\s\S]*?<\/form>/.exec(html)?.[0] ?? ''
      const action = /action="([^"]*)"/.exec(form)?.[1] ?? ''
      const fields = [...form.matchAll(/<input[^>]*>/g)].map(([input]) => [
        /name="([^"]*)"/.exec(input)?.[1] ?? '',
        /value="([^"]*)"/.exec(input)?.[1] ?? '',
      ])
      return open(new URL(action, url).href, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          origin: new URL(url).origin,
          ...headers,
        },
        body: new URLSearchParams({ ...Object.fromEntries(fields), ...values }).toString(),
      })
    },
  }
}
