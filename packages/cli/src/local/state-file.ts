import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Where a cluster that runs can be spoken to. */
export interface State {
  readonly control: string;
  readonly token: string;
  readonly url: string;
}

/** Beside the kubeconfig, by which people name a cluster. */
export const stateFile = (kubeconfig: string) => `${kubeconfig}.cluster.json`;

export function writeState(kubeconfig: string, state: State): void {
  const file = stateFile(kubeconfig);
  mkdirSync(path.dirname(file), { recursive: true });
  // Whoever knows the token may stop the cluster.
  writeFileSync(file, JSON.stringify(state), { mode: 0o600 });
}

export function readState(kubeconfig: string): State | undefined {
  try {
    return JSON.parse(readFileSync(stateFile(kubeconfig), "utf8")) as State;
  } catch {
    return undefined;
  }
}

/** Only one's own, so that a cluster that took the place over keeps its file. */
export function removeState(kubeconfig: string, token: string): void {
  if (readState(kubeconfig)?.token === token) rmSync(stateFile(kubeconfig), { force: true });
}
