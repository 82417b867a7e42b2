import { chmod, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { IMAGES, type ImageTable } from "./image/table.ts";
import { lock } from "./lock.ts";
import { type Mode, type Networks, networksOf } from "./networks.ts";
import type { Driver } from "./runtime/driver.ts";
import { endMarked, type Guard, guard, markOf } from "./runtime/guard.ts";
import { loopbackDriver } from "./runtime/loopback.ts";
import { namespaceDriver } from "./runtime/namespaces/driver.ts";
import { missingTools, routedAddresses } from "./runtime/namespaces/tools.ts";
import { unsupportedDriver } from "./runtime/unsupported.ts";
import { inTurn } from "./turn.ts";

export interface ProcessNodesOptions {
  readonly kind: "process";
  /** How many nodes share this machine. Default: 1. */
  readonly count?: number | undefined;
  /** Where pods, logs and volumes are kept; nothing is written anywhere else. Default: one that goes with the cluster. */
  readonly folder?: string | undefined;
  /** Images beyond the usual ones, and what they are here. */
  readonly images?: ImageTable | undefined;
  /**
   * How pods are kept apart. Default: "namespaces" as root on Linux, with the tools it needs (unshare, nsenter, mount, ip);
   * otherwise "loopback".
   */
  readonly mode?: Mode | undefined;
}

/** A part of this machine, made ready for process nodes. */
export interface Site {
  readonly folder: string;
  readonly networks: Networks;
  readonly images: ImageTable;
  readonly count: number;
  readonly guard: Guard;
  readonly isRoot: boolean;
  /** How pods are kept apart here. Where they have no names of their own, they are told what a name stands for. */
  driver(resolve: (name: string, namespace: string) => string | undefined): Driver;
  close(): Promise<void>;
}

/** Takes hold of a folder, ends what an earlier cluster left in it, and chooses the ranges of addresses. */
export async function processSite(options: ProcessNodesOptions): Promise<Site> {
  const isTemporary = options.folder === undefined;
  if (options.folder !== undefined) await mkdir(options.folder, { recursive: true });
  const folder = await realpath(options.folder ?? (await mkdtemp(path.join(tmpdir(), "pintle-nodes-"))));
  const unlock = await lock(folder);
  const isRoot = process.getuid?.() === 0;
  const isLinux = process.platform === "linux";
  if (isLinux) await endMarked(markOf(folder));
  // A pod that runs as somebody else has to reach its own files.
  if (isTemporary && isRoot) await chmod(folder, 0o711);
  const watcher = guard(folder);
  const whyNot = isLinux ? undefined : `process nodes run on Linux only; this is ${process.platform}: use simulated nodes here`;
  const { networks, apart } = await modeOf(options.mode, folder, watcher, isRoot && isLinux).catch(async (error: unknown) => {
    await watcher.close();
    await unlock();
    throw error;
  });
  return {
    folder,
    networks,
    images: { ...IMAGES, ...options.images },
    count: options.count ?? 1,
    guard: watcher,
    isRoot,
    driver(resolve) {
      if (whyNot !== undefined) return unsupportedDriver(whyNot);
      return apart ?? loopbackDriver({ isRoot, resolve });
    },
    async close() {
      await apart?.close();
      await watcher.close();
      await unlock();
      if (isTemporary) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The mode that was asked for; by default namespaces where the machine lets us have them, else loopback. */
async function modeOf(wanted: Mode | undefined, folder: string, watcher: Guard, mayTry: boolean) {
  const missing = mayTry ? missingTools() : ["root on Linux"];
  if (wanted === "namespaces" && missing.length > 0)
    throw new Error(
      `process nodes: pods with namespaces of their own need ${missing.join(", ")}; choose the mode "loopback", or install them`,
    );
  if (wanted !== "loopback" && missing.length === 0) {
    try {
      return await inTurn(async () => {
        const networks = await networksOf(folder, "namespaces", routedAddresses);
        return { networks, apart: await namespaceDriver(networks.pods, watcher) };
      });
    } catch (error) {
      // Root of a container is often not allowed to.
      if (wanted === "namespaces") throw error;
    }
  }
  return { networks: await networksOf(folder, "loopback", routedAddresses), apart: undefined };
}
