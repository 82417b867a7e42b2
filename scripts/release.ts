/**
 * `npm run release`: does a dry run of a release, or with `--publish` publishes it. Turns changesets into versions and change log entries, builds and
 * publishes every package. A dry run works on a clean clone of the last commit and does not change the checkout. See docs/releasing.md.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const source = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
/** In dependency order, so that no package is published before its dependencies. */
const PACKAGES = ["pintle", "cluster", "lifecycle", "console", "cli", "create-pintle"];

const { values } = parseArgs({ options: { publish: { type: "boolean", default: false } } });
const isDirty = execFileSync("git", ["status", "--porcelain"], { cwd: source, encoding: "utf8" }).trim() !== "";
if (values.publish && isDirty) throw new Error("the checkout has uncommitted changes: commit or remove them before publishing");

const root = values.publish ? source : cleanClone();
try {
  const hasChangesets = readdirSync(path.join(root, ".changeset")).some((file) => file.endsWith(".md") && file !== "README.md");
  if (hasChangesets) run("npx", ["changeset", "version"]);
  else console.log("No changesets: the versions stay as they are.");
  run("npm", ["run", "build"]);
  for (const name of PACKAGES) {
    const folder = path.join(root, "packages", name);
    const { version } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as { readonly version: string };
    console.log(`\n=== packages/${name} ${version}`);
    const mode = values.publish ? ["--provenance"] : ["--dry-run"];
    run("npm", ["publish", "--access", "public", "--ignore-scripts", ...mode], folder);
  }
  if (values.publish) {
    const { version } = JSON.parse(readFileSync(path.join(root, "packages/pintle/package.json"), "utf8")) as { readonly version: string };
    if (hasChangesets) run("git", ["commit", "--all", "--message", `release: ${version}`]);
    run("git", ["tag", "--annotate", `v${version}`, "--message", `v${version}`]);
    run("git", ["push", "--follow-tags"]);
  }
} finally {
  if (root !== source) rmSync(root, { recursive: true, force: true });
}

/** A clean clone of the last commit, with its dependencies installed. */
function cleanClone(): string {
  const clone = mkdtempSync(path.join(tmpdir(), "pintle-release-"));
  run("git", ["clone", "--quiet", "--local", source, clone], source);
  run("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], clone);
  return clone;
}

function run(command: string, args: readonly string[], cwd = root): void {
  execFileSync(command, [...args], { cwd, stdio: "inherit" });
}
