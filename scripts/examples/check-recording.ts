import type { Controller, Fact, RunFact } from "pintle";
import { type CommitExplanation, createCausalIndex, explainCommit, formatExplanation } from "pintle/internal/recorder";
import { replayRun } from "pintle/testing";

export interface RecordingCheck {
  readonly commits: number;
  /** Commits that lead to no origin, explained as far as they are. */
  readonly unexplained: readonly string[];
  /** Number of passes that were replayed and compared. */
  readonly replayed: number;
  /** Why passes cannot be compared, with their number. */
  readonly marked: Readonly<Record<string, number>>;
  /** Passes that decided otherwise. */
  readonly changed: readonly string[];
}

/** Origins beside the requests of clients. */
const ORIGINS = new Set(["start", "timer", "external", "resync", "daemon"]);

/** Checks that a recording explains every commit after `since`, and that its runs can be replayed. */
export async function checkRecording(
  facts: readonly Fact[],
  history: readonly { readonly revision: number; readonly key: string }[],
  since: number,
  controllers: readonly Controller[],
): Promise<RecordingCheck> {
  const index = createCausalIndex(facts);
  const made = history.filter(({ revision }) => revision > since);
  const unexplained = made.flatMap(({ revision, key }) => {
    const explanation = explainCommit(index, revision);
    if (explanation === undefined) return [`r${revision} ${key} is not recorded`];
    return isExplained(explanation, since) ? [] : [formatExplanation(explanation)];
  });
  const names = new Set(controllers.map(({ name }) => name));
  const runs = facts.filter(
    (fact): fact is RunFact => fact.type === "run" && names.has(fact.controller) && fact.key !== "" && fact.result !== "running",
  );
  const changed: string[] = [];
  const marked: Record<string, number> = {};
  let replayed = 0;
  for (const { id, key } of runs) {
    const { passes } = await replayRun(controllers, facts, id);
    for (const { pass, incomparable, differences, digests } of passes) {
      if (incomparable !== undefined) {
        const reason = incomparable.replaceAll(/ [a-z0-9-]+\/[a-z0-9.-]+/g, "");
        marked[reason] = (marked[reason] ?? 0) + 1;
        continue;
      }
      replayed++;
      if (digests.recorded !== digests.replayed) changed.push(`run ${id} of ${key}, pass ${pass}: ${differences.join("; ")}`);
    }
  }
  return { commits: made.length, unexplained, replayed, marked, changed };
}

/** Whether all leaves are requests of clients, or other origins. */
function isExplained({ run, request, causes, otherCauses }: CommitExplanation, since: number): boolean {
  if (run === undefined) return request !== undefined;
  if (causes.length === 0 && otherCauses.length === 0) return run.causes.length > 0;
  const isOrigin = ({ event, object }: (typeof otherCauses)[number]) =>
    ORIGINS.has(event) || Number(object?.resourceVersion ?? Number.POSITIVE_INFINITY) <= since;
  return otherCauses.every(isOrigin) && causes.every((cause) => isExplained(cause, since));
}
