/** Bugs that the simulator must find: each with the profile that finds it, the logins within which it does, and how. */
export const BUGS: Readonly<
  Record<
    string,
    { readonly profile: string; readonly logins: number; readonly seed: string; readonly found: string }
  >
>
