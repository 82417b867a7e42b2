import { rmSync } from "node:fs";
import { readState, stateFile } from "./state-file.ts";

/** A cluster that another process keeps up. */
export interface Running {
  readonly url: string;
  /** Asks it; gives back what it answers. */
  ask(verb: "stop" | "reset" | "snapshot", signal: AbortSignal): Promise<string>;
}

const PATIENCE = 2_000;

/** The cluster of a kubeconfig, if its process answers. What one that was killed left behind is taken away. */
export async function running(kubeconfig: string): Promise<Running | undefined> {
  const state = readState(kubeconfig);
  if (state === undefined) return undefined;
  const call = async (verb: string, signal: AbortSignal) => {
    const answer = await fetch(`${state.control}/${verb}`, { method: "POST", signal, headers: { authorization: `Bearer ${state.token}` } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text || `${answer.status}`);
    return text;
  };
  try {
    await call("ping", AbortSignal.timeout(PATIENCE));
  } catch {
    rmSync(stateFile(kubeconfig), { force: true });
    return undefined;
  }
  return { url: state.url, ask: call };
}
