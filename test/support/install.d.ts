/**
 * Installs the packages of a folder that has a lock file of its own, unless that has not changed since the last
 * installation.
 */
export function install(folder: string): void
