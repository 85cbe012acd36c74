const WORDS: Readonly<Record<string, string>> = {
  repo: 'Read and change all your repositories, public and private',
  'repo:status': 'Read and set the status of commits',
  'repo:invite': 'Accept and decline invitations to repositories',
  repo_deployment: 'Read and change deployments',
  public_repo: 'Read and change your public repositories',
  security_events: 'Read and change security alerts',
  delete_repo: 'Delete your repositories',
  'admin:repo_hook': 'Manage the webhooks of your repositories',
  'write:repo_hook': 'Add and change the webhooks of your repositories',
  'read:repo_hook': 'See the webhooks of your repositories',
  'admin:org': 'Manage your organizations, their teams and members',
  'write:org': 'Change memberships, teams and projects of your organizations',
  'read:org': 'See your organizations, their teams and members',
  'admin:org_hook': 'Manage the webhooks of your organizations',
  'admin:public_key': 'Manage your SSH keys',
  'write:public_key': 'Add SSH keys to your account',
  'read:public_key': 'See your SSH keys',
  'admin:gpg_key': 'Manage your GPG keys',
  'write:gpg_key': 'Add GPG keys to your account',
  'read:gpg_key': 'See your GPG keys',
  'admin:ssh_signing_key': 'Manage your SSH keys for signing',
  'write:ssh_signing_key': 'Add SSH keys for signing to your account',
  'read:ssh_signing_key': 'See your SSH keys for signing',
  gist: 'Create and change gists',
  notifications: 'Read your notifications and mark them as read',
  user: 'Read and change your profile',
  'read:user': 'Read your profile',
  'user:email': 'See your email addresses',
  'user:follow': 'Follow and unfollow people for you',
  project: 'Read and change your projects',
  'read:project': 'See your projects',
  'write:packages': 'Publish packages',
  'read:packages': 'Download packages',
  'delete:packages': 'Delete packages',
  codespace: 'Create and manage codespaces',
  workflow: 'Change the files of automated workflows',
  'read:audit_log': 'Read the audit log',
  openid: 'Know who you are',
  profile: 'Read your profile',
  email: 'See your email address',
  offline_access: 'Keep its access while you are away',
}

/** Well-known scopes that only let a client see who the user is. */
const IDENTIFYING = new Set(['openid', 'profile', 'email', 'offline_access', 'read:user', 'user:email'])

/** Well-known scopes with broad access that their names do not show. */
const FAR_REACHING = new Set([
  ...['repo', 'user', 'workflow', 'write:org', 'write:public_key', 'api', 'root'],
  ...['https://www.googleapis.com/auth/cloud-platform', 'https://mail.google.com/'],
])

/** Matches the names of scopes that delete, administer, or act with all rights of the user. */
const RISKY =
  /admin|delete|destroy|remove|purge|wipe|owner|sudo|super.?user|impersonat|as.?user|full.?(?:access|control)/i

/** Words in the names of scopes that mean everything, and words that mean changing it. */
const EVERYTHING = /^(?:all|any|everything|\*)$/
const CHANGES = /write|manage|modify|update|edit|change|^rw$/

/**
 * Whether a scope lets a client delete, administer, or write to everything, judging by its name. The default page marks
 * such scopes and lists them first.
 */
export function isRiskyScope(scope: string): boolean {
  return FAR_REACHING.has(scope) || RISKY.test(scope) || changesEverything(scope)
}

export function isIdentifyingScope(scope: string): boolean {
  return IDENTIFYING.has(scope)
}

function changesEverything(scope: string): boolean {
  const words = scope
    .replace(/([a-z])(?=[A-Z])/g, '$1 ')
    .toLowerCase()
    .split(/[^a-z*]+/)
  const others = words.filter((word) => !EVERYTHING.test(word))
  return others.length < words.length && (others.length === 0 || others.some((word) => CHANGES.test(word)))
}

/**
 * Describes a well-known scope, such as `Read your profile` for `read:user`. Returns `undefined` for any other scope.
 */
export function describeScope(scope: string): string | undefined {
  return Object.hasOwn(WORDS, scope) ? WORDS[scope] : undefined
}
