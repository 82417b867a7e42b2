import { execFileSync } from "node:child_process";
import type { ProcessNodesOptions } from "@pintle/cluster";
import { full, seed } from "../sampling.ts";

export type Mode = NonNullable<ProcessNodesOptions["mode"]>;

/** True when a program is installed. */
export function isProgramInstalled(program: string): boolean {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`], {
      stdio: "ignore",
      env: { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin:/sbin` },
    });
    return true;
  } catch {
    return false;
  }
}

const isRoot = process.getuid?.() === 0;
const missing = ["unshare", "nsenter", "setpriv", "mount", "ip"].filter((tool) => !isProgramInstalled(tool));

/** The isolation modes of pods that this machine supports. */
export const modes: readonly Mode[] =
  process.platform !== "linux" ? [] : isRoot && missing.length === 0 ? ["loopback", "namespaces"] : ["loopback"];

/** One mode, for long suites; all under `--full`. */
export const sampledModes: readonly Mode[] = full ? modes : modes.slice(seed % modes.length).slice(0, 1);

if (modes.length < 2) {
  const why = isRoot ? `${missing.join(", ") || "Linux"} missing` : "not root";
  console.warn(`\n!!! SKIPPED: pods with namespaces of their own: ${why}\n`);
}
