import { hostileBodies } from "./bodies.ts";
import { hostileDefinitions } from "./definitions.ts";
import type { HostileRequest } from "./hostile-request.ts";
import { hostilePatches } from "./patches.ts";
import { hostileRequestLines } from "./request-lines.ts";

/** All hostile requests, in the order in which they are sent. */
export const hostileRequests: readonly HostileRequest[] = [
  ...hostileBodies,
  ...hostilePatches,
  ...hostileRequestLines,
  ...hostileDefinitions,
];
