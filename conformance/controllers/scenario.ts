import type { Client } from "pintle/client";

/** Where a scenario plays: a server with controllers, a scheduler and nodes, and a namespace of its own. */
export interface World {
  readonly client: Client;
  readonly namespace: string;
}

/** Something a user does, and how they see that it has come about. What is there then is compared. */
export interface Step {
  readonly name: string;
  act(world: World): Promise<unknown>;
  /** Asked again and again until it says true. */
  until(world: World): Promise<boolean>;
  /** Text of the objects that depends on which of two controllers was quicker, on a real cluster too. */
  readonly racy?: RegExp | undefined;
}

export interface Scenario {
  readonly name: string;
  /** Belongs to the sample that runs every time. */
  readonly sample?: boolean | undefined;
  /** Changes what all share: it plays when the others are done. */
  readonly alone?: boolean | undefined;
  readonly steps: readonly Step[];
  /** Reasons of events that depend on who was quicker. */
  readonly racyEvents?: readonly string[] | undefined;
}
