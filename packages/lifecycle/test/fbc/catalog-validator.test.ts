import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { listCatalogProblems } from "../../src/fbc/index.ts";
import { CatalogValidator, type ChannelEntry } from "../../src/index.ts";
import { listCatalogFiles } from "../../src/source/index.ts";

const bundle = (version: string) => ({
  schema: "olm.bundle",
  name: `op.v${version}`,
  package: "op",
  image: `example.com/op:${version}`,
  properties: [{ type: "olm.package", value: { packageName: "op", version } }],
});

function catalog(entries: readonly ChannelEntry[], versions: readonly string[]): string {
  const blobs = [
    { schema: "olm.package", name: "op", defaultChannel: "stable" },
    { schema: "olm.channel", name: "stable", package: "op", entries },
    ...versions.map(bundle),
  ];
  return blobs.map((blob) => JSON.stringify(blob)).join("\n");
}

function validate(text: string, chunkSize = text.length): string | undefined {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, i) => bytes.subarray(i * chunkSize, (i + 1) * chunkSize));
  try {
    const validator = new CatalogValidator();
    validator.addFile("catalog.json", chunks);
    validator.finish();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const [v1, v2] = ["op.v1.0.0", "op.v2.0.0"];

test("a valid catalog is accepted, whatever the size of the chunks is", () => {
  const text = catalog([{ name: v1 }, { name: v2, replaces: v1 }], ["1.0.0", "2.0.0"]).replace(
    '"example.com/op:1.0.0"',
    '"example.com\\/op:1.0.0"',
  );
  for (const size of [1, 2, 3, 7, 100, text.length]) expect(validate(text, size)).toBeUndefined();
});

test.each<[string, readonly ChannelEntry[], string]>([
  ["two heads", [{ name: v1 }, { name: v2 }], `multiple channel heads found in graph: ${v1}, ${v2}`],
  [
    "no head",
    [
      { name: v1, replaces: v2 },
      { name: v2, replaces: v1 },
    ],
    "no channel head found in graph",
  ],
  ["an invalid skipRange", [{ name: v1 }, { name: v2, replaces: v1, skipRange: "<2" }], 'invalid skipRange "<2": Could not parse Range'],
])("%s is refused with the text of operator-registry", (_, entries, message) => {
  expect(validate(catalog(entries, ["1.0.0", "2.0.0"]))).toContain(message);
});

test("a stranded bundle is shown in the tree of opm validate", () => {
  const entries = [{ name: v1 }, { name: v2, skips: ["op.v1.5.0"] }, { name: "op.v1.5.0", replaces: v1 }];
  expect(validate(catalog(entries, ["1.0.0", "1.5.0", "2.0.0"]))).toBe(
    [
      "invalid index:",
      '└── invalid package "op":',
      '    └── invalid channel "stable":',
      `        └── channel contains one or more stranded bundles: ${v1}`,
    ].join("\n"),
  );
});

test("keys that differ only in case are refused with file and offset", () => {
  expect(validate('{"schema":"a"}\n{"schema":"b","Schema":"c"}')).toBe(
    'catalog.json: blob at byte 14: duplicate keys for key "schema": [Schema schema]',
  );
});

function listProblems(texts: Readonly<Record<string, string>>, chunkSize = 5) {
  return listCatalogProblems({
    names: Object.keys(texts),
    read: function* (name) {
      const bytes = Buffer.from(texts[name]!);
      for (let at = 0; at < bytes.length; at += chunkSize) yield bytes.subarray(at, at + chunkSize);
    },
  });
}

test("all problems are listed with file, line and package, where validation stops at the first", () => {
  const blobs = catalog([{ name: v1 }, { name: v2 }, { name: "op.v3.0.0", replaces: v2 }], ["1.0.0", "2.0.0", "x"]);
  const other = [
    '{"schema": "olm.package",',
    '"name": "lost", "defaultChannel": "gone"}',
    "",
    '{"schema": "olm.bundle", "name": "lost.v1.0.0", "package": "lost", "image": "UPPER",',
    '"properties": [{"type": "olm.package", "value": {"packageName": "lost", "version": "1.0.0"}}]}',
  ].join("\n");
  const problems = listProblems({ "a.json": blobs, "b/c.json": other });
  expect(problems.map(({ file, line, package: owner }) => `${file}:${line} ${owner}`)).toEqual([
    "a.json:5 op",
    "a.json:5 op",
    "b/c.json:4 lost",
    "b/c.json:4 lost",
    "a.json:1 op",
    "b/c.json:1 lost",
    "a.json:2 op",
  ]);
  const [version, entry, image, inNoChannel, missing, noBundle, heads] = problems.map(({ message }) => message);
  expect(version).toContain('error parsing bundle "op.vx" version "x"');
  expect(entry).toContain('bundle "op.vx" not found in any channel entries');
  expect(image).toContain('invalid image pull spec "UPPER"');
  expect(inNoChannel).toContain('bundle "lost.v1.0.0" not found in any channel entries');
  expect(missing).toContain("no olm.bundle blobs found");
  expect(noBundle).toContain('channel "gone": channel must contain at least one bundle');
  expect(heads).toContain(`channel "stable": multiple channel heads found in graph: ${v1}, op.v3.0.0`);
  expect(problems.at(-1)?.advice).toBe("let the newest replace or skip the others, directly or through other entries");
});

test("a place that cannot be parsed is found in its blob, and hides what would follow from it", () => {
  const text = "---\nschema: olm.channel\nname: a\npackage: none\n---\nschema: olm.package\nname: [\n  b\n";
  expect(listProblems({ "a.yaml": text })).toMatchObject([
    { file: "a.yaml", line: 9, message: expect.stringMatching(/^error converting YAML to JSON: [^\n]*$/) },
  ]);
  expect(listProblems({ "a.json": '{"schema":"a"}\n\n{"schema":"b","Schema":"c"}' })).toMatchObject([{ line: 3 }]);
});

test("a catalog without problems has none listed", () => {
  expect(listProblems({ "a.json": catalog([{ name: v1 }], ["1.0.0"]) })).toEqual([]);
});

const scratch = mkdtempSync(join(tmpdir(), "pintle-catalog-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test("files that .indexignore excludes are not listed; a file below may include them again", () => {
  mkdirSync(join(scratch, "docs"), { recursive: true });
  for (const [name, text] of Object.entries({
    ".indexignore": "*.md\n",
    "docs/.indexignore": "!keep.md\n",
    "a.md": "",
    "docs/keep.md": "",
    "c.json": "",
  })) {
    writeFileSync(join(scratch, name), text);
  }
  expect(listCatalogFiles(scratch)).toEqual(["c.json", "docs/keep.md"]);
});
