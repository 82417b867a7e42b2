import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { BEARER_PROTOCOL } from "./bearer-protocol.ts";

/** The response to a WebSocket handshake: its head, and whether the connection is accepted. */
export interface Handshake {
  readonly accepted: boolean;
  readonly text: string;
}

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Builds the handshake as the library of kube-apiserver does: it knows no protocols, and accepts the one that is offered. */
export function buildHandshake(headers: IncomingHttpHeaders): Handshake {
  const key = headers["sec-websocket-key"] ?? "";
  if (headers["sec-websocket-version"] !== "13") {
    return rejectHandshake("400 Bad Request", "missing or bad WebSocket Version", "Sec-WebSocket-Version: 13");
  }
  if (key === "") return rejectHandshake("400 Bad Request", "mismatch challenge/response");
  if (!headers.origin) return rejectHandshake("403 Forbidden", "");
  const protocols = (headers["sec-websocket-protocol"] ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "" && !each.startsWith(BEARER_PROTOCOL));
  if (protocols.length > 1) return rejectHandshake("400 Bad Request", "");
  const accept = createHash("sha1")
    .update(key + GUID)
    .digest("base64");
  const chosen = protocols.map((protocol) => `Sec-WebSocket-Protocol: ${protocol}`);
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${accept}`,
    ...chosen,
  ];
  return { accepted: true, text: `${lines.join("\r\n")}\r\n\r\n` };
}

function rejectHandshake(status: string, why: string, ...headers: readonly string[]): Handshake {
  const lines = [`HTTP/1.1 ${status}`, ...headers, "Connection: close", `Content-Length: ${Buffer.byteLength(why)}`];
  return { accepted: false, text: `${lines.join("\r\n")}\r\n\r\n${why}` };
}
