import type { Chapter } from "./chapter.ts";

export interface Server extends AsyncDisposable {
  /** The path of a kubeconfig with all rights. */
  readonly kubeconfig: string;
}

/** Starts a server of its own for chapters that need the same kind of one. */
export type Start = (on: Chapter["on"]) => Promise<Server>;
