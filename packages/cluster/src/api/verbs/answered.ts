import type { JsonObject } from "pintle/kinds";

/** What a verb has to say, before it becomes an answer. */
export interface Answered {
  readonly status: number;
  readonly value: JsonObject;
}
