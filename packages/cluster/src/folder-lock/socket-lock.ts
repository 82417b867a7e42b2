import { createHash, randomBytes } from "node:crypto";
import { chmodSync, closeSync, constants, existsSync, openSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import path from "node:path";
import { getOwnIdentity, type ProcessIdentity, parseIdentity } from "./process-identity.ts";

/** The file system has no sockets. */
export const SOCKETS_UNSUPPORTED = Symbol("sockets unsupported");

export type SocketLock =
  | { readonly release: () => void }
  /** undefined: a process that does not respond. */
  | { readonly heldBy: ProcessIdentity | undefined };

/** The state that a process sends to every other process that connects; sent again when `held` changes. */
interface Announcement {
  /** Random; of two processes that want the lock at once the one with the lower id gets it. */
  readonly id: string;
  readonly held: boolean;
  readonly process: ProcessIdentity;
}

const LOCK_NAME = /^lock-[0-9a-f]{16}$/;
const UNFINISHED_LOCK_NAME = /^lock-[0-9a-f]{16}\.new$/;
/** How long a process that can be connected to may take to respond: its event loop may be busy. */
const RESPONSE_TIMEOUT_MS = 2_000;
/** Errors of bind(2) that mean a file system without sockets; the others are about the folder. */
const UNSUPPORTED_CODES = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EINVAL"]);

/**
 * Acquires the lock of a folder. Each process listens on a socket of its own in the folder, gives it the name of a lock once connections
 * are accepted, and then connects to the others. Of two processes, the one whose socket got its name later sees the other, so at most one
 * finds itself alone. A socket that refuses connections belongs to an ended process and is removed; a running process is never mistaken
 * for an ended one, because the kernel accepts connections while the process is busy or stopped.
 */
export async function acquireSocketLock(folder: string): Promise<SocketLock | typeof SOCKETS_UNSUPPORTED> {
  if (process.platform === "win32") return acquirePipeLock(folder);
  const directory = openDirectory(folder);
  const id = randomBytes(8).toString("hex");
  const name = `lock-${id}`;
  const file = path.join(folder, name);
  const announcer = createAnnouncer(id);
  const release = () => {
    rmSync(file, { force: true });
    announcer.close();
    directory.close();
  };
  try {
    // Between bind and listen a socket refuses connections, so it does not have its name yet.
    await announcer.listen(directory.socketPath(`${name}.new`));
    chmodSync(`${file}.new`, 0o600);
    renameSync(`${file}.new`, file);
    for (const other of readdirSync(folder)) {
      if (other === name || !isLockFile(other)) continue;
      const outcome = await resolveContention(directory.socketPath(other), id);
      if (outcome === "ended") rmSync(path.join(folder, other), { force: true });
      if (typeof outcome === "string") continue;
      release();
      return outcome;
    }
    announcer.announceHeld();
    await removeUnfinishedLocks(folder, directory);
    return { release };
  } catch (error) {
    rmSync(`${file}.new`, { force: true });
    release();
    const { code, syscall } = error as NodeJS.ErrnoException;
    // The holder took it for one of an ended process, because it did not accept connections yet: now it does.
    if (code === "ENOENT" && (syscall === "rename" || syscall === "chmod")) return acquireSocketLock(folder);
    if (syscall === "listen" && UNSUPPORTED_CODES.has(code ?? "")) return SOCKETS_UNSUPPORTED;
    throw error;
  }
}

/** Earlier versions had regular files named after a pid; connecting to them is refused, so they count as ended. */
function isLockFile(name: string): boolean {
  return LOCK_NAME.test(name) || /^lock-\d+-[^-]+-\d+$/.test(name);
}

/** On Windows a named pipe has the role of the socket; only one process can create it. */
async function acquirePipeLock(folder: string): Promise<SocketLock> {
  const pipe = `\\\\.\\pipe\\pintle-${createHash("sha256").update(realpathSync(folder).toLowerCase()).digest("hex").slice(0, 32)}`;
  const announcer = createAnnouncer("");
  try {
    await announcer.listen(pipe);
    announcer.announceHeld();
    return { release: announcer.close };
  } catch (error) {
    announcer.close();
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    const outcome = await resolveContention(pipe, "");
    return typeof outcome === "string" ? { heldBy: undefined } : outcome;
  }
}

interface LockDirectory {
  /** Returns the address of a socket in the folder. */
  socketPath(name: string): string;
  close(): void;
}

/** Addresses of sockets are limited to about 100 bytes; on Linux an open folder shortens any path. */
function openDirectory(folder: string): LockDirectory {
  const absolute = path.resolve(folder);
  if (process.platform !== "linux" || !existsSync("/proc/self/fd")) {
    const relative = path.relative("", absolute);
    const shorter = relative.length < absolute.length ? relative : absolute;
    return { socketPath: (name) => path.join(shorter, name), close() {} };
  }
  const handle = openSync(absolute, constants.O_RDONLY | constants.O_DIRECTORY);
  return { socketPath: (name) => `/proc/self/fd/${handle}/${name}`, close: () => closeSync(handle) };
}

/** A server that sends the state of this process to every client. Does not keep the process alive. */
function createAnnouncer(id: string) {
  const clients = new Set<Socket>();
  const identity = getOwnIdentity();
  let held = false;
  const line = () => `${JSON.stringify({ id, held, process: identity } satisfies Announcement)}\n`;
  const server: Server = createServer((client) => {
    clients.add(client.unref());
    client.on("close", () => clients.delete(client));
    // The other process ended.
    client.on("error", () => {});
    client.resume();
    client.write(line());
  });
  return {
    async listen(address: string): Promise<void> {
      await new Promise<void>((resolve, reject) => {
        // Exclusive: a worker of node:cluster would otherwise share the socket of its primary.
        server.once("error", reject).listen({ path: address, exclusive: true }, resolve);
      });
      server.unref();
    },
    announceHeld(): void {
      held = true;
      for (const client of clients) client.write(line());
    },
    close(): void {
      server.close();
      for (const client of clients) client.destroy();
    },
  };
}

/**
 * Decides between this process and the owner of another socket. "ended": the owner no longer runs; "withdrawn": it gave way;
 * otherwise it has the lock or gets it.
 */
async function resolveContention(
  address: string,
  ownId: string,
): Promise<"ended" | "withdrawn" | { readonly heldBy: ProcessIdentity | undefined }> {
  const deadline = performance.now() + RESPONSE_TIMEOUT_MS;
  for (;;) {
    const outcome = await readAnnouncements(address, ownId, deadline - performance.now());
    // A process that withdraws closes its connections: the next attempt finds no socket.
    if (outcome !== "closed") return outcome;
    if (performance.now() > deadline) return { heldBy: undefined };
  }
}

function readAnnouncements(address: string, ownId: string, timeoutMs: number) {
  return new Promise<"ended" | "withdrawn" | "closed" | { readonly heldBy: ProcessIdentity | undefined }>((resolve) => {
    const client = connect(address);
    let text = "";
    const finish = (outcome: Parameters<typeof resolve>[0]) => {
      clearTimeout(timer);
      client.destroy();
      resolve(outcome);
    };
    const timer = setTimeout(() => finish({ heldBy: undefined }), timeoutMs);
    client.on("error", ({ code }: NodeJS.ErrnoException) => {
      if (code === "ENOENT") finish("withdrawn");
      else if (code === "ECONNREFUSED" || code === "ENOTSOCK") finish("ended");
      else if (code === "ECONNRESET" || code === "EPIPE") finish("closed");
      // A full queue, or a socket of another user: it exists, so its process may run.
      else finish({ heldBy: undefined });
    });
    client.on("close", () => finish("closed"));
    client.on("data", (chunk) => {
      text += chunk;
      const lines = text.split("\n");
      text = lines.pop() ?? "";
      for (const each of lines) {
        const { id, held, process: identity } = JSON.parse(each) as Announcement;
        if (held || id < ownId) return finish({ heldBy: parseIdentity(identity) });
      }
    });
  });
}

/** Removes sockets of processes that ended before they could name them. The caller has the lock, so no running process needs them. */
async function removeUnfinishedLocks(folder: string, directory: LockDirectory): Promise<void> {
  for (const name of readdirSync(folder)) {
    if (!UNFINISHED_LOCK_NAME.test(name)) continue;
    const outcome = await readAnnouncements(directory.socketPath(name), "", RESPONSE_TIMEOUT_MS);
    if (outcome === "ended") rmSync(path.join(folder, name), { force: true });
  }
}
