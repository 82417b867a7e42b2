import type { Chapter } from "../../packages/cluster/test/kubectl/chapter.ts";
import type { Kubectl } from "../../packages/cluster/test/kubectl/kubectls.ts";
import { type Played, play } from "../../packages/cluster/test/kubectl/play.ts";
import type { Start } from "./server.ts";

/** Plays chapters with one kubectl, in order, on a fresh server for those that need the same kind of one. */
export async function perform(
  start: Start,
  kubectl: Kubectl,
  chapters: readonly Chapter[],
  seen: (chapter: Chapter, played: readonly Played[]) => void,
) {
  for (const on of ["api", "cluster"] as const) {
    const here = chapters.filter((chapter) => chapter.on === on);
    if (here.length === 0) continue;
    await using server = await start(on);
    for (const chapter of here) seen(chapter, await play(chapter, kubectl, server.kubeconfig));
  }
}
