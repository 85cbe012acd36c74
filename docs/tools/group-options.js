// @ts-check

/** The options that a list begins with, in this order. */
const FIRST = [
  'clientId',
  'clients',
  'store',
  'provider',
  'scopes',
  'onCodes',
  'signal',
  'authUrl',
  'identify',
  'issueToken',
  'refreshTokens',
]

/** Headings of the other options. The first one that has an option counts. @type {Record<string, string[]>} */
const OF_A_LOGIN = {
  'What the provider expects': ['clientAuthentication', 'resource', 'audience', 'parameters', 'pkce', 'dpop'],
  'Stored logins': ['name', 'data', 'minValidity'],
  'Requests and time': ['fetch', 'clock', 'random', 'inspect'],
}

/** @type {Record<string, string[]>} */
const OF_THE_SERVICE = {
  'Who can log in and call': [
    'registration',
    'clientIdMetadataDocuments',
    'resources',
    'users',
    'personalTokens',
    'apps',
  ],
  'The verification page': ['page', 'secret'],
  'Codes and polls': ['dialect', 'expiresIn', 'interval', 'leeway', 'firstPoll', 'policy'],
  Tokens: ['keys', 'accessToken', 'audience', 'verifyToken', 'dpop'],
  'Addresses and limits': ['baseUrl', 'clientAddress', 'limits', 'allowHttp'],
  'Logs and events': ['onEvent', 'onResponse', 'onError', 'onWarning'],
  'Metadata and tests': ['openidConfiguration', 'authorizationEndpoint', 'api', 'clock', 'time'],
}

const LIST = /(<ul class="tsd-parameters">)((?:(?!<ul class="tsd-parameters">).)*)(<\/ul><\/li><\/ul>)/s

/** Begins a long list of options with those that most programs use, and puts the others into groups to open. @param {string} html */
export function groupOptions(html) {
  return html.replace(LIST, (list, start, items, end) => {
    const options = new Map(
      items.split(/(?=<li class="tsd-parameter">)/).flatMap((/** @type {string} */ item) => {
        const name = /id="option-(\w+)"/.exec(item)?.[1]
        return name === undefined ? [] : [[name, item]]
      }),
    )
    if (options.size < 10) return list
    const groups = Object.entries(options.has('issueToken') ? OF_THE_SERVICE : OF_A_LOGIN)
    const take = (/** @type {string[]} */ names) =>
      names.flatMap((name) => {
        const item = options.get(name)
        options.delete(name)
        return item === undefined ? [] : [item]
      })
    const first = take(FIRST)
    const others = groups.flatMap(([heading, names]) => {
      const taken = take(names)
      if (taken.length < 2) return taken
      const id = heading.toLowerCase().replaceAll(' ', '-')
      const below = taken.map((item) => item.replaceAll(/(<\/?h)3\b/g, '$14')).join('')
      const listed = names.filter((name) => below.includes(`id="option-${name}"`)).join(', ')
      return `<li><details class="group"><summary><h3 id="${id}">${heading}</h3> <code>${listed}</code></summary><ul>${below}</ul></details></li>`
    })
    return start + [...first, ...options.values(), ...others].join('') + end
  })
}
