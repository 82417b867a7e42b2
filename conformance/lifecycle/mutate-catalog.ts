import type { Random } from "../apply/random.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Blobs = { [key: string]: Json }[];

const bundle = (name: string, version: string): Blobs[number] => ({
  schema: "olm.bundle",
  name,
  package: "op",
  image: `registry.example.com/op:${version}`,
  properties: [
    { type: "olm.package", value: { packageName: "op", version } },
    { type: "olm.gvk", value: { group: "example.com", version: "v1", kind: "Op" } },
    { type: "example.com/own", value: [1] },
  ],
  relatedImages: [
    { name: "operand", image: "example.com/operand@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" },
  ],
});

/** A catalog without problems, with every feature that has rules. */
export const VALID_CATALOG: Blobs = [
  { schema: "olm.package", name: "op", defaultChannel: "stable", icon: { base64data: "AAAA", mediatype: "image/png" } },
  {
    schema: "olm.channel",
    name: "stable",
    package: "op",
    entries: [
      { name: "op.v1.0.0" },
      { name: "op.v1.1.0", replaces: "op.v1.0.0", skipRange: ">=0.1.0 <1.1.0" },
      { name: "op.v2.0.0", replaces: "op.v1.1.0", skips: ["op.v1.5.0"] },
      { name: "op.v1.5.0", replaces: "op.v1.1.0" },
    ],
  },
  { schema: "olm.channel", name: "alpha", package: "op", entries: [{ name: "op.v2.0.0" }] },
  ...["1.0.0", "1.1.0", "1.5.0", "2.0.0"].map((version) => bundle(`op.v${version}`, version)),
  {
    schema: "olm.deprecations",
    package: "op",
    entries: [
      { reference: { schema: "olm.bundle", name: "op.v1.0.0" }, message: "old" },
      { reference: { schema: "olm.channel", name: "alpha" }, message: "unstable" },
      { reference: { schema: "olm.package" }, message: "moved" },
    ],
  },
];

/** Strings that mean something somewhere in a catalog. */
const WORDS = [
  ...["", "op", "other", "stable", "alpha", "op.v1.0.0", "op.v1.1.0", "op.v1.5.0", "op.v2.0.0", "op.v9.9.9", "olm.package", "olm.channel"],
  ...[
    "olm.bundle",
    "olm.deprecations",
    "olm.bundle.object",
    "olm.csv.metadata",
    "my.schema",
    "1.0.0",
    "1.1.0",
    "2.0.0+1",
    "1.0",
    ">=1.0.0",
    "broken",
  ],
  ...[
    "Upper_Case",
    "-a",
    "a".repeat(70),
    "example.com/UPPER:tag",
    "example.com/a@sha256:abc",
    "a:b:c",
    "localhost/a",
    "a//b",
    "ex ample",
    "f".repeat(64),
  ],
  ...[
    "example.com:80/a__b/c--d:v1",
    "index.docker.io/x",
    "Host/x",
    "a._b",
    "example.com/a:tag@md5:0123456789abcdef0123456789abcdef",
    "AAAA",
  ],
];

/** Applies one to three changes: another value, a missing or additional field, a repeated or missing element. */
export function mutateCatalog(blobs: Blobs, random: Random): Blobs {
  const copy = structuredClone(blobs);
  for (let i = random.int(3); i >= 0; i--) {
    const at = random.int(copy.length);
    if (random.chance(0.1)) copy.splice(at, random.int(2), structuredClone(random.pick(copy)));
    else mutate(copy[at]!, random);
  }
  return copy;
}

function mutate(target: Json[] | { [key: string]: Json }, random: Random): void {
  const keys = Object.keys(target);
  if (keys.length === 0) return;
  const key = random.pick(keys);
  const container = target as { [key: string]: Json };
  const value = container[key] ?? null;
  if (typeof value === "object" && value !== null && random.chance(0.85)) {
    mutate(value, random);
    return;
  }
  switch (random.int(6)) {
    case 0:
      if (Array.isArray(target)) target.splice(Number(key), 1);
      else delete container[key];
      return;
    case 1:
      if (Array.isArray(target)) target.push(structuredClone(value));
      else container[random.pick(["release", "extra", "skips", "replaces", "properties", key.toUpperCase()])] = structuredClone(value);
      return;
    case 2:
      container[key] = random.pick<Json>([null, 1, true, [], {}, [1], 1.5]);
      return;
    default:
      container[key] = random.pick(WORDS);
  }
}
