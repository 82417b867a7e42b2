/** Every relative link of every Markdown page resolves to a file or folder, and every anchor to a heading. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const pages = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((page) => page !== "" && existsSync(path.join(root, page)));

test.each(pages)("%s: all links resolve", (page) => {
  const text = removeCode(readFileSync(path.join(root, page), "utf8"));
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] as string).filter((link) => !/^[a-z]+:/.test(link));
  expect(links.filter((link) => !linkResolves(page, link))).toEqual([]);
});

const architecture = readFileSync(path.join(root, "docs/architecture.md"), "utf8");
const code = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);

/** Paths in the architecture page are code, not links. */
test("docs/architecture.md: every file of the table exists and has the functions", () => {
  const rows = architecture.split("\n").filter((line) => /^\| (where|\.\.\.) /.test(line));
  const missing = rows.flatMap((row) => {
    const [, , inPackage = "", folder = "", file = "", functions = ""] = row.split("|");
    const name = [inPackage, folder, file].flatMap(code).join("/");
    if (!existsSync(path.join(root, name))) return [name];
    const text = readFileSync(path.join(root, name), "utf8");
    return code(functions)
      .filter((each) => !new RegExp(`(function|const) ${each}\\b|^ +${each}\\(`, "m").test(text))
      .map((each) => `${name}: ${each}`);
  });
  expect(rows.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});

test("docs/architecture.md: the table of stages is that of the pipeline", () => {
  const stages = path.join(root, "packages/cluster/src/api");
  const pipeline = readFileSync(path.join(stages, "pipeline.ts"), "utf8");
  const rows = [...architecture.matchAll(/^\| [\w ]+ \| `(\w+)`, ([\w-]+\.ts) \|/gm)].map(([, name = "", file = ""]) => ({ name, file }));
  expect(rows.map(({ name }) => name)).toEqual([...pipeline.matchAll(/\{ stage: (\w+)/g)].map(([, name]) => name));
  const isExported = ({ name, file }: { readonly name: string; readonly file: string }) =>
    readFileSync(path.join(stages, "stages", file), "utf8").includes(`function ${name}(`);
  expect(rows.filter((row) => !isExported(row))).toEqual([]);
});

function linkResolves(page: string, link: string): boolean {
  const [target = "", anchor] = link.split("#");
  const file = target === "" ? path.join(root, page) : path.join(root, path.dirname(page), decodeURIComponent(target));
  if (!existsSync(file)) return false;
  if (anchor === undefined || statSync(file).isDirectory() || !file.endsWith(".md")) return true;
  const headings = removeCode(readFileSync(file, "utf8")).matchAll(/^#+ (.+)$/gm);
  return [...headings].some((match) => slugify(match[1] as string) === anchor);
}

function removeCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, "");
}

/** Converts a heading to its anchor, as GitHub does. */
function slugify(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}
