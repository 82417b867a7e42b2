import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { go } from "../../conformance/real/go.ts";

const sources = fileURLToPath(new URL("../peers/controller-runtime/", import.meta.url));

/** The path of the controller-runtime side, built once per state of its sources into the user's cache folder. */
export async function peer(signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
  for (const file of readdirSync(sources).sort()) hash.update(file).update(readFileSync(path.join(sources, file)));
  const cache = process.env["XDG_CACHE_HOME"] || path.join(homedir(), ".cache");
  const folder = path.join(cache, "pintle/bench");
  const built = path.join(folder, `controller-runtime-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(built)) return built;
  console.log("building the controller-runtime side: minutes the first time");
  mkdirSync(folder, { recursive: true });
  // Beside its place, so that the move is a rename.
  const scratch = mkdtempSync(path.join(folder, "build-"));
  try {
    cpSync(sources, scratch, { recursive: true });
    await go(["build", "-trimpath", "-ldflags", "-s -w", "-o", "built", "."], { folder: scratch, signal });
    renameSync(path.join(scratch, "built"), built);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return built;
}
