import { createHash } from "node:crypto";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type ApiAnswer, type Headers, header } from "../request.ts";
import { messageChannel } from "./web-socket/message-channel.ts";
import { isWebSocket, watchSocket } from "./web-socket/watch-socket.ts";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Gives the connection of a request to its answer, where that is one to go on with; undefined where it is not. */
export function takeover({ body, status, headers }: ApiAnswer, request: IncomingMessage, take: () => Duplex): Promise<void> | undefined {
  switch (body.type) {
    case "watch":
      return isWebSocket(request) ? watchSocket(body.stream, request, take()) : undefined;
    case "messages": {
      const socket = take();
      const accept = createHash("sha1")
        .update((request.headers["sec-websocket-key"] ?? "") + GUID)
        .digest("base64");
      socket.write(head(status, { upgrade: "websocket", connection: "Upgrade", ...headers, "sec-websocket-accept": accept }));
      return body.serve(messageChannel(socket, header(headers, "sec-websocket-protocol") ?? ""));
    }
    case "wire": {
      const socket = take();
      socket.write(head(status, headers));
      return body.serve(socket);
    }
    default:
      return undefined;
  }
}

function head(status: number, headers: Headers): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((each) => `${name}: ${each}`));
  return `${[`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines].join("\r\n")}\r\n\r\n`;
}
