/** Our side: defines so many kinds and makes their definitions as YAML; says how many bytes those are. */
import { crdYaml, defineResource, listMap, z } from "pintle";
import { kinds } from "./schemas.ts";

const [count = 0, parts = 0] = process.argv.slice(2).map(Number);
let bytes = 0;
for (const { name, plural, parts: fields } of kinds(count, parts)) {
  const part = z.object({
    size: z.int32().min(1).max(9).default(1).describe("How many there are."),
    image: z.string().min(1).describe("The image they run."),
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
  bytes += Buffer.byteLength(await crdYaml(resource));
}
console.log(bytes);
