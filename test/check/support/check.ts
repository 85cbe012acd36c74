import { expect } from 'vitest'
import {
  type CheckOptions,
  checkService,
  createSandbox,
  type SandboxOptions,
} from '../../../src/testing/index.ts'
import { CLIENT_ID, type Fault, OTHER_CLIENT_ID, type SeenResponse } from './faults.ts'

/** What is special about a check. */
export interface Special {
  readonly options?: { readonly [Name in keyof CheckOptions]?: CheckOptions[Name] | undefined }
  readonly service?: { readonly [Name in keyof SandboxOptions]?: SandboxOptions[Name] | undefined }
}

/** Checks our service in virtual time, with a fault if given, and a user who decides at once. */
export async function check(fault: Fault = {}, { options = {}, service = {} }: Special = {}) {
  const sandbox = createSandbox({
    dialect: fault.dialect ?? 'github',
    clients: [
      { clientId: CLIENT_ID, name: 'App' },
      { clientId: OTHER_CLIENT_ID, name: 'Another app' },
    ],
    refreshTokens: { lifetime: 86_400 },
    ...service,
  } as SandboxOptions)
  const secrets: string[] = [CLIENT_ID]
  const shown: { readonly as: string; readonly issued: string }[] = []
  let issued = ''
  let approvals = 0

  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const { method = 'GET', body } = init
    const headers = new Headers(init.headers)
    const isJson = headers.get('content-type') === 'application/json'
    const token = headers.get('authorization')?.replace('Bearer ', '')
    const proof = headers.get('dpop') ?? undefined
    const sent = new URLSearchParams(isJson ? JSON.parse(String(body)) : String(body ?? ''))
    const { pathname: path, searchParams: query } = new URL(String(input))
    const request = { method, path, query, token, proof, sent, fields: new URLSearchParams(sent) }
    fault.before?.(request)
    const read = isJson ? JSON.stringify(Object.fromEntries(request.fields)) : request.fields.toString()
    const received = await sandbox.fetch(input, { ...init, ...(method === 'POST' && { body: read }) })
    const { status } = received
    const response: SeenResponse = { status, headers: received.headers, body: parse(await received.text()) }
    const { user_code, device_code, access_token, refresh_token } = Object(response.body)
    issued = user_code ?? issued
    secrets.push(...[device_code, access_token, refresh_token].filter(Boolean))
    fault.after?.(response, request)
    if (response.body?.user_code) shown.push({ as: response.body.user_code, issued })
    const text = typeof response.body === 'string' ? response.body : JSON.stringify(response.body)
    return new Response(text, response)
  }
  // Repeated user codes are distinguished by their order.
  const codeOf = (userCode: string, nth: number) => {
    const same = shown.filter((codes) => codes.as === userCode)
    return (same.at(nth) ?? same[0])?.issued
  }
  const report = await sandbox.run(
    checkService({
      ...sandbox.client,
      fetch,
      otherClientId: OTHER_CLIENT_ID,
      scopes: ['repo', 'gist'],
      resource: 'http://localhost/user',
      // Of repeated codes, the second ones are approved first, and then always the newest.
      approve: ({ userCode }) => sandbox.approve(codeOf(userCode, approvals++ === 0 ? 1 : -1)),
      deny: ({ userCode }) => sandbox.deny(codeOf(userCode, 3)),
      waitExpiry: true,
      ...options,
    } as CheckOptions),
  )
  const idsOf = (outcome: string) =>
    report.results.filter((result) => result.outcome === outcome).map(({ id }) => id)
  // Each result has a reason, except that nothing is reached without codes.
  if (!idsOf('failed').includes('codes'))
    for (const { detail } of report.results) expect(detail).not.toBe('the check did not reach it')
  return {
    report,
    sandbox,
    secrets,
    resultOf: (id: string) => report.results.find((result) => result.id === id),
    failed: idsOf('failed'),
    advised: idsOf('advised'),
    skipped: idsOf('not applicable'),
    unchecked: idsOf('not checked'),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
