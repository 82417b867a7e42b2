import { createHash } from "node:crypto";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type ApiResponse, getHeader, type HttpHeaders } from "../request/api-request.ts";
import { createMessageChannel, isWebSocketUpgrade, serveWatchOverWebSocket } from "./web-socket/index.ts";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Hands the connection of an upgrade request to its response; undefined for a response that is no stream. */
export function upgradeToResponse(
  { body, status, headers }: ApiResponse,
  request: IncomingMessage,
  take: () => Duplex,
): Promise<void> | undefined {
  switch (body.type) {
    case "watch":
      return isWebSocketUpgrade(request) ? serveWatchOverWebSocket(body.stream, request, take()) : undefined;
    case "messages": {
      const socket = take();
      const accept = createHash("sha1")
        .update((request.headers["sec-websocket-key"] ?? "") + GUID)
        .digest("base64");
      socket.write(encodeHead(status, { upgrade: "websocket", connection: "Upgrade", ...headers, "sec-websocket-accept": accept }));
      return body.serve(createMessageChannel(socket, getHeader(headers, "sec-websocket-protocol") ?? ""));
    }
    case "wire": {
      const socket = take();
      socket.write(encodeHead(status, headers));
      return body.serve(socket);
    }
    default:
      return undefined;
  }
}

function encodeHead(status: number, headers: HttpHeaders): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((each) => `${name}: ${each}`));
  return `${[`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines].join("\r\n")}\r\n\r\n`;
}
