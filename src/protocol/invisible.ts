/** Control and formatting characters: they would let a service write to the terminal that shows its words. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
