/** Bugs that the simulator must find: each with the profile that finds it, and the logins within which it does. */
export const BUGS: Readonly<Record<string, { readonly profile: string; readonly logins: number }>>
