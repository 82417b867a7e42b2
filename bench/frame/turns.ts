/**
 * Lets sides take turns, so that whatever else the machine does hits all of them. Round -1 warms up and does not count; who begins
 * changes from round to round. A peer that fails is left out from then on and said so in `missing`; we must not fail.
 */
export async function turns<S extends { readonly name: string }, T>(
  sides: readonly S[],
  { repeats, missing }: { readonly repeats: number; readonly missing: Record<string, string> },
  one: (side: S, round: number) => Promise<T>,
): Promise<ReadonlyMap<string, readonly T[]>> {
  const rounds = new Map<string, T[]>();
  for (let round = -1; round < repeats; round++) {
    const first = Math.abs(round) % sides.length;
    for (const side of [...sides.slice(first), ...sides.slice(0, first)]) {
      if (missing[side.name] !== undefined) continue;
      try {
        const figures = await one(side, round);
        if (round >= 0) rounds.set(side.name, [...(rounds.get(side.name) ?? []), figures]);
      } catch (error) {
        if (side.name.startsWith("pintle")) throw error;
        missing[side.name] = `did not get through: ${error instanceof Error ? error.message : String(error)}`;
        console.log(`!!! ${side.name} ${missing[side.name]}`);
      }
    }
  }
  // In the order of the sides, not of who happened to begin.
  return new Map(sides.filter(({ name }) => rounds.has(name)).map(({ name }) => [name, rounds.get(name)!]));
}
