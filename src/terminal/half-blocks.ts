/** Draws dots as text. Two rows of dots make one line, so that a dot is roughly square. */
export function halfBlocks(rows: readonly (readonly boolean[])[]): string[] {
  const lines: string[] = []
  for (let row = 0; row < rows.length; row += 2) {
    const [upper = [], lower = []] = rows.slice(row, row + 2)
    lines.push(upper.map((dot, column) => block(dot, lower[column] ?? false)).join(''))
  }
  return lines
}

function block(upper: boolean, lower: boolean): string {
  if (upper) return lower ? '█' : '▀'
  return lower ? '▄' : ' '
}
