import { app, createApi, github, installation } from 'authgraph/auth'

/** The names of the repositories that an installation may access. */
export async function repositories(privateKey: string, provider = github()) {
  const octoApp = app({ appId: 12345, privateKey })
  const auth = installation({ app: octoApp, owner: 'octo-org' })
  const api = createApi({ auth, provider })
  const names: string[] = []
  const pages = api.paginate<{ name: string }>('/installation/repositories')
  for await (const { name } of pages) names.push(name)
  return names
}
