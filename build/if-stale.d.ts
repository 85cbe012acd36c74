/** Builds the package, unless the last build is newer than every file that it is made of. */
export function buildIfStale(): void
