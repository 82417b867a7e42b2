import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Builds the packages as they are published, because those are measured. */
export async function buildPackages(): Promise<void> {
  await promisify(execFile)(process.execPath, ["--import", "tsx", fileURLToPath(new URL("../../../scripts/build.ts", import.meta.url))]);
}
