import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MIGRATION_LEVELS } from "@pintle/lifecycle/internal/catalog";
import { afterAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { createRandom } from "../apply/random.ts";
import { full, seed } from "../sampling.ts";
import { mutateCatalog, VALID_CATALOG } from "./mutate-catalog.ts";
import { renderOurs, runOpm } from "./opm.ts";
import { findModule, listFolders, listPublishedBundles } from "./published.ts";
import { findOpm, OPM } from "./reference.ts";

const opm = findOpm() ?? "";

describe.runIf(opm !== "")(`what opm renders, seed ${seed}`, () => {
  const scratch = mkdtempSync(join(tmpdir(), "pintle-render-"));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
  const random = createRandom(seed);
  const sample = <T>(all: readonly T[], count: number): readonly T[] => {
    const left = [...all];
    if (full || left.length <= count) return left;
    return Array.from({ length: count }, () => left.splice(random.int(left.length), 1)[0]!);
  };

  test("published bundles become the same bytes, at every level of migration", async () => {
    const bundles = listPublishedBundles();
    expect(bundles.length).toBeGreaterThan(20);
    let rendered = 0;
    for (const folder of sample(bundles, 40)) {
      const migrate = full ? MIGRATION_LEVELS : [random.pick(MIGRATION_LEVELS)];
      for (const level of migrate) {
        const args = [
          "render",
          folder,
          "--migrate-level",
          level,
          "--alpha-image-ref-template",
          "example.com/{{.Package}}/{{ .Name }}:v{{.Version}}",
        ];
        const theirs = await runOpm(opm, args);
        const imageName = ({ package: packageName, name, version }: { package: string; name: string; version: string }) =>
          `example.com/${packageName}/${name}:v${version}`;
        const ours = await renderOurs([folder], { migrate: level, imageName });
        if ("error" in theirs) expect({ folder, ours }).toEqual({ folder, ours: { error: expect.any(String) } });
        else {
          expect({ folder, level, text: sortEqualImages(ours) }).toEqual({ folder, level, text: sortEqualImages(theirs) });
          rendered++;
        }
      }
    }
    expect(rendered).toBeGreaterThan(10);
  });

  test("published catalogs become the same bytes as JSON, and the same values as YAML", async () => {
    const published = findModule(`${OPM.module}@${OPM.version}`);
    const folders = listFolders(published).filter((folder) => readdirSync(folder).some((name) => /\.(json|ya?ml)$/.test(name)));
    for (const folder of sample(folders, 40)) {
      const [theirs, ours] = [await runOpm(opm, ["render", folder]), await renderOurs([folder])];
      if ("error" in theirs) expect({ folder, ours }).toEqual({ folder, ours: { error: expect.any(String) } });
      else {
        expect({ folder, ...ours }).toEqual({ folder, ...theirs });
        const [yaml, ourYaml] = [await runOpm(opm, ["render", folder, "-o", "yaml"]), await renderOurs([folder], {}, "yaml")];
        expect({ folder, values: readYaml(ourYaml) }).toEqual({ folder, values: readYaml(yaml) });
      }
    }
  });

  test("changed catalogs become the same bytes, or are refused by both", async () => {
    for (let i = 0; i < (full ? 500 : 40); i++) {
      const blobs = mutateCatalog(VALID_CATALOG, random);
      const folder = mkdtempSync(join(scratch, "catalog-"));
      writeFileSync(join(folder, "catalog.json"), blobs.map((blob) => JSON.stringify(blob)).join("\n"));
      const [theirs, ours] = [
        await runOpm(opm, ["render", folder, "--migrate-level", "all"]),
        await renderOurs([folder], { migrate: "all" }),
      ];
      expect({ blobs, ours: "error" in ours ? "error" : ours.text }).toEqual({ blobs, ours: "error" in theirs ? "error" : theirs.text });
    }
  });

  test("several references are put in order together", async () => {
    const bundles = listPublishedBundles()
      .filter((folder) => existsSync(join(folder, "manifests")))
      .slice(0, 12);
    const valid: string[] = [];
    for (const folder of bundles) if ("text" in (await runOpm(opm, ["render", folder]))) valid.push(folder);
    expect(valid.length).toBeGreaterThan(3);
    expect(await renderOurs(valid)).toEqual(await runOpm(opm, ["render", ...valid]));
  });
});

/** opm sorts related images by a sort that is not stable: images with equal references come in any order. */
function sortEqualImages(rendering: { readonly text: string } | { readonly error: string }): string {
  if ("error" in rendering) return rendering.error;
  return rendering.text.replaceAll(/( +)\{\n +"name": .*\n +"image": (.*)\n +\}(?:,\n +\{\n +"name": .*\n +"image": \2\n +\})+/g, (equal) =>
    equal
      .split(/,\n(?= +\{)/)
      .sort()
      .join(",\n"),
  );
}

function readYaml(rendering: { readonly text: string } | { readonly error: string }): unknown {
  if ("error" in rendering) return rendering;
  const documents = parseAllDocuments(rendering.text, { version: "1.1" });
  return Array.isArray(documents) ? documents.map((document) => document.toJS() as unknown) : [];
}
