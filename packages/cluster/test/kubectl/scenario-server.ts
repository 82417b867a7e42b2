import type { KubectlScenario } from "./scenario.ts";

export interface ScenarioServer extends AsyncDisposable {
  /** The path of a kubeconfig with all permissions. */
  readonly kubeconfig: string;
}

/** Starts a server for the scenarios that need the same kind of server. */
export type StartServer = (on: KubectlScenario["on"]) => Promise<ScenarioServer>;
