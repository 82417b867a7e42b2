/**
 * Capability levels, proven instead of claimed. In come proofs, each of one level; out comes the level that was reached, and why it is
 * not a higher one. A level is reached when every proof of it, and of all below it, holds.
 */
export const LEVELS = ["I Basic Install", "II Seamless Upgrades", "III Full Lifecycle", "IV Deep Insights", "V Auto Pilot"] as const;
export type Level = 1 | 2 | 3 | 4 | 5;

export interface Proof {
  readonly level: Level;
  /** What is shown: "a backup is restored". */
  readonly shows: string;
  /** Rejects with the reason when it does not hold. */
  run(): Promise<void>;
}

export interface Verdict {
  /** 0: not even the first. */
  readonly reached: 0 | Level;
  /** What did not hold, and what no proof was given for. */
  readonly missing: readonly { readonly level: Level; readonly why: string }[];
  /** For people. */
  readonly text: string;
}

/** Runs all proofs, one after another, also those above a level that was missed. */
export async function levelOf(operator: string, proofs: readonly Proof[]): Promise<Verdict> {
  const results: { readonly proof: Proof; readonly why?: string }[] = [];
  for (const proof of [...proofs].sort((a, b) => a.level - b.level)) {
    try {
      await proof.run();
      results.push({ proof });
    } catch (error) {
      results.push({ proof, why: error instanceof Error ? error.message : String(error) });
    }
  }
  return verdict(operator, results);
}

function verdict(operator: string, results: readonly { readonly proof: Proof; readonly why?: string }[]): Verdict {
  const all = LEVELS.map((_, i) => (i + 1) as Level);
  const missing = all.flatMap((level) => {
    const own = results.filter(({ proof }) => proof.level === level);
    if (own.length === 0) return [{ level, why: "nothing was tried" }];
    return own.flatMap(({ proof, why }) => (why === undefined ? [] : [{ level, why: `${proof.shows}: ${why}` }]));
  });
  const reached = all.filter((level) => missing.every((each) => each.level > level)).at(-1) ?? 0;
  const lines = results.map(
    ({ proof, why }) => `  ${LEVELS[proof.level - 1]}: ${why === undefined ? "shown" : "NOT SHOWN"}: ${proof.shows}`,
  );
  const next = missing.find(({ level }) => level === reached + 1);
  const end = next === undefined ? "there is no higher one" : `not ${LEVELS[next.level - 1]}, because ${next.why}`;
  return { reached, missing, text: `${operator}: level ${reached === 0 ? "none" : LEVELS[reached - 1]}; ${end}\n${lines.join("\n")}` };
}
