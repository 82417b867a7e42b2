import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { programOf, searchPath } from "../../image/command.ts";

const TOOLS = ["unshare", "nsenter", "mount", "ip", "sh"];

/** What pods with namespaces of their own need from the machine, and it lacks: util-linux and iproute2 bring it. */
export function missingTools(): readonly string[] {
  const search = searchPath();
  return TOOLS.filter((tool) => programOf(tool, {}, search) === undefined);
}

/** Addresses that lead somewhere from this machine already. */
export async function routedAddresses(): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)("ip", ["-4", "route", "show", "table", "all"]).catch(() => ({ stdout: "" }));
  return stdout.match(/\d+\.\d+\.\d+\.\d+/g) ?? [];
}
