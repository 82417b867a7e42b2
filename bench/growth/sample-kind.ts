import { defineResource, z } from "pintle";

/** Defines one of many similar kinds. */
export function defineSampleKind(i: number) {
  return defineResource({
    group: "growth.example.com",
    version: "v1",
    kind: `Thing${i}`,
    plural: `thing${i}s`,
    spec: z.object({ size: z.int32().default(1) }),
    status: z.object({ observedSize: z.int32() }),
  });
}
