/** Bugs that the simulator must find. */
export const BUGS: Readonly<
  Record<
    string,
    {
      /** The profile that finds it. */
      readonly profile: string
      /** Logins within which it is found. */
      readonly logins: number
      readonly changes: readonly { readonly file: string; readonly text: string; readonly instead: string }[]
    }
  >
>
