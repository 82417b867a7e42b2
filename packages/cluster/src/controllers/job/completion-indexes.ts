/** A set of completion indexes, written as "0-2,5". */
export type CompletionIndexes = ReadonlySet<number>;

export function parseIndexes(text: string | undefined): CompletionIndexes {
  const found = new Set<number>();
  for (const part of (text ?? "").split(",").filter((each) => each !== "")) {
    const [first = 0, last = first] = part.split("-").map(Number);
    for (let i = first; i <= last; i++) found.add(i);
  }
  return found;
}

export function formatIndexes(indexes: CompletionIndexes): string {
  const sorted = [...indexes].sort((a, b) => a - b);
  const ranges: [first: number, last: number][] = [];
  for (const index of sorted) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] === index - 1) range[1] = index;
    else ranges.push([index, index]);
  }
  // A range of two is written as two numbers.
  return ranges
    .map(([first, last]) => (first === last ? `${first}` : last === first + 1 ? `${first},${last}` : `${first}-${last}`))
    .join(",");
}
