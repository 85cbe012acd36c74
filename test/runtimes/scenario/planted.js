/** The value of a secret, which must never be printed. */
export const PLANTED = 'planted-in-the-clear'

/** Printed before the secret, so that a search of empty output fails. */
export const PRINTED = 'here come secrets'
