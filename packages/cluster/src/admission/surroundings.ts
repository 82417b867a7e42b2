import type { Random } from "pintle/queue";
import type { Authorizer } from "../api/index.ts";
import type { Store } from "../store/index.ts";
import type { Caller } from "./call/caller.ts";

/** What webhooks and policies work with. */
export interface Surroundings {
  readonly store: Store;
  readonly caller: Caller;
  readonly authorizer: Authorizer;
  /** For uids of reviews, whose values do not matter. */
  readonly jitter: Random;
}
