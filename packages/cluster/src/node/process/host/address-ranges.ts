import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import path from "node:path";
import { PintleError } from "pintle/internal/errors";

/**
 * How pods of process nodes are kept apart: by loopback addresses, without any rights, or by network and mount namespaces, which need root.
 */
export type PodIsolationMode = "loopback" | "namespaces";

/** The address ranges (two numbers: "10.244") of a cluster on this machine. */
export interface AddressRanges {
  readonly mode: PodIsolationMode;
  readonly pods: string;
  readonly services: string;
}

/**
 * Returns the ranges of a folder: the ones it used before, or ones that no other cluster on this machine is likely to use. They are stored
 * in the folder, because objects that outlive a restart contain their addresses.
 */
export async function chooseAddressRanges(
  folder: string,
  mode: PodIsolationMode,
  inUse: () => Promise<readonly string[]>,
): Promise<AddressRanges> {
  const file = path.join(folder, `networks-${mode}.json`);
  try {
    return JSON.parse(await readFile(file, "utf8")) as AddressRanges;
  } catch {
    const ranges = mode === "loopback" ? chooseLoopbackRanges(folder) : choosePrivateRanges(await inUse());
    await mkdir(folder, { recursive: true });
    await writeFile(file, `${JSON.stringify(ranges)}\n`);
    return ranges;
  }
}

function chooseLoopbackRanges(folder: string): AddressRanges {
  const n = createHash("sha256").update(folder).digest()[0]! % 60;
  return { mode: "loopback", pods: `127.${64 + n}`, services: `127.${128 + n}` };
}

/** The default ranges, or the next free ones. */
function choosePrivateRanges(inUse: readonly string[]): AddressRanges {
  const interfaces = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const usedAddresses = [...inUse, ...interfaces.map(({ address }) => address)];
  const isFree = (network: string) => !usedAddresses.some((address) => address.startsWith(`${network}.`));
  for (let n = 0; n < 8; n++) {
    const [pods, services] = [`10.${244 + n}`, `10.${96 + n}`];
    if (isFree(pods) && isFree(services)) return { mode: "namespaces", pods, services };
  }
  throw new PintleError(
    "PINTLE6321",
    "process nodes: no free address range: 10.96 to 10.103 and 10.244 to 10.251 are all in use on this machine",
  );
}
