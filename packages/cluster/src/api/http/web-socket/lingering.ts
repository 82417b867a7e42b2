import type { Duplex } from "node:stream";

/** How long somebody who was told goodbye may go on talking. */
const PATIENCE = 5000;

/**
 * Ends a connection after these bytes. What the other side still sends is read and dropped until it ends too: a connection
 * that is closed with something unread in it is reset, and the other side may lose the last of what it was told.
 */
export function lingering(socket: Duplex, goodbye?: Uint8Array): void {
  if (goodbye === undefined) socket.end();
  else socket.end(goodbye);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), PATIENCE);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}
