import type { Kubectl } from "../../packages/cluster/test/kubectl/kubectls.ts";
import type { KubectlScenario } from "../../packages/cluster/test/kubectl/scenario.ts";

/** A chapter and the kubectl that runs it. */
export interface ChapterRun {
  readonly kubectl: Kubectl;
  readonly chapter: KubectlScenario;
}

/** Returns every chapter with every kubectl. */
export function allRuns(kubectls: readonly Kubectl[], chapters: readonly KubectlScenario[]): readonly ChapterRun[] {
  return kubectls.flatMap((kubectl) => chapters.map((chapter) => ({ kubectl, chapter })));
}

/** Returns a third of the chapters, alternating kubectls. Consecutive seeds cover every chapter, and over time every kubectl with it. */
export function sampleRuns(kubectls: readonly Kubectl[], chapters: readonly KubectlScenario[], seed: number): readonly ChapterRun[] {
  if (kubectls.length === 0) return [];
  const here = chapters.filter((_, index) => index % 3 === seed % 3);
  return here.map((chapter, index) => ({ kubectl: kubectls[(index + seed) % kubectls.length]!, chapter }));
}

/** Selects one short run that needs only an API server, because a full control plane takes longer to start. */
export function selectQuickestRun(runs: readonly ChapterRun[]): readonly ChapterRun[] {
  const alone = runs.filter(({ chapter }) => chapter.on === "api");
  return alone.toSorted((a, b) => a.chapter.steps.length - b.chapter.steps.length).slice(0, 1);
}

/** Splits the runs into chunks of `width`, which execute one after the other. */
export function chunkRuns(runs: readonly ChapterRun[], width: number): readonly { readonly runs: readonly ChapterRun[] }[] {
  const count = Math.ceil(runs.length / width);
  return Array.from({ length: count }, (_, index) => ({ runs: runs.slice(index * width, (index + 1) * width) }));
}

/** Runs of one kubectl on the same kind of server, which they share. */
export interface ServerRuns {
  readonly minor: string;
  readonly on: KubectlScenario["on"];
  readonly runs: readonly ChapterRun[];
}

export function groupByServer(runs: readonly ChapterRun[]): readonly ServerRuns[] {
  const found = new Map<string, ServerRuns>();
  for (const run of runs) {
    const [{ minor }, { on }] = [run.kubectl, run.chapter];
    const group = found.get(`${minor} ${on}`);
    found.set(`${minor} ${on}`, { minor, on, runs: [...(group?.runs ?? []), run] });
  }
  return [...found.values()];
}
