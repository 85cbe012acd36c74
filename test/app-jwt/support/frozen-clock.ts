/** 14 November 2023, 22:13:20 UTC, and 999 milliseconds: within the second, so that rounding shows. */
export const NOW = 1_700_000_000_999

export const frozenClock = { now: () => NOW }
