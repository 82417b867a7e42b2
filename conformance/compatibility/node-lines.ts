import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";

/** The supported Node lines and the version of each that is tested: of the oldest line the oldest version, of the others a recent one. */
export const NODE_LINES: Readonly<Record<string, string>> = {
  "20": "20.19.0",
  "22": "22.23.3",
  "24": "24.21.0",
  "25": "25.9.0",
  "26": "26.10.0",
};

/** npm has a package per platform that contains only the executable. */
const PLATFORM = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
const EXECUTABLE = process.platform === "win32" ? "node.exe" : "bin/node";

/** Returns the path of a Node version, downloaded once into a cache folder; undefined, with a warning, if npm has none for this platform. */
export function installNode(version: string): string | undefined {
  const cache = path.join(process.env["XDG_CACHE_HOME"] || path.join(homedir(), ".cache"), "pintle", "node");
  const file = path.join(cache, version, path.basename(EXECUTABLE));
  if (existsSync(file)) return file;
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-node-"));
  try {
    const args = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, `node-${PLATFORM}@${version}`];
    execFileSync("npm", ["install", ...args], { stdio: "pipe" });
    mkdirSync(path.dirname(file), { recursive: true });
    copyFileSync(path.join(folder, "node_modules", `node-${PLATFORM}`, EXECUTABLE), `${file}.${process.pid}`);
    // Renamed, so that another process sees a complete file or none.
    renameSync(`${file}.${process.pid}`, file);
    return file;
  } catch (error) {
    console.warn(
      `\n!!! SKIPPED: Node ${version} cannot be installed from npm for ${PLATFORM}: ${(error as Error).message.split("\n")[0]}\n`,
    );
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
