import type { Client } from "../client/index.ts";
import type { Clock, Random } from "../clock/index.ts";
import type { Logger } from "../controller/index.ts";
import type { FlightRecorder } from "../recorder/index.ts";

/** What a console gets of the manager that serves it. */
export interface ConsoleHost {
  /** The name of the pod or host. */
  readonly name: string;
  readonly recorder: FlightRecorder;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** A page about the operator: `consolePage()` of `@pintle/console`. */
export interface ConsoleEndpoint {
  /** Starts it; called once, before caches are filled. Resolves with nothing if its address is "0". */
  serve(host: ConsoleHost): Promise<{ readonly port: number; close(): Promise<void> } | undefined>;
}
