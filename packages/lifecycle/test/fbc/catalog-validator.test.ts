import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
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
