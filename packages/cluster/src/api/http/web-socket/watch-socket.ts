import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WatchStream } from "../../request/api-request.ts";
import { encodeCloseFrame, encodeTextFrame, startsWithCloseFrame } from "./frames.ts";
import { buildHandshake } from "./handshake.ts";

/** A client that reads so slowly is disconnected; it lists and watches again. */
const MAX_BACKLOG_BYTES = 64 * 1024 * 1024;

export function isWebSocketUpgrade({ headers }: Pick<IncomingMessage, "headers">): boolean {
  return /\bupgrade\b/i.test(headers.connection ?? "") && headers.upgrade?.toLowerCase() === "websocket";
}

/** Serves a watch over a WebSocket: each event is a text message with its newline. Resolves when the connection is closed. */
export function serveWatchOverWebSocket(stream: WatchStream, { headers }: IncomingMessage, socket: Duplex): Promise<void> {
  const { accepted, text } = buildHandshake(headers);
  return new Promise((resolve) => {
    if (!accepted) {
      stream.open({ event: () => {}, end: () => {}, disconnect: () => {} })();
      socket.end(text, () => resolve());
      return;
    }
    socket.write(text);
    const stop = stream.open({
      event(event) {
        socket.write(encodeTextFrame(event.line()));
        if (socket.writableLength > MAX_BACKLOG_BYTES) socket.destroy();
      },
      end: () => socket.end(encodeCloseFrame()),
      disconnect: () => socket.destroy(),
    });
    socket.on("data", (bytes: Buffer) => {
      if (startsWithCloseFrame(bytes)) socket.end(encodeCloseFrame());
    });
    socket.once("close", () => {
      stop();
      resolve();
    });
  });
}
