/** The value of a secret, which nothing that is printed may show. */
export const PLANTED = 'planted-in-the-clear'

/** What is printed before it, so that a look at nothing does not pass. */
export const PRINTED = 'here come secrets'
