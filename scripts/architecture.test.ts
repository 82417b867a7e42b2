/** Compares the maps of docs/architecture.md with the folders. `docs-links.test.ts` compares its tables with the sources. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const page = readFileSync(path.join(root, "docs/architecture.md"), "utf8");

const readSection = (heading: string) => page.split(`\n${heading}\n`)[1]!.split(/\n## /)[0]!;
const listFolders = (folder: string) =>
  readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

test("docs/architecture.md lists every package", () => {
  const listed = [...readSection("## Packages").matchAll(/^ {2}([\w-]+)\/ /gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual(listFolders("packages"));
});

test.each(["pintle", "cluster", "lifecycle", "console", "cli"])("docs/architecture.md lists every folder of packages/%s/src", (name) => {
  const listed = [...readSection(`## ${name}`).matchAll(/^src\/([\w-]+)\/ /gm)].map(([, folder]) => folder);
  expect(listed.sort()).toEqual(listFolders(`packages/${name}/src`));
});

test("docs/architecture.md lists every example", () => {
  const listed = [...readSection("## examples").matchAll(/^([\w-]+)\/ +/gm)].map(([, folder]) => folder);
  expect(listed).toEqual(listFolders("examples"));
});
