import type { Chapter } from "../../packages/cluster/test/kubectl/chapter.ts";
import type { Kubectl } from "../../packages/cluster/test/kubectl/kubectls.ts";

/** A chapter and who plays it. */
export interface Run {
  readonly kubectl: Kubectl;
  readonly chapter: Chapter;
}

/** Every kubectl plays everything. */
export function whole(kubectls: readonly Kubectl[], chapters: readonly Chapter[]): readonly Run[] {
  return kubectls.flatMap((kubectl) => chapters.map((chapter) => ({ kubectl, chapter })));
}

/** A third of the chapters, by kubectls in turn. Seeds that follow one another see every chapter, and soon every kubectl with it. */
export function third(kubectls: readonly Kubectl[], chapters: readonly Chapter[], seed: number): readonly Run[] {
  if (kubectls.length === 0) return [];
  const here = chapters.filter((_, index) => index % 3 === seed % 3);
  return here.map((chapter, index) => ({ kubectl: kubectls[(index + seed) % kubectls.length]!, chapter }));
}

/** One that needs nothing but an API server: a real one takes a while to start. */
export function quickest(runs: readonly Run[]): readonly Run[] {
  const alone = runs.filter(({ chapter }) => chapter.on === "api");
  return alone.toSorted((a, b) => a.chapter.steps.length - b.chapter.steps.length).slice(0, 1);
}

/** In lanes of so many, one after the other. */
export function lanes(runs: readonly Run[], width: number): readonly { readonly runs: readonly Run[] }[] {
  const count = Math.ceil(runs.length / width);
  return Array.from({ length: count }, (_, lane) => ({ runs: runs.slice(lane * width, (lane + 1) * width) }));
}

/** Runs of one kubectl on the same kind of server, which they share. */
export interface Ground {
  readonly minor: string;
  readonly on: Chapter["on"];
  readonly runs: readonly Run[];
}

export function grounds(runs: readonly Run[]): readonly Ground[] {
  const found = new Map<string, Ground>();
  for (const run of runs) {
    const [{ minor }, { on }] = [run.kubectl, run.chapter];
    const ground = found.get(`${minor} ${on}`);
    found.set(`${minor} ${on}`, { minor, on, runs: [...(ground?.runs ?? []), run] });
  }
  return [...found.values()];
}
