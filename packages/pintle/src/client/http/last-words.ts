import type { Duplex } from "node:stream";

/**
 * A server that has said everything may hang up while we still write. The write fails, what the server said may wait unread in
 * the kernel, and Node destroys a socket whose write failed without looking. This one reads on before it goes: what arrives
 * after the failure, which the stream itself takes no more, is given to `take`.
 */
export function lastWords(socket: Duplex, take: (chunk: Buffer) => void): void {
  const { push, destroy } = socket;
  socket.push = (chunk: Buffer | null, encoding) => {
    if (chunk !== null && socket.errored !== null) take(chunk);
    return push.call(socket, chunk, encoding);
  };
  socket.destroy = (error?: NodeJS.ErrnoException) => {
    if (error?.syscall !== "write") return destroy.call(socket, error);
    // The first turn may have looked at the socket before the failure; the second one surely looks after it.
    setImmediate(() => setImmediate(() => destroy.call(socket, error)));
    return socket;
  };
}
