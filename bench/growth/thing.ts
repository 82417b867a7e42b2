import { defineResource, z } from "pintle";

/** One of many kinds that are alike. */
export function thing(i: number) {
  return defineResource({
    group: "growth.example.com",
    version: "v1",
    kind: `Thing${i}`,
    plural: `thing${i}s`,
    spec: z.object({ size: z.int32().default(1) }),
    status: z.object({ seen: z.int32() }),
  });
}
