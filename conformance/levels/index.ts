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
  readonly missing: readonly Lack[];
  /** For people. */
  readonly text: string;
}

interface Result {
  readonly proof: Proof;
  /** Why it does not hold. */
  readonly why?: string;
}
/** What a level asks for and an operator does not do at all. */
export interface Lack {
  readonly level: Level;
  readonly why: string;
}

export interface Exceptions {
  readonly lacking?: readonly Lack[];
  /** What a level asks for and what is operated has no use for. */
  readonly exempt?: readonly Lack[];
}

export interface Levels {
  /** Runs it and notes what came of it; whatever it rejects with, so does this. */
  prove(proof: Proof): Promise<void>;
  verdict(): Verdict;
}

/** For proofs that are tests of their own. What does not apply is said, and asks for no proof. */
export function levels(operator: string, { lacking = [], exempt = [] }: Exceptions = {}): Levels {
  const results: Result[] = [];
  return {
    async prove(proof) {
      try {
        await proof.run();
        results.push({ proof });
      } catch (error) {
        results.push({ proof, why: error instanceof Error ? error.message : String(error) });
        throw error;
      }
    },
    verdict: () => verdict(operator, results, lacking, exempt),
  };
}

/** Runs all proofs, one after another, also those above a level that was missed. */
export async function levelOf(operator: string, proofs: readonly Proof[]): Promise<Verdict> {
  const told = levels(operator);
  for (const proof of [...proofs].sort((a, b) => a.level - b.level)) await told.prove(proof).catch(() => {});
  return told.verdict();
}

function verdict(operator: string, results: readonly Result[], lacking: readonly Lack[], exempt: readonly Lack[]): Verdict {
  const all = LEVELS.map((_, i) => (i + 1) as Level);
  const missing = all.flatMap((level): Lack[] => {
    const own = results.filter(({ proof }) => proof.level === level);
    const lacks = lacking.filter((each) => each.level === level);
    if (own.length + lacks.length === 0) return [{ level, why: "nothing was tried" }];
    return [...own.flatMap(({ proof, why }) => (why === undefined ? [] : [{ level, why: `${proof.shows}: ${why}` }])), ...lacks];
  });
  const reached = all.filter((level) => missing.every((each) => each.level > level)).at(-1) ?? 0;
  const lines = results.map(
    ({ proof, why }) => `  ${LEVELS[proof.level - 1]}: ${why === undefined ? "shown" : "NOT SHOWN"}: ${proof.shows}`,
  );
  for (const { level, why } of exempt) lines.push(`  ${LEVELS[level - 1]}: does not apply: ${why}`);
  const next = missing.filter(({ level }) => level === reached + 1);
  const end =
    next[0] === undefined ? "there is no higher one" : `not ${LEVELS[next[0].level - 1]}, because ${next.map(({ why }) => why).join("; ")}`;
  return { reached, missing, text: `${operator}: level ${reached === 0 ? "none" : LEVELS[reached - 1]}; ${end}\n${lines.join("\n")}` };
}
