import type { Duplex } from "node:stream";

/** How long the other side may go on sending after the close. */
const LINGER_TIMEOUT_MS = 5000;

/**
 * Ends a connection after these bytes. What the other side still sends is read and dropped until it ends too: closing a connection
 * with unread data resets it, and the other side may lose the last bytes.
 */
export function endWithLinger(socket: Duplex, goodbye?: Uint8Array): void {
  if (goodbye === undefined) socket.end();
  else socket.end(goodbye);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_TIMEOUT_MS);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}
