/**
 * Exclusive use of a folder by one process. In: a folder. Out: the function that releases it, or the process that has it.
 *
 * The lock is a listening Unix socket in the folder. The kernel knows whether its process runs, also in another PID namespace or container,
 * and closes it when the process ends in any way. A network file system may be mounted by another machine, whose sockets this kernel does
 * not see; there, and where the file system has no sockets, a lease file is kept up to date in addition.
 */
import { statfsSync } from "node:fs";
import { backgroundClock, type Clock } from "pintle/internal/clock";
import { acquireLease } from "./lease-lock.ts";
import { describeProcess } from "./process-identity.ts";
import { acquireSocketLock, SOCKETS_UNSUPPORTED } from "./socket-lock.ts";

export type FolderLock = { readonly release: () => void } | { readonly heldBy: string };

export interface FolderLockOptions {
  readonly clock?: Clock | undefined;
  /** Whether other machines may mount the folder. Default: by the type of the file system. */
  readonly isShared?: boolean | undefined;
  /** Whether the file system has sockets. Default: found out. */
  readonly hasSockets?: boolean | undefined;
}

/** Locks an existing folder. Throws the file system's error if the folder cannot be written. */
export async function lockFolder(folder: string, options: FolderLockOptions = {}): Promise<FolderLock> {
  const { clock = backgroundClock, hasSockets = true } = options;
  const socket = hasSockets ? await acquireSocketLock(folder) : SOCKETS_UNSUPPORTED;
  if (socket !== SOCKETS_UNSUPPORTED && "heldBy" in socket) return { heldBy: describeProcess(socket.heldBy) };
  if (socket !== SOCKETS_UNSUPPORTED && !(options.isShared ?? isNetworkFileSystem(folder))) return socket;
  const releaseSocket = () => socket !== SOCKETS_UNSUPPORTED && socket.release();
  try {
    const lease = await acquireLease(folder, clock);
    if ("heldBy" in lease) {
      releaseSocket();
      return { heldBy: describeProcess(lease.heldBy) };
    }
    return {
      release() {
        lease.release();
        releaseSocket();
      },
    };
  } catch (error) {
    releaseSocket();
    throw error;
  }
}

/** Numbers of statfs(2) of file systems that several machines can mount, or behind which there may be one. */
const NETWORK_FILE_SYSTEMS = new Set([
  0x6969, // NFS
  0x517b, // SMB
  0xfe534d42, // SMB2
  0xff534d42, // CIFS
  0x01021997, // 9P
  0x65735546, // FUSE and virtiofs
  0x00c36400, // Ceph
  0x5346414f, // AFS
  0x47504653, // GPFS
  0x0bd00bd0, // Lustre
  0x7461636f, // OCFS2
  0x01161970, // GFS2
]);

function isNetworkFileSystem(folder: string): boolean {
  try {
    return NETWORK_FILE_SYSTEMS.has(statfsSync(folder).type >>> 0);
  } catch {
    // Not available on every platform; assume the common case.
    return false;
  }
}
