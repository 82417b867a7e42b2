/** Returns the candidate with the smallest edit distance, if it is at most two and less than half of the candidate's length. */
export function findClosestMatch(typed: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((word) => ({ word, off: editDistance(typed, word) }))
    .filter(({ word, off }) => off <= 2 && off < word.length / 2)
    .sort((a, b) => a.off - b.off);
  return best?.word;
}

/** Returns the Levenshtein distance of two words. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (letter === b[j] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}
