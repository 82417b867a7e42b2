import { gzipSync } from "node:zlib";
import { type RawEntry, writeTar } from "../image/write-tar.ts";

/** Seeded numbers from 0 to 1. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Bytes of a layer that must be refused. */
export type HostileLayer = readonly [name: string, bytes: Buffer];

const TARGETS = [
  "../outside",
  "../../outside/f",
  "/etc/passwd",
  "/../../outside/f",
  "..",
  "/",
  "configs/../../outside",
  "a/../../../outside",
  "/configs/../outside/f",
];
const file = (path: string, data: RawEntry["data"] = "x"): RawEntry => ({ path, data });

export function* hostileLayers(): Generator<HostileLayer> {
  const tar = (name: string, ...entries: RawEntry[]): HostileLayer => [
    name,
    writeTar([file("configs/ok.yaml", "schema: a\n"), ...entries]),
  ];
  const traversals = [
    "../outside/f",
    "configs/../../outside/f",
    "configs/../../../../../../tmp/f",
    "/../outside/f",
    "./../outside/f",
    "configs/a/../../..//outside/f",
    "..",
    "configs/..",
    "configs/./../../outside/f",
  ];
  for (const path of traversals) {
    yield tar(`file ${path}`, file(path));
    yield tar(`folder ${path}`, { path: `${path}/`, flag: "5" });
    yield tar(`link at ${path}`, { path, flag: "2", target: "configs/ok.yaml" });
    yield tar(`hard link at ${path}`, { path, flag: "1", target: "configs/ok.yaml" });
  }
  for (const target of TARGETS) {
    yield tar(`link to ${target}`, { path: "configs/l", flag: "2", target });
    yield tar(`write through a link to ${target}`, { path: "configs/l", flag: "2", target }, file("configs/l/f"));
    yield tar(`hard link to ${target}`, { path: "configs/l", flag: "1", target });
    yield tar(
      `folder, then a link to ${target}`,
      { path: "configs/d/", flag: "5" },
      { path: "configs/d", flag: "2", target },
      file("configs/d/f"),
    );
  }
  for (const flag of ["3", "4", "6"]) yield tar(`type ${flag}`, { path: "configs/dev", flag });
  for (const flag of ["S"]) yield tar(`type ${flag}`, { path: "configs/sparse", flag });
  yield tar("whiteout of ..", file("configs/.wh..."), { path: "configs/x", flag: "2", target: "../.." });
  yield tar("a name of 1000 bytes", file(`configs/${"n".repeat(1000)}`));
  yield tar("a path of 10,000 bytes", file(`configs/${"a/".repeat(5000)}f`));
  yield tar("200 folders deep", file(`configs/${"a/".repeat(200)}f`));
  yield tar("a backslash", file("configs/..\\outside"));
  yield tar("no UTF-8", { path: "configs/\ufffd" });
  yield tar("a size beyond the end", { path: "configs/f", data: "x", size: 8_000_000_000 });
  yield tar("file below file", file("configs/f"), file("configs/f/g"));
  yield tar("links in a circle", { path: "configs/a", flag: "2", target: "b" }, { path: "configs/b", flag: "2", target: "a" });
  yield tar("a link to a folder", { path: "configs/d/", flag: "5" }, { path: "configs/l", flag: "2", target: "d" });
  yield tar("pax without length", { path: "x", flag: "x", data: "path=../outside\n" });
  yield tar("pax with a length that is too long", { path: "x", flag: "x", data: "999 path=../outside\n" });
  yield tar("pax path out", { path: "x", flag: "x", data: "25 path=../outside/file1\n" }, file("configs/f"));
  yield tar("pax size that is no number", { path: "x", flag: "x", data: "13 size=none\n" }, file("configs/f"));
  yield tar("a long name of 2 MB", { path: "x", flag: "L", data: Buffer.alloc(2 << 20, "a") }, file("configs/f"));
  yield tar("100,001 entries", ...Array.from({ length: 2001 }, (_, i) => ({ path: `other/${i}` })));
  yield tar("a link of 500,000 folders", paxField("linkpath", "a/".repeat(500_000)), { path: "configs/l", flag: "2", target: "a" });
  // Each takes 40 times 340 steps: together they would take an hour.
  const long = (next: number) => `${"../configs/".repeat(340)}l${next}`;
  yield tar(
    "900 links that lead to each other",
    ...Array.from({ length: 900 }, (_, i) => [paxField("linkpath", long(i + 1)), { path: `configs/l${i}`, flag: "2", target: "a" }]).flat(),
  );
  yield ["text", Buffer.alloc(4096, "not an archive ")];
  yield ["a header with a wrong checksum", damage(writeTar([file("configs/f")]), 10)];
  yield ["cut off in a header", writeTar([file("configs/f")]).subarray(0, 300)];
  yield ["cut off in a file", writeTar([file("configs/f", "y".repeat(5000))]).subarray(0, 2000)];
  yield ["gzip that ends early", gzipSync(writeTar([file("configs/f", "y".repeat(5000))])).subarray(0, 60)];
  yield ["gzip with damaged data", damage(gzipSync(writeTar([file("configs/f", "y".repeat(50_000))])), 40)];
  for (const megabytes of [16, 64, 256]) {
    // Concatenated gzip members, so that making the bomb costs no memory.
    const part = gzipSync(Buffer.alloc(16 << 20));
    yield [
      `a bomb of ${megabytes} MB`,
      Buffer.concat([gzipSync(bombHeader(megabytes << 20)), ...Array<Buffer>(megabytes / 16).fill(part)]),
    ];
  }
  const zstd = (hex: string) => Buffer.from(`28b52ffd${hex}`, "hex");
  yield ["zstd without a frame", zstd("")];
  yield ["zstd with a window of 2 GB", Buffer.concat([zstd("00a8"), Buffer.alloc(40)])];
  yield ["zstd with a content of 2^60", Buffer.concat([zstd("e0ffffffffffffff0f"), Buffer.alloc(40)])];
  yield ["zstd with a reserved block", zstd("000007000000000000000000000000")];
  yield ["zstd of text", Buffer.concat([zstd("0000"), Buffer.from("hello hello hello hello hello hello")])];
  // Blocks of 128 KiB of one byte take four bytes each.
  yield [
    "a zstd bomb",
    Buffer.concat([zstd("0058"), Buffer.alloc(4 * 2000, Buffer.from("02001000", "hex")), Buffer.from("01000000", "hex")]),
  ];
}

