import type { Client } from "pintle/client";

/** What a scenario uses: a client of a server with controllers, scheduler and nodes, and a namespace of its own. */
export interface ScenarioContext {
  readonly client: Client;
  readonly namespace: string;
}

/** An action of a user and the condition to wait for. The objects are compared afterwards. */
export interface ScenarioStep {
  readonly name: string;
  act(context: ScenarioContext): Promise<unknown>;
  /** Polled until it returns true. */
  until(context: ScenarioContext): Promise<boolean>;
  /** Matches text of objects that depends on the order of two controllers, also on a real cluster. */
  readonly raceDependent?: RegExp | undefined;
}

export interface Scenario {
  readonly name: string;
  /** True if the scenario is part of a sample run. */
  readonly sample?: boolean | undefined;
  /** True if it changes cluster-scoped objects that all share: it runs after the others. */
  readonly exclusive?: boolean | undefined;
  readonly steps: readonly ScenarioStep[];
  /** Reasons of events that depend on the order of controllers. */
  readonly raceDependentEvents?: readonly string[] | undefined;
}
