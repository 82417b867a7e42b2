import { z } from "pintle";

const size = z.int32().min(1).max(9).default(1).describe("How many memcached pods to run.");
const image = z.string().min(1).default("memcached:1.6-alpine").describe("The image they run.");
export const port = z.int32().min(1024).max(65_535).default(11_211).describe("The port they listen on.");
const bound = z.int32().min(1).max(9);
const autopilot = z
  .object({ min: bound.default(1).describe("Not less."), max: bound.default(9).describe("Not more.") })
  .optional()
  .describe("Lets the operator watch the servers themselves, replace one that hangs, and change `size` within these bounds.");
export const status = z.object({
  nodes: z.array(z.string()).describe("Names of the pods, sorted."),
  replicas: z.int32().describe("How many pods there are."),
  ready: z.int32().describe("How many of them are ready."),
  selector: z.string().describe("Selects these pods, for autoscalers."),
});

/** What both versions have under the same name. */
export const common = { size, image, autopilot };
