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

/** The options of a function, and the properties of an interface. */
const LIST =
  /(?<=<ul class="tsd-parameters">)(?:(?!<ul class="tsd-parameters">).)*(?=<\/ul><\/li><\/ul>)|<section class="tsd-panel tsd-member">.*<\/section>(?=\s*<\/section>\s*<\/details>)/s
const NAME = /(?<=id="option-|<span class="tsd-kind-(?:property|method)">)\w+/

/** Begins a long list of options with those that most programs use, and puts the others into groups to open. @param {string} html */
export function groupOptions(html) {
  return html.replace(LIST, (list) => {
    const [begin, group, inside] = list.startsWith('<section')
      ? ['<section class="tsd-panel tsd-member">', 'section', 'div']
      : ['<li class="tsd-parameter">', 'li', 'ul']
    const options = new Map(list.split(begin).map((item) => [NAME.exec(item)?.[0] ?? '', begin + item]))
    options.delete('')
    if (options.size < 10) return list
    const groups = Object.entries(options.has('issueToken') ? OF_THE_SERVICE : OF_A_LOGIN)
    const take = (/** @type {string[]} */ names) => {
      const taken = names.filter((name) => options.has(name))
      const items = taken.map((name) => options.get(name) ?? '')
      for (const name of taken) options.delete(name)
      return { taken, items }
    }
    const first = take(FIRST).items
    const others = groups.flatMap(([heading, names]) => {
      const { taken, items } = take(names)
      if (taken.length < 2) return items
      const id = heading.toLowerCase().replaceAll(' ', '-')
      const below = items.join('').replaceAll(/(<\/?h)3\b/g, '$14')
      return `<${group}><details class="group"><summary><h3 id="${id}">${heading}</h3> <code>${taken.join(', ')}</code></summary><${inside}>${below}</${inside}></details></${group}>`
    })
    return [...first, ...options.values(), ...others].join('')
  })
}
