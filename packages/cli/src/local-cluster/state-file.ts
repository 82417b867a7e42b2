import { readFileSync, rmSync } from "node:fs";
import { writePrivateFile } from "pintle/internal/private-file";

/** Address and token of the process that runs a cluster. */
export interface ClusterState {
  readonly control: string;
  readonly token: string;
  readonly url: string;
}

/** The state file is next to the kubeconfig, which identifies the cluster. */
export const getStateFilePath = (kubeconfig: string) => `${kubeconfig}.cluster.json`;

export function writeState(kubeconfig: string, state: ClusterState): void {
  // The token allows stopping the cluster.
  writePrivateFile(getStateFilePath(kubeconfig), JSON.stringify(state));
}

export function readState(kubeconfig: string): ClusterState | undefined {
  try {
    return JSON.parse(readFileSync(getStateFilePath(kubeconfig), "utf8")) as ClusterState;
  } catch {
    return undefined;
  }
}

/** Removes the state file only if it has this token, so that the file of a newer cluster is kept. */
export function removeState(kubeconfig: string, token: string): void {
  if (readState(kubeconfig)?.token === token) rmSync(getStateFilePath(kubeconfig), { force: true });
}
