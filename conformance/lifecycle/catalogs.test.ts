import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CatalogFileError, validateCatalogFolder } from "@pintle/lifecycle";
import { afterAll, describe, expect, test } from "vitest";
import { createRandom } from "../apply/random.ts";
import { full, seed } from "../sampling.ts";
import { mutateCatalog, VALID_CATALOG } from "./mutate-catalog.ts";
import { findModule, listFolders } from "./published.ts";
import { findReference, Reference } from "./reference.ts";

const file = findReference();

describe.runIf(file !== undefined)(`catalogs, seed ${seed}`, () => {
  const reference = new Reference(file ?? "");
  const scratch = mkdtempSync(join(tmpdir(), "pintle-catalogs-"));
  afterAll(async () => {
    await reference.stop();
    rmSync(scratch, { recursive: true, force: true });
  });
  let folders = 0;
  const writeFolder = (files: Readonly<Record<string, string>>): string => {
    const folder = join(scratch, String(folders++));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return folder;
  };
  const compare = async (folder: string, note: unknown) => {
    const { error } = await reference.ask({ op: "catalog", folder });
    expect({ note, error: normalize(validate(folder)) }).toEqual({ note, error: normalize(error) });
  };

  test("a valid catalog is accepted by both", async () => {
    const folder = writeFolder({ "catalog.json": encode(VALID_CATALOG) });
    await compare(folder, "valid");
    expect(validate(folder)).toBeUndefined();
  });

  test("changed catalogs get the same verdict and text", async () => {
    const random = createRandom(seed);
    for (let i = 0; i < (full ? 10_000 : 800); i++) {
      const blobs = mutateCatalog(VALID_CATALOG, random);
      await compare(writeFolder({ "catalog.json": encode(blobs) }), blobs);
    }
  });

  test.each([
    ["YAML documents", { "c.yaml": "---\nschema: olm.package\nname: a\n---\n# nothing\n---\nschema: my.own\nx: [1]\n" }],
    ["keys in another case", { "c.yaml": "Schema: olm.package\nName: a\ndefaultchannel: x\n" }],
    ["keys that differ only in case", { "c.yaml": "schema: olm.package\nname: a\nName: b\n" }],
    ["a blob without schema", { "c.json": '{"name":"a"}' }],
    ["a name that is no string", { "c.json": '{"schema":"olm.package","name":1}' }],
    ["ignored files", { ".indexignore": "*.md\n/docs/**/x\n", "readme.md": "no blob", "docs/a/x": "[", "c.yaml": "schema: s\n" }],
    ["files that are not ignored in a folder", { ".indexignore": "a\n", "d/.indexignore": "!a\n", "d/a": "{}", a: "{}" }],
    ["an empty YAML document", { "c.yaml": "schema: s\n---\n\n" }],
    ["two separators", { "c.yaml": "---\n---\nschema: s\n" }],
    ["a separator with text", { "c.yaml": "schema: s\n---x\nschema: t\n" }],
    ["a separator with a comment", { "c.yaml": "schema: s\n--- # x\nschema: t\n" }],
    ["a list", { "c.json": '{"schema":"a"}\n[1]' }],
    ["null", { "c.json": '{"schema":"a"}\nnull' }],
    ["an empty catalog", { "c.yaml": "" }],
  ])("%s: the same verdict and text", async (title, files) => compare(writeFolder(files as Readonly<Record<string, string>>), title));

  test.each([
    ["broken JSON", { "c.json": '{"schema":"a"}{"schema":"b"}{"schema":"c"}{"schema":' }],
    ["JSON that is YAML", { "c.json": '{"schema":"olm.package", # a comment\n"name":"a"}' }],
    ["a list", { "c.yaml": "- a\n- b\n" }],
    ["text", { "c.txt": "hello" }],
    ["a tab in front of a list", { "c.yaml": "schema: a\nx:\n\t- b\n" }],
    ["a tab in a quoted text", { "c.yaml": 'schema: a\nx: "b\n\tc"\n' }],
    ["a YAML error", { "c.yaml": "schema: [a\nb: }" }],
  ])("%s: the same verdict", async (_, files) => {
    const folder = writeFolder(files as Readonly<Record<string, string>>);
    const { error } = await reference.ask({ op: "catalog", folder });
    expect(validate(folder) === undefined).toBe(error === undefined);
  });

  test("the catalogs that operator-registry publishes with its tests get the same verdict", async () => {
    const published = findModule("github.com/operator-framework/operator-registry@v1.73.0");
    const candidates = listFolders(published).filter((folder) => readdirSync(folder).some((name) => /\.(json|ya?ml)$/.test(name)));
    expect(candidates.length).toBeGreaterThan(50);
    for (const folder of candidates) {
      const { error } = await reference.ask({ op: "catalog", folder });
      expect({ folder, isValid: validate(folder) === undefined }).toEqual({ folder, isValid: error === undefined });
    }
  });
});

function validate(folder: string): string | undefined {
  try {
    validateCatalogFolder(folder);
    return undefined;
  } catch (error) {
    return error instanceof CatalogFileError ? error.reason : (error as Error).message;
  }
}

/**
 * The Go library iterates maps: problems of one package have no order, so the lines are compared without the tree, sorted; and of several fields
 * that are no strings, any may be named.
 */
function normalize(text: string | undefined): readonly string[] | undefined {
  return text
    ?.split("\n")
    .map((line) => line.replace(/^[ │├└─]+/, "").replace(/(expected value for key) .*/, "$1"))
    .sort();
}

function encode(blobs: readonly unknown[]): string {
  return blobs.map((blob) => JSON.stringify(blob)).join("\n");
}
