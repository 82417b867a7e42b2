/**
 * Measures the sides in turn, round by round, so that other load on the machine affects all of them. Round -1 is a warm-up whose figures are
 * discarded; each round starts with another side. A peer that fails is added to `missing` and skipped from then on; a failure of pintle
 * is thrown.
 */
export async function runRounds<Side extends { readonly name: string }, T>(
  sides: readonly Side[],
  { repeats, missing }: { readonly repeats: number; readonly missing: Record<string, string> },
  measure: (side: Side, round: number) => Promise<T>,
): Promise<ReadonlyMap<string, readonly T[]>> {
  const rounds = new Map<string, T[]>();
  for (let round = -1; round < repeats; round++) {
    const first = Math.abs(round) % sides.length;
    for (const side of [...sides.slice(first), ...sides.slice(0, first)]) {
      if (missing[side.name] !== undefined) continue;
      try {
        const figures = await measure(side, round);
        if (round >= 0) rounds.set(side.name, [...(rounds.get(side.name) ?? []), figures]);
      } catch (error) {
        if (side.name.startsWith("pintle")) throw error;
        missing[side.name] = `failed: ${error instanceof Error ? error.message : String(error)}`;
        console.log(`!!! ${side.name} ${missing[side.name]}`);
      }
    }
  }
  // In the order of `sides`, whichever side started.
  return new Map(sides.filter(({ name }) => rounds.has(name)).map(({ name }) => [name, rounds.get(name)!]));
}
