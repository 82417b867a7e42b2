import path from "node:path";
import { fileURLToPath } from "node:url";
import { built } from "../peers/built.ts";
import type { PeerName } from "../peers/programs.ts";
import { published } from "./published.ts";

/** One who takes part, in a program of its own: how to start it, as command and arguments. */
export interface Side {
  readonly name: string;
  operator(ports: readonly number[]): readonly string[];
  /** Undefined: it has no such cache. */
  cache(of: "pods" | "workers", metadataOnly: boolean): readonly string[] | undefined;
  /** More than so many objects, and its cache would take longer than all others together. Default: any number. */
  readonly mostCached?: { readonly objects: number; readonly why: string } | undefined;
}

/** Those that can hold so many; who cannot is said in `missing`. */
export function holding<S extends Side>(sides: readonly S[], objects: number, missing: Record<string, string>): readonly S[] {
  const tooMany = ({ mostCached }: S) => mostCached !== undefined && mostCached.objects < objects;
  for (const { name, mostCached } of sides.filter(tooMany))
    missing[`${name}, with more than ${mostCached!.objects} objects cached`] = mostCached!.why;
  return sides.filter((side) => !tooMany(side));
}

export interface Sides {
  readonly sides: readonly Side[];
  /** As `sides`, and those that can drop managedFields, which we do by ourselves, once more doing so. */
  readonly caches: readonly Side[];
  readonly missing: Record<string, string>;
  /** The folder that has our side compiled; whoever asked removes it. */
  readonly folder: string;
}

const PEERS = ["controller-runtime", "kube-rs", "kopf", "client-node", "pepr"] as const satisfies readonly PeerName[];
type Peer = (typeof PEERS)[number];
const KOPF_MOST = {
  objects: 1_000,
  why: "its index costs the square of what it holds: 0.3, 3.9 and 31 s for 200, 1,000 and 3,000 pods, and not done after three minutes with 10,000",
};
const certificates = fileURLToPath(new URL("../../packages/pintle/test/client/certificates/", import.meta.url));

/** Us, as we are published, and every peer that could be built; or only those named. */
export async function sides(only: readonly string[] | undefined): Promise<Sides> {
  const { commands, missing } = await built(PEERS.filter((name) => only?.includes(name) ?? true));
  const ours = ["operator", "cache"].map((name) => fileURLToPath(new URL(`../peers/pintle/${name}.ts`, import.meta.url)));
  const folder = await published(ours);
  const pintle: Side = {
    name: "pintle",
    operator: (ports) => [process.execPath, path.join(folder, "operator.js"), ...addresses(ports)],
    cache: (of, metadataOnly) => [process.execPath, path.join(folder, "cache.js"), of, ...(metadataOnly ? ["metadata-only"] : [])],
  };
  const found = PEERS.filter((name) => commands.has(name));
  const peers = found.map((name) => peer(name, name, commands.get(name)!, false));
  const stripping = found
    .filter((name) => name === "controller-runtime" || name === "kube-rs")
    .map((name) => peer(name, `${name}, stripped`, commands.get(name)!, true));
  return { sides: [pintle, ...peers], caches: [pintle, ...peers, ...stripping], missing: { ...missing }, folder };
}

function peer(which: Peer, name: string, command: readonly string[], strip: boolean): Side {
  if (which === "controller-runtime")
    return {
      name,
      operator: (ports) => [...command, "operator", "--workers=10", ...addresses(ports)],
      cache: (of, metadataOnly) => [...command, "cache", `--of=${of}`, `--metadata-only=${metadataOnly}`, `--strip=${strip}`],
    };
  if (which === "pepr")
    return {
      name,
      operator: ([port]) => [...command, "operator", String(port), certificates],
      // What it keeps cannot be read.
      cache: () => undefined,
    };
  return {
    name,
    operator: () => [...command, "operator"],
    mostCached: which === "kopf" ? KOPF_MOST : undefined,
    cache(of, metadataOnly) {
      if (metadataOnly && which !== "kube-rs") return undefined;
      return [...command, "cache", of, ...(metadataOnly ? ["metadata-only"] : []), ...(strip ? ["strip"] : [])];
    },
  };
}

const addresses = ([metrics, health]: readonly number[]) => [
  `--metrics-bind-address=127.0.0.1:${metrics}`,
  `--health-probe-bind-address=127.0.0.1:${health}`,
];
