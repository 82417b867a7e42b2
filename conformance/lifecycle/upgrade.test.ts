import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkCrdUpgrade, formatCrdUpgradeProblems } from "@pintle/lifecycle";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createRandom } from "../apply/random.ts";
import { full, seed } from "../sampling.ts";
import { type MutableJson, mutateValue } from "./mutate-value.ts";
import { findModule } from "./published.ts";
import { findReference, Reference } from "./reference.ts";

type MutableDefinition = { [key: string]: MutableJson } & {
  metadata: { name: string };
  spec: { versions: { [key: string]: MutableJson }[] };
};

const file = findReference();
const CRDIFY = "sigs.k8s.io/crdify@v0.6.1-0.20260602124154-bb9957dbf465";

/** A schema with every keyword that a structural schema may have. */
const SCHEMA = {
  type: "object",
  description: "An op.",
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      minProperties: 1,
      properties: {
        size: { type: "integer", minimum: 1, maximum: 5, default: 3, format: "int32", multipleOf: 1 },
        mode: { type: "string", enum: ["a", "b"], pattern: "^[a-z]$", maxLength: 8, minLength: 1, nullable: true },
        ports: { type: "array", items: { type: "integer", maximum: 9 }, maxItems: 3, minItems: 1, "x-kubernetes-list-type": "atomic" },
        either: {
          type: "object",
          oneOf: [{ required: ["x"] }, { required: ["y"] }],
          properties: { x: { type: "string" }, y: { type: "string" } },
        },
        all: { allOf: [{ maxLength: 3 }], anyOf: [{ pattern: "a" }], not: { pattern: "b" } },
        map: { type: "object", additionalProperties: { type: "string" }, maxProperties: 4 },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-validations": [{ rule: "true" }] },
      },
    },
  },
};
const version = (name: string, served: boolean) => ({ name, served, storage: name === "v1", schema: { openAPIV3Schema: SCHEMA } });
const DEFINITION = {
  metadata: { name: "ops.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Op", plural: "ops" },
    versions: [version("v1alpha1", true), version("v1", true), version("v2", false)],
  },
  status: { storedVersions: ["v1alpha1", "v1"] },
} as unknown as MutableDefinition;
const WORDS: readonly MutableJson[] = [
  "a",
  "b",
  "string",
  "integer",
  "Cluster",
  "v1",
  "v1beta1",
  "",
  0,
  1,
  2,
  7,
  1.5,
  true,
  false,
  ["size"],
  {},
];

describe.runIf(file !== undefined)(`upgrades of CRDs, seed ${seed}`, () => {
  const reference = new Reference(file ?? "");
  afterAll(() => reference.stop());

  const compare = async (before: MutableDefinition, after: MutableDefinition): Promise<boolean | undefined> => {
    // Where the change made a value that is no CRD, Go cannot decode the question.
    const { error, panic } = await reference
      .ask({ op: "upgrade", old: sortKeys(before), new: after })
      .catch(() => ({ error: undefined, panic: "no CRD" }));
    if (panic !== undefined) return undefined;
    const ours = formatCrdUpgradeProblems(after.metadata.name, checkCrdUpgrade(before, after));
    expect({ before, after, error: normalize(ours) }).toEqual({ before, after, error: normalize(error ?? "") });
    return error === undefined;
  };

  test("the pairs that crdify publishes with its tests get the same verdict and text", async () => {
    const folder = join(findModule(CRDIFY), "test");
    const pairs = readdirSync(folder).filter(
      (name) => existsSync(join(folder, name, "old.yaml")) || existsSync(join(folder, name, "a.yaml")),
    );
    expect(pairs.length).toBeGreaterThanOrEqual(20);
    for (const pair of pairs) {
      const [before, after] = existsSync(join(folder, pair, "old.yaml")) ? ["old.yaml", "new.yaml"] : ["a.yaml", "b.yaml"];
      const read = (name: string) => parse(readFileSync(join(folder, pair, name), "utf8")) as MutableDefinition;
      await compare(read(before!), read(after!));
    }
  });

  test("changed CRDs get the same verdict and text", async () => {
    const random = createRandom(seed);
    let [safe, unsafe] = [0, 0];
    for (let i = 0; i < (full ? 20_000 : 1500); i++) {
      const before = random.chance(0.7) ? DEFINITION : mutate(DEFINITION, random);
      const verdict = await compare(before, mutate(before, random));
      if (verdict === true) safe++;
      if (verdict === false) unsafe++;
    }
    expect(safe).toBeGreaterThan(20);
    expect(unsafe).toBeGreaterThan(200);
  });
});

function mutate(definition: MutableDefinition, random: ReturnType<typeof createRandom>): MutableDefinition {
  return { ...definition, spec: mutateValue(definition.spec, WORDS, random) };
}

/** crdify compares the texts of defaults, and OLM decodes only the new CRD into sorted keys, so the order of the old keys would count. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, field]) => [key, sortKeys(field)]));
}

/** Results come out of Go maps in any order; changes without a rule, and schemas in messages, are shown by Go's own formatters. */
function normalize(text: string): readonly string[] {
  return text
    .replace(/^validating upgrade for CRD "[^"]*": /, "")
    .split(/\n(?=\S*: |v\S+ -> \S+: )/)
    .map((line) =>
      line
        .replace(/(unhandled changes found).*/s, "$1")
        .replace(/(oneOf: [a-zA-Z ]+): \[.*/s, "$1")
        .replace(/(new required fields: )\[(.*)\]/, (_, start: string, names: string) => start + names.split(" ").sort().join(" ")),
    )
    .sort();
}
