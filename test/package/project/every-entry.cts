/** CommonJS loads the package by `require`, or like this, which every version of Node and TypeScript allows. */
export async function everyEntry() {
  const { authorizeDevice } = await import('authgraph')
  const { createAppJwtSigner } = await import('authgraph/app-jwt')
  const { createApi } = await import('authgraph/auth')
  const { deviceAuthorization } = await import('authgraph/machines')
  const { createService } = await import('authgraph/service')
  return { authorizeDevice, createAppJwtSigner, createApi, deviceAuthorization, createService }
}
