import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { PintleError } from "pintle/internal/errors";
import { findProgram, getSearchPath } from "../image/image-command.ts";
import { DEFAULT_IMAGES, type ImageTable } from "../image/image-table.ts";
import type { IsolationDriver } from "../runtime/isolation-driver.ts";
import { createLoopbackDriver } from "../runtime/loopback-driver.ts";
import { createNamespaceDriver } from "../runtime/namespace-driver.ts";
import { computeMark, killMarkedProcesses, type ProcessGuard, startProcessGuard } from "../runtime/process-guard.ts";
import { createUnsupportedDriver } from "../runtime/unsupported-driver.ts";
import { type AddressRanges, chooseAddressRanges, type PodIsolationMode } from "./address-ranges.ts";
import { acquireFolderLock, withMachineLock } from "./locks.ts";

/** The option `nodes` of `startCluster()` for nodes whose pods are processes of this machine. */
export interface ProcessNodesOptions {
  /** Selects process nodes. */
  readonly kind: "process";
  /** The number of nodes on this machine. Default: 1. */
  readonly count?: number | undefined;
  /** The folder for pods, logs and volumes; nothing is written outside of it. Default: a temporary one that is deleted with the cluster. */
  readonly folder?: string | undefined;
  /** Additional images, and how they run on this machine. Default: none. */
  readonly images?: ImageTable | undefined;
  /**
   * How pods are isolated. Default: "namespaces" as root on Linux with the necessary tools (unshare, nsenter, mount, ip); otherwise
   * "loopback".
   */
  readonly mode?: PodIsolationMode | undefined;
  /**
   * Files and folders of this machine that no pod may read, such as kubeconfigs. Holds in namespaces mode. The folders of the cluster and of its nodes
   * are always among them. Default: none.
   */
  readonly privatePaths?: readonly string[] | undefined;
}

/** A machine prepared for process nodes. */
export interface ProcessHost {
  readonly folder: string;
  readonly addressRanges: AddressRanges;
  readonly images: ImageTable;
  readonly count: number;
  readonly guard: ProcessGuard;
  readonly isRoot: boolean;
  /** Creates the isolation driver. In loopback mode, names in arguments are resolved by `resolve`. */
  createDriver(resolve: (name: string, namespace: string) => string | undefined): IsolationDriver;
  close(): Promise<void>;
}

/** Locks the folder, kills what an earlier cluster left in it, and chooses the isolation mode and address ranges. */
export async function prepareProcessHost(options: ProcessNodesOptions): Promise<ProcessHost> {
  const isTemporary = options.folder === undefined;
  if (options.folder !== undefined) await mkdir(options.folder, { recursive: true });
  const folder = await realpath(options.folder ?? (await mkdtemp(path.join(tmpdir(), "pintle-nodes-"))));
  const unlock = await acquireFolderLock(folder);
  const isRoot = process.getuid?.() === 0;
  const isLinux = process.platform === "linux";
  if (isLinux) await killMarkedProcesses(computeMark(folder));
  // Pods of other users must be able to reach their files.
  if (isTemporary && isRoot) await chmod(folder, 0o711);
  const processGuard = startProcessGuard(folder);
  const unsupportedReason = isLinux ? undefined : `process nodes run on Linux only; this is ${process.platform}: use simulated nodes here`;
  const privatePaths = selectOutermost([folder, ...(await Promise.all((options.privatePaths ?? []).map(resolveRealPath)))]);
  const { networks, driver } = await chooseIsolation(options.mode, folder, privatePaths, processGuard, isRoot && isLinux).catch(
    async (error: unknown) => {
      await processGuard.close();
      unlock();
      throw error;
    },
  );
  return {
    folder,
    addressRanges: networks,
    images: { ...DEFAULT_IMAGES, ...options.images },
    count: options.count ?? 1,
    guard: processGuard,
    isRoot,
    createDriver(resolve) {
      if (unsupportedReason !== undefined) return createUnsupportedDriver(unsupportedReason);
      return driver ?? createLoopbackDriver({ isRoot, resolve });
    },
    async close() {
      await driver?.close();
      await processGuard.close();
      unlock();
      if (isTemporary) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves the links of a path whose last part need not exist yet. */
async function resolveRealPath(file: string): Promise<string> {
  const absolute = path.resolve(file);
  const parent = await realpath(path.dirname(absolute)).catch(() => path.dirname(absolute));
  return realpath(absolute).catch(() => path.join(parent, path.basename(absolute)));
}

/** Drops paths that lie below others. */
function selectOutermost(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].filter((each) => !paths.some((other) => each.startsWith(`${other}/`)));
}

/** Chooses the isolation mode: the requested one, otherwise namespaces if the machine permits them. */
async function chooseIsolation(
  requested: PodIsolationMode | undefined,
  folder: string,
  privatePaths: readonly string[],
  processGuard: ProcessGuard,
  canUseNamespaces: boolean,
) {
  const missing = canUseNamespaces ? listMissingTools() : ["root on Linux"];
  if (requested === "namespaces" && missing.length > 0)
    throw new PintleError(
      "PINTLE6322",
      `process nodes: the mode "namespaces" requires ${missing.join(", ")}: install them, or use the mode "loopback"`,
    );
  if (requested !== "loopback" && missing.length === 0) {
    try {
      return await withMachineLock(async () => {
        const networks = await chooseAddressRanges(folder, "namespaces", listRoutedAddresses);
        return { networks, driver: await createNamespaceDriver(networks.pods, folder, privatePaths, processGuard) };
      });
    } catch (error) {
      // Root in a container often lacks the privileges.
      if (requested === "namespaces") throw error instanceof PintleError ? error : createNamespaceError(error);
    }
  }
  return { networks: await chooseAddressRanges(folder, "loopback", listRoutedAddresses), driver: undefined };
}

function createNamespaceError(cause: unknown): PintleError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new PintleError(
    "PINTLE6322",
    `process nodes: the mode "namespaces" cannot be set up: ${reason}: give this process more privileges, or use the mode "loopback"`,
    { cause },
  );
}

const REQUIRED_TOOLS = ["unshare", "nsenter", "setpriv", "mount", "ip", "sh"];

/** Lists the tools of util-linux and iproute2 that namespaces require and this machine lacks. */
function listMissingTools(): readonly string[] {
  const search = getSearchPath();
  return REQUIRED_TOOLS.filter((tool) => findProgram(tool, {}, search) === undefined);
}

/** Lists the addresses that this machine has routes for. */
async function listRoutedAddresses(): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)("ip", ["-4", "route", "show", "table", "all"]).catch(() => ({ stdout: "" }));
  return stdout.match(/\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g) ?? [];
}
