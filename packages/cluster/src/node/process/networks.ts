import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import path from "node:path";

export type Mode = "loopback" | "namespaces";

/** Which ranges (two numbers: "10.244") a cluster uses on this machine. */
export interface Networks {
  readonly mode: Mode;
  readonly pods: string;
  readonly services: string;
}

/**
 * The ranges of a folder: those it had before, or ones that no other cluster of this machine is likely to have. Objects
 * that outlive a restart name their addresses, so the choice is kept beside them.
 */
export async function networksOf(folder: string, mode: Mode, inUse: () => Promise<readonly string[]>): Promise<Networks> {
  const file = path.join(folder, `networks-${mode}.json`);
  try {
    return JSON.parse(await readFile(file, "utf8")) as Networks;
  } catch {
    const chosen = mode === "loopback" ? loopback(folder) : ordinary(await inUse());
    await mkdir(folder, { recursive: true });
    await writeFile(file, `${JSON.stringify(chosen)}\n`);
    return chosen;
  }
}

function loopback(folder: string): Networks {
  const n = createHash("sha256").update(folder).digest()[0]! % 60;
  return { mode: "loopback", pods: `127.${64 + n}`, services: `127.${128 + n}` };
}

/** The usual ones, or the next that nobody here has. */
function ordinary(inUse: readonly string[]): Networks {
  const interfaces = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const own = [...inUse, ...interfaces.map(({ address }) => address)];
  const isFree = (network: string) => !own.some((address) => address.startsWith(`${network}.`));
  for (let n = 0; n < 8; n++) {
    const [pods, services] = [`10.${244 + n}`, `10.${96 + n}`];
    if (isFree(pods) && isFree(services)) return { mode: "namespaces", pods, services };
  }
  throw new Error("process nodes: the ranges 10.96 to 10.103 and 10.244 to 10.251 are all in use on this machine");
}
