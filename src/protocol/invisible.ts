/** Control and formatting characters. They could let a service write to the terminal that shows its text. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
