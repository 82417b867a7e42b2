import { z } from "pintle";

const size = z.int32().min(1).max(9).default(1).describe("Number of memcached pods.");
const image = z.string().min(1).default("memcached:1.6-alpine").describe("Container image of the pods.");
export const port = z.int32().min(1024).max(65_535).default(11_211).describe("Port of the pods.");
const bound = z.int32().min(1).max(9);
const autopilot = z
  .object({ min: bound.default(1).describe("Minimum size."), max: bound.default(9).describe("Maximum size.") })
  .optional()
  .describe("Lets the operator monitor the servers, replace hung ones, and change `size` within these bounds.");
export const status = z.object({
  nodes: z.array(z.string()).describe("Names of the pods, sorted."),
  replicas: z.int32().describe("Number of pods."),
  ready: z.int32().describe("Number of ready pods."),
  selector: z.string().describe("Label selector of the pods, for autoscalers."),
});

/** Fields that both versions share. */
export const commonFields = { size, image, autopilot };
