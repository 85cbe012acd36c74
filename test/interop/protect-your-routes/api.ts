import { AccessError, createVerifier } from 'authgraph/oidc'

const { requireToken } = createVerifier({
  issuer: 'https://login.example.com',
  resource: 'https://api.example.com',
})
const gate = requireToken({ scopes: ['profile'] })

export async function api(request: Request): Promise<Response> {
  try {
    const { user } = await gate(request)
    return Response.json({ user })
  } catch (error) {
    if (error instanceof AccessError) return error.getResponse()
    throw error
  }
}
