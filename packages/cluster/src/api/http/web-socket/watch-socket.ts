import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WatchStream } from "../../request.ts";
import { closeFrame, isClose, textFrame } from "./frames.ts";
import { handshake } from "./handshake.ts";

/** A watcher that reads so slowly is cut off; it will look again. */
const BACKLOG = 64 * 1024 * 1024;

export function isWebSocket({ headers }: Pick<IncomingMessage, "headers">): boolean {
  return /\bupgrade\b/i.test(headers.connection ?? "") && headers.upgrade?.toLowerCase() === "websocket";
}

/** A watch over a WebSocket: each event a text message, its newline included. Resolves when it is over. */
export function watchSocket(stream: WatchStream, { headers }: IncomingMessage, socket: Duplex): Promise<void> {
  const { accepted, text } = handshake(headers);
  return new Promise((resolve) => {
    if (!accepted) {
      stream.open({ event: () => {}, end: () => {}, cut: () => {} })();
      socket.end(text, () => resolve());
      return;
    }
    socket.write(text);
    const stop = stream.open({
      event(event) {
        socket.write(textFrame(event.line()));
        if (socket.writableLength > BACKLOG) socket.destroy();
      },
      end: () => socket.end(closeFrame()),
      cut: () => socket.destroy(),
    });
    socket.on("data", (bytes: Buffer) => {
      if (isClose(bytes)) socket.end(closeFrame());
    });
    socket.once("close", () => {
      stop();
      resolve();
    });
  });
}
