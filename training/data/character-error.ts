/** Edits that turn one text into another, for each character of the expected one; white space counts as one blank. */
export function characterError(found: string, expected: string): number {
  const [one, other] = [found, expected].map((text) => [...text.replace(/\s+/g, ' ').trim()]) as [
    string[],
    string[],
  ];
  let before = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, letter] of one.entries()) {
    const now = [row + 1];
    for (const [column, wanted] of other.entries())
      now.push(
        Math.min(
          (before[column + 1] ?? 0) + 1,
          (now[column] ?? 0) + 1,
          (before[column] ?? 0) + (letter === wanted ? 0 : 1),
        ),
      );
    before = now;
  }
  return (before[other.length] ?? 0) / Math.max(1, other.length);
}
