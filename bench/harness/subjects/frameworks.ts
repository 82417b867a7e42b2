import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildPeers } from "../../peers/build-peers.ts";
import type { PeerName } from "../../peers/programs.ts";
import { packPublished } from "./published-package.ts";

/** An operator framework in the comparison: how to start its programs, as command and arguments. */
export interface Framework {
  readonly name: string;
  operatorCommand(ports: readonly number[]): readonly string[];
  /** Returns undefined if the framework has no such cache. */
  cacheCommand(kind: "pods" | "workers", metadataOnly: boolean): readonly string[] | undefined;
  /** The most objects its cache is measured with, and why. Default: no limit. */
  readonly cacheLimit?: { readonly objects: number; readonly reason: string } | undefined;
}

/** The frameworks whose cache can hold that many objects. The others are added to `missing`. */
export function filterByCacheLimit<F extends Framework>(
  frameworks: readonly F[],
  objects: number,
  missing: Record<string, string>,
): readonly F[] {
  const isOverLimit = ({ cacheLimit }: F) => cacheLimit !== undefined && cacheLimit.objects < objects;
  for (const { name, cacheLimit } of frameworks.filter(isOverLimit))
    missing[`${name}, with more than ${cacheLimit!.objects} objects cached`] = cacheLimit!.reason;
  return frameworks.filter((framework) => !isOverLimit(framework));
}

/** The frameworks that take part in a run. */
export interface FrameworkSet {
  readonly operators: readonly Framework[];
  /** As `operators`, and once more with managedFields stripped those that can do so; pintle always does. */
  readonly caches: readonly Framework[];
  readonly missing: Record<string, string>;
  /** The folder with the compiled programs of pintle. The caller removes it. */
  readonly folder: string;
}

const PEERS = ["controller-runtime", "kube-rs", "kopf", "client-node", "pepr"] as const satisfies readonly PeerName[];
type Peer = (typeof PEERS)[number];
const KOPF_CACHE_LIMIT = {
  objects: 1_000,
  reason:
    "the cost of its index is quadratic in the number of objects: 0.3, 3.9 and 31 s for 200, 1,000 and 3,000 pods; 10,000 had not synced after three minutes",
};
const certificates = fileURLToPath(new URL("../../../packages/pintle/test/client/certificates/", import.meta.url));

/** Prepares pintle as it is published and every peer that can be built, or only the peers in `only`. */
export async function prepareFrameworks(only: readonly string[] | undefined): Promise<FrameworkSet> {
  const { commands, missing } = await buildPeers(PEERS.filter((name) => only?.includes(name) ?? true));
  const scripts = ["operator", "cache"].map((name) => fileURLToPath(new URL(`../../peers/pintle/${name}.ts`, import.meta.url)));
  const folder = await packPublished(scripts);
  const pintle: Framework = {
    name: "pintle",
    operatorCommand: (ports) => [process.execPath, path.join(folder, "operator.js"), ...addressFlags(ports)],
    cacheCommand: (kind, metadataOnly) => [
      process.execPath,
      path.join(folder, "cache.js"),
      kind,
      ...(metadataOnly ? ["metadata-only"] : []),
    ],
  };
  const available = PEERS.filter((name) => commands.has(name));
  const peers = available.map((name) => createPeer(name, name, commands.get(name)!, false));
  const stripped = available
    .filter((name) => name === "controller-runtime" || name === "kube-rs")
    .map((name) => createPeer(name, `${name}, stripped`, commands.get(name)!, true));
  return { operators: [pintle, ...peers], caches: [pintle, ...peers, ...stripped], missing: { ...missing }, folder };
}

function createPeer(peer: Peer, name: string, command: readonly string[], stripManagedFields: boolean): Framework {
  if (peer === "controller-runtime")
    return {
      name,
      operatorCommand: (ports) => [...command, "operator", "--workers=10", ...addressFlags(ports)],
      cacheCommand: (kind, metadataOnly) => [
        ...command,
        "cache",
        `--kind=${kind}`,
        `--metadata-only=${metadataOnly}`,
        `--strip=${stripManagedFields}`,
      ],
    };
  if (peer === "pepr")
    return {
      name,
      operatorCommand: ([port]) => [...command, "operator", String(port), certificates],
      // Its cache cannot be read.
      cacheCommand: () => undefined,
    };
  return {
    name,
    operatorCommand: () => [...command, "operator"],
    cacheLimit: peer === "kopf" ? KOPF_CACHE_LIMIT : undefined,
    cacheCommand(kind, metadataOnly) {
      if (metadataOnly && peer !== "kube-rs") return undefined;
      return [...command, "cache", kind, ...(metadataOnly ? ["metadata-only"] : []), ...(stripManagedFields ? ["strip"] : [])];
    },
  };
}

const addressFlags = ([metrics, health]: readonly number[]) => [
  `--metrics-bind-address=127.0.0.1:${metrics}`,
  `--health-probe-bind-address=127.0.0.1:${health}`,
];
