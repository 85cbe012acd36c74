/** Prefix of the keys of counts. A lost count starts again at zero, so a full store may drop counts. */
export const COUNT_PREFIX = 'limit:'

/** Prefixes of the records that a device code request creates. They cost an attacker nothing. */
export const USER_CODE_PREFIX = 'user-code:'
export const GRANT_PREFIX = 'grant:'
