import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** A name of the kernel's own, in no file system: whoever ends, however, lets go of it. */
const NAME = "\0pintle-process-nodes";
const AGAIN = 20;
const LONGEST = 30_000;

/** One cluster of this machine after another: two that look for free addresses at the same time would choose the same ones. */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const held = await taken();
  try {
    return await work();
  } finally {
    held.close();
  }
}

async function taken(): Promise<Server> {
  const until = performance.now() + LONGEST;
  for (;;) {
    const server = createServer();
    try {
      server.listen({ path: NAME });
      await once(server, "listening");
      return server;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || performance.now() > until) throw error;
      await delay(AGAIN);
    }
  }
}
