/** The five levels an operator can reach, what of each was shown, and what it does not do at all. */
export const LEVELS = ["I Basic Install", "II Seamless Upgrades", "III Full Lifecycle", "IV Deep Insights", "V Auto Pilot"] as const;
export type Level = (typeof LEVELS)[number];

export interface Levels {
  /** Notes that this was tried, and runs it. Whatever throws was not shown. */
  shown(level: Level, proof: string, run: () => Promise<void>): Promise<void>;
  /** The highest level of which, and of all below, everything was shown and nothing is lacking; and why it is not the next. */
  reached(): { readonly level: Level | undefined; readonly whyNotHigher: readonly string[] };
}

/** `lacking`: what a level asks for and the operator does not do. */
export function levels(lacking: Readonly<Partial<Record<Level, readonly string[]>>>): Levels {
  const failed = new Map<Level, string[]>();
  const tried = new Set<Level>();
  const missing = (level: Level) => [
    ...(failed.get(level) ?? []),
    ...(lacking[level] ?? []),
    ...(tried.has(level) || lacking[level] !== undefined ? [] : ["nothing of it was tried"]),
  ];
  return {
    async shown(level, proof, run) {
      tried.add(level);
      try {
        await run();
      } catch (error) {
        failed.set(level, [...(failed.get(level) ?? []), `not shown: ${proof}`]);
        throw error;
      }
    },
    reached() {
      const next = LEVELS.findIndex((level) => missing(level).length > 0);
      const top = next < 0 ? LEVELS.length : next;
      return { level: LEVELS[top - 1], whyNotHigher: LEVELS[top] === undefined ? [] : missing(LEVELS[top]) };
    },
  };
}