/** An attribute of the next entry. */
function paxField(key: string, value: string): RawEntry {
  const rest = ` ${key}=${value}\n`;
  const digits = String(rest.length + 3).length;
  const length = rest.length + String(rest.length + digits).length;
  return { path: "x", flag: "x", data: `${length}${rest}` };
}

function bombHeader(size: number): Buffer {
  return writeTar([{ path: "configs/bomb", size }]).subarray(0, 512);
}

function damage(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at]! + 1) & 0xff;
  return copy;
}

const blob = (value: object) => JSON.stringify(value);
const PACKAGE = blob({ schema: "olm.package", name: "p", defaultChannel: "c" });
const channel = (entries: readonly object[]) => blob({ schema: "olm.channel", package: "p", name: "c", entries });
const bundle = (name: string, version: string, more: object = {}) =>
  blob({
    schema: "olm.bundle",
    package: "p",
    name,
    image: "example.com/p:1",
    properties: [{ type: "olm.package", value: { packageName: "p", version } }],
    ...more,
  });

const manyChannels = (i: number) =>
  `${blob({ schema: "olm.channel", package: "p", name: `c${i}`, entries: [{ name: `b${i}` }] })}\n${bundle(`b${i}`, `1.${i}.0`)}`;

/** Texts of catalogs that must be refused. */
export function* hostileCatalogs(): Generator<readonly [name: string, bytes: Buffer]> {
  const of = (name: string, ...blobs: readonly string[]): readonly [string, Buffer] => [name, Buffer.from(blobs.join("\n"))];
  yield of("duplicate keys", '{"schema":"olm.package","Schema":"olm.package","name":"p"}');
  yield of("duplicate keys in three cases", '{"schema":"a","SCHEMA":"b","Schema":"c"}');
  for (const value of ["1", "true", "[]", "{}", "1e999"]) yield of(`a schema of ${value}`, `{"schema":${value}}`);
  for (const name of ["../../outside", "a/b", "A", "p ", "", "p\u0000", "é", "-p", "p".repeat(64), "__proto__", "a.b"]) {
    yield of(`a package named ${JSON.stringify(name)}`, blob({ schema: "olm.package", name, defaultChannel: "c" }));
  }
  yield of(
    "a cycle of two",
    PACKAGE,
    channel([
      { name: "a", replaces: "b" },
      { name: "b", replaces: "a" },
    ]),
    bundle("a", "1.0.0"),
    bundle("b", "2.0.0"),
  );
  yield of("a bundle that replaces itself", PACKAGE, channel([{ name: "a", replaces: "a" }]), bundle("a", "1.0.0"));
  const ring = Array.from({ length: 5000 }, (_, i) => ({ name: `b${i}`, replaces: `b${(i + 1) % 5000}` }));
  yield of("a cycle of 5,000", PACKAGE, channel(ring), ...ring.map(({ name }, i) => bundle(name, `1.${i}.0`)));
  const row = Array.from({ length: 5000 }, (_, i) => ({ name: `b${i}`, ...(i === 0 ? {} : { replaces: `b${i - 1}` }) }));
  yield of(
    "a row of 5,000 with two heads",
    PACKAGE,
    channel([...row, { name: "other" }]),
    ...[...row.map(({ name }) => name), "other"].map((name, i) => bundle(name, `1.${i}.0`)),
  );
  yield of("5,000 heads", PACKAGE, channel(row.map(({ name }) => ({ name }))), ...row.map(({ name }, i) => bundle(name, `1.${i}.0`)));
  yield of("a channel of an unknown package", channel([{ name: "a" }]));
  yield of("no bundles", PACKAGE, channel([{ name: "a" }]));
  yield of("a bundle twice", PACKAGE, channel([{ name: "a" }]), bundle("a", "1.0.0"), bundle("a", "1.0.0"));
  yield of("versions twice", PACKAGE, channel([{ name: "a" }, { name: "b", replaces: "a" }]), bundle("a", "1.0.0"), bundle("b", "1.0.0"));
  for (const version of ["", "1", "1.0.0.0", "v1.0.0", "1.0.0-01", "9".repeat(400), "1.0.0+", "\u0000"]) {
    yield of(`the version ${version.slice(0, 10)}`, PACKAGE, channel([{ name: "a" }]), bundle("a", version));
  }
  yield of("an image that is no reference", PACKAGE, channel([{ name: "a" }]), bundle("a", "1.0.0", { image: "http://x/../y" }));
  yield of(
    "bundle objects that are no base64",
    PACKAGE,
    channel([{ name: "a" }]),
    bundle("a", "1.0.0", { properties: [{ type: "olm.bundle.object", value: { data: "%%%" } }] }),
  );
  yield of("properties of a wrong type", PACKAGE, bundle("a", "1.0.0", { properties: { type: "x" } }));
  yield of("a channel with entries of a wrong type", PACKAGE, blob({ schema: "olm.channel", package: "p", name: "c", entries: "all" }));
  yield of(
    "deprecations without reference",
    PACKAGE,
    channel([]),
    blob({ schema: "olm.deprecations", package: "p", entries: [{ message: "m" }] }),
  );
  yield ["JSON nested 100,000 times", Buffer.from(`{"schema":"a","x":${"[".repeat(100_000)}`)];
  yield ["YAML nested 5,000 times", Buffer.from(`schema: a\nx: ${"[".repeat(5_000)}`)];
  yield [
    "a YAML bomb of aliases",
    Buffer.from(
      `schema: a\na0: &a0 [x]\n${Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array<string>(10).fill(`*a${i}`).join(", ")}]\n`).join("")}`,
    ),
  ];
  yield ["YAML with a tab", Buffer.from("schema: a\nx:\n\t- b\n")];
  yield ["YAML with an unclosed quote", Buffer.from('schema: "a\n')];
  yield ["a YAML list", Buffer.from("- schema: a\n")];
  yield ["bytes that are no text", Buffer.from(Array.from({ length: 2000 }, (_, i) => (i * 7919) % 256))];
  yield ["NUL bytes", Buffer.alloc(100_000)];
  yield ["UTF-16", Buffer.from('\ufeff{"schema":"a"}', "utf16le")];
  yield ["JSON that stops", Buffer.from(`${PACKAGE}\n${PACKAGE}\n${PACKAGE}\n{"schema":`)];
  const cases = Array.from({ length: 1 << 16 }, (_, i) =>
    [..."duplicatedkeynow"].map((char, at) => ((i >> at) & 1 ? char.toUpperCase() : char)).join(""),
  );
  yield of("65,536 keys that differ in case", `{${cases.map((key) => `"${key}":1`).join(",")}}`);
  yield of("10 MB of separators in a text", `x: "${"--- ".repeat(2_500_000)}"`);
  yield of("10,000 channels and bundles", PACKAGE, ...Array.from({ length: 10_000 }, (_, i) => manyChannels(i)));
  yield ["a JSON blob of 65 MB", Buffer.concat([Buffer.from('{"schema":"a","x":"'), Buffer.alloc(65 << 20, "x")])];
  yield ["a YAML blob of 65 MB", Buffer.concat([Buffer.from("schema: a\nx: |\n"), Buffer.alloc(65 << 20, "  x\n")])];
  yield ["65 MB of spaces", Buffer.alloc(65 << 20, " ")];
  yield ["a text of 10 MB without a schema", Buffer.from(`{"name":"${"x".repeat(10 << 20)}"}`)];
}

/** Files of bundles that must be refused. */
export function* hostileBundles(): Generator<readonly [name: string, files: ReadonlyMap<string, Buffer>]> {
  const annotations = "annotations:\n  operators.operatorframework.io.bundle.package.v1: p\n";
  const csv = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: "p.v1.0.0" },
    spec: { version: "1.0.0" },
  };
  const of = (name: string, files: Readonly<Record<string, string | Buffer>>) =>
    [name, new Map(Object.entries(files).map(([path, data]) => [path, Buffer.from(data)]))] as const;
  yield of("nothing", {});
  yield of("no manifests", { "metadata/annotations.yaml": annotations });
  yield of("no annotations", { "manifests/csv.yaml": JSON.stringify(csv) });
  yield of("no CSV", { "metadata/annotations.yaml": annotations, "manifests/a.yaml": "kind: ConfigMap\n" });
  yield of("a CRD that is not there", {
    "metadata/annotations.yaml": annotations,
    "manifests/csv.yaml": JSON.stringify({
      ...csv,
      spec: { customresourcedefinitions: { owned: [{ name: "as.example.com", kind: "A", version: "v1" }] } },
    }),
  });
  for (const text of ["[", "\0", "- a", "kind: [", "\t: x", "%YAML 9.9\n---\n{"]) {
    yield of(`annotations ${JSON.stringify(text)}`, { "metadata/annotations.yaml": text, "manifests/csv.yaml": JSON.stringify(csv) });
  }
  for (const text of ["[", "\0", "- a", "kind: [", "a: &a [*a]", "!!js/function x"]) {
    yield of(`a CSV of ${JSON.stringify(text)}`, { "metadata/annotations.yaml": annotations, "manifests/csv.yaml": text });
  }
  for (const release of ["[1]", '{"a":1}', "true"]) {
    yield of(`the release ${release}`, {
      "metadata/annotations.yaml": annotations,
      "manifests/csv.yaml": JSON.stringify({ ...csv, spec: { release: JSON.parse(release) as unknown } }),
    });
  }
}
