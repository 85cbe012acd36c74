/** CommonJS loads the package with `require`, or with `import()` as here, which every Node and TypeScript version allows. */
export async function everyEntry() {
  const { authorizeDevice } = await import('authgraph')
  const { createAppJwtSigner } = await import('authgraph/app-jwt')
  const { createApi } = await import('authgraph/auth')
  const { deviceAuthorization } = await import('authgraph/machines')
  const { octokitAuth } = await import('authgraph/octokit')
  const { createService } = await import('authgraph/service')
  return { authorizeDevice, createAppJwtSigner, createApi, deviceAuthorization, octokitAuth, createService }
}
