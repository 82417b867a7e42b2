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

/** Paths in the architecture page are code, not links. */
test("docs/architecture.md: files of the table exist", () => {
  const rows = readFileSync(path.join(root, "docs/architecture.md"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| where"));
  const missing = rows.flatMap((row) => {
    const [packageFolder = "", folder = "", ...files] = [...row.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);
    return [folder, ...files]
      .map((name) => (name.startsWith("src/") ? path.join(packageFolder, name) : path.join(packageFolder, folder, name)))
      .filter((file) => !existsSync(path.join(root, file)));
  });
  expect(rows.length).toBeGreaterThan(5);
  expect(missing).toEqual([]);
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
