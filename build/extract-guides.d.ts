/** Writes the TypeScript blocks of the guides to files, where they are linted, type-checked and tested. */
export function extractGuides(): void
