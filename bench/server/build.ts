import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The packages as they are published: that is what is measured. */
export async function build(): Promise<void> {
  await promisify(execFile)(process.execPath, ["--import", "tsx", fileURLToPath(new URL("../../scripts/build.ts", import.meta.url))]);
}
