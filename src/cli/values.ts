import { InvalidArgumentError } from 'commander'

/** Reads an option that is a whole number from `least` to `most`. */
export function wholeNumber(least: number, most: number, unit = '') {
  return (text: string): number => {
    const number = Number(text)
    if (!/^\d+$/.test(text) || number < least || number > most)
      throw new InvalidArgumentError(
        `It takes a whole number${unit && ` of ${unit}`} from ${least} to ${most}.`,
      )
    return number
  }
}
