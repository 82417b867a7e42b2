/** Defines `count` kinds with `parts` nested objects each, generates their CRDs as YAML and prints the size in bytes. */
import { crdToYaml, defineResource, listMap, z } from "pintle";
import { createSampleKinds } from "./sample-kinds.ts";

const [count = 0, parts = 0] = process.argv.slice(2).map(Number);
let bytes = 0;
for (const { name, plural, parts: fields } of createSampleKinds(count, parts)) {
  const part = z.object({
    size: z.int32().min(1).max(9).default(1).describe("Number of instances."),
    image: z.string().min(1).describe("Container image."),
    policy: z.enum(["Always", "Never", "Sometimes"]),
    enabled: z.boolean().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    arguments: z.array(z.string()).optional(),
    zone: z
      .string()
      .regex(/^[a-z]+$/)
      .optional(),
    ports: listMap(z.object({ name: z.string(), port: z.int32() }), "name").optional(),
  });
  const resource = defineResource({
    group: "large.example.com",
    version: "v1",
    kind: name,
    plural,
    spec: z.object(Object.fromEntries(fields.map((field) => [field, part]))),
    status: z.object({ ready: z.int32() }),
    conditions: ["Ready"],
  });
  bytes += Buffer.byteLength(await crdToYaml(resource));
}
console.log(bytes);
