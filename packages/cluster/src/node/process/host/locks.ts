import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { PintleError } from "pintle/internal/errors";
import { lockFolder } from "../../../folder-lock/index.ts";

/** An abstract socket name: the kernel releases it when its process ends. */
const SOCKET_NAME = "\0pintle-process-nodes";
const RETRY_DELAY = 20;
const TIMEOUT = 30_000;

/** Runs one function at a time on this machine: two clusters that search for free addresses concurrently would choose the same ones. */
export async function withMachineLock<T>(work: () => Promise<T>): Promise<T> {
  const socket = await acquireMachineLock();
  try {
    return await work();
  } finally {
    socket.close();
  }
}

async function acquireMachineLock(): Promise<Server> {
  const until = performance.now() + TIMEOUT;
  for (;;) {
    const server = createServer();
    try {
      server.listen({ path: SOCKET_NAME });
      await once(server, "listening");
      return server;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || performance.now() > until) throw error;
      await delay(RETRY_DELAY);
    }
  }
}

/** Acquires the lock of a folder, so that no other process kills its pods. Returns the function that releases it. */
export async function acquireFolderLock(folder: string): Promise<() => void> {
  const lock = await lockFolder(folder);
  if ("release" in lock) return lock.release;
  throw new PintleError(
    "PINTLE6320",
    `process nodes: the folder ${folder} is in use by ${lock.heldBy}: stop it, or use another folder for this cluster`,
  );
}
