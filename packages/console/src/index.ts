/**
 * `@pintle/console`: the page that shows what an operator and its cluster do, and its server. `protocol.ts` has the JSON that they exchange.
 */
export type { SessionMode } from "./protocol.ts";
