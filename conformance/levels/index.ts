/**
 * Operator capability levels, proven by tests. Input: proofs, each of one level; output: the level reached, and the reasons why it is not
 * a higher one. A level is reached when every proof of it, and of all levels below it, holds.
 */
export const LEVELS = ["I Basic Install", "II Seamless Upgrades", "III Full Lifecycle", "IV Deep Insights", "V Auto Pilot"] as const;
export type Level = 1 | 2 | 3 | 4 | 5;

export interface Proof {
  readonly level: Level;
  /** What the proof demonstrates: "a backup is restored". */
  readonly statement: string;
  /** Rejects with the reason when it does not hold. */
  run(): Promise<void>;
}

export interface Verdict {
  /** 0: not even level 1. */
  readonly reached: 0 | Level;
  /** Proofs that failed, and capabilities that have no proof. */
  readonly missing: readonly MissingCapability[];
  /** Human-readable summary. */
  readonly text: string;
}

interface ProofResult {
  readonly proof: Proof;
  /** Why the proof failed; undefined if it holds. */
  readonly failure?: string;
}
/** A capability that a level requires and the operator does not have. */
export interface MissingCapability {
  readonly level: Level;
  readonly reason: string;
}

export interface LevelExceptions {
  readonly lacking?: readonly MissingCapability[];
  /** Capabilities that a level requires but that do not apply to the operand. */
  readonly exempt?: readonly MissingCapability[];
}

export interface LevelCheck {
  /** Runs a proof and records the outcome; rejects with the error of the proof. */
  prove(proof: Proof): Promise<void>;
  verdict(): Verdict;
}

/** Collects the outcomes of proofs that run as separate tests. Exempt capabilities are listed and need no proof. */
export function createLevelCheck(operator: string, { lacking = [], exempt = [] }: LevelExceptions = {}): LevelCheck {
  const results: ProofResult[] = [];
  return {
    async prove(proof) {
      try {
        await proof.run();
        results.push({ proof });
      } catch (error) {
        results.push({ proof, failure: error instanceof Error ? error.message : String(error) });
        throw error;
      }
    },
    verdict: () => buildVerdict(operator, results, lacking, exempt),
  };
}

/** Runs all proofs, one after another, including those above a level that was missed. */
export async function measureLevel(operator: string, proofs: readonly Proof[]): Promise<Verdict> {
  const check = createLevelCheck(operator);
  for (const proof of [...proofs].sort((a, b) => a.level - b.level)) await check.prove(proof).catch(() => {});
  return check.verdict();
}

function buildVerdict(
  operator: string,
  results: readonly ProofResult[],
  lacking: readonly MissingCapability[],
  exempt: readonly MissingCapability[],
): Verdict {
  const all = LEVELS.map((_, i) => (i + 1) as Level);
  const missing = all.flatMap((level): MissingCapability[] => {
    const ofLevel = results.filter(({ proof }) => proof.level === level);
    const lackingInLevel = lacking.filter((capability) => capability.level === level);
    if (ofLevel.length + lackingInLevel.length === 0) return [{ level, reason: "no proof was run" }];
    return [
      ...ofLevel.flatMap(({ proof, failure }) => (failure === undefined ? [] : [{ level, reason: `${proof.statement}: ${failure}` }])),
      ...lackingInLevel,
    ];
  });
  const reached = all.filter((level) => missing.every((each) => each.level > level)).at(-1) ?? 0;
  const lines = results.map(
    ({ proof, failure }) => `  ${LEVELS[proof.level - 1]}: ${failure === undefined ? "passed" : "FAILED"}: ${proof.statement}`,
  );
  for (const { level, reason } of exempt) lines.push(`  ${LEVELS[level - 1]}: does not apply: ${reason}`);
  const next = missing.filter(({ level }) => level === reached + 1);
  const end =
    next[0] === undefined
      ? "this is the highest level"
      : `not ${LEVELS[next[0].level - 1]}, because ${next.map(({ reason }) => reason).join("; ")}`;
  return { reached, missing, text: `${operator}: level ${reached === 0 ? "none" : LEVELS[reached - 1]}; ${end}\n${lines.join("\n")}` };
}
