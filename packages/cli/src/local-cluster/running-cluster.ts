import { rmSync } from "node:fs";
import { CommandError } from "../command/index.ts";
import { getStateFilePath, readState } from "./state-file.ts";

/** A cluster that another process runs. */
export interface RunningCluster {
  readonly url: string;
  /** Sends a request to the process and resolves with its response. */
  request(verb: "stop" | "reset" | "snapshot" | `why?${string}`, signal: AbortSignal): Promise<string>;
}

/** A cluster that starts many objects on a busy machine may respond late. */
const PING_TIMEOUT_MS = 15_000;

/** Returns the cluster of a kubeconfig if its process responds. Removes the state file of a process that is gone. */
export async function findRunningCluster(kubeconfig: string): Promise<RunningCluster | undefined> {
  const state = readState(kubeconfig);
  if (state === undefined) return undefined;
  const call = async (verb: string, signal: AbortSignal) => {
    const response = await fetch(`${state.control}/${verb}`, {
      method: "POST",
      signal,
      headers: { authorization: `Bearer ${state.token}` },
    });
    const text = await response.text();
    if (!response.ok)
      throw new CommandError("PINTLE7095", text || `the process of the cluster responded with HTTP status ${response.status}`);
    return text;
  };
  try {
    await call("ping", AbortSignal.timeout(PING_TIMEOUT_MS));
  } catch (error) {
    if ((error as Error).name !== "TimeoutError") rmSync(getStateFilePath(kubeconfig), { force: true });
    return undefined;
  }
  return { url: state.url, request: call };
}
