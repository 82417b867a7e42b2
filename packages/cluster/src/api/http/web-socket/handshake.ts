import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { BEARER_PROTOCOL } from "./bearer.ts";

/** What is said to a client that wants a WebSocket: the head of the answer, and whether it now has one. */
export interface Handshake {
  readonly accepted: boolean;
  readonly text: string;
}

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** As upstream's library shakes hands: of the protocols it does not know any, and takes the one there is. */
export function handshake(headers: IncomingHttpHeaders): Handshake {
  const key = headers["sec-websocket-key"] ?? "";
  if (headers["sec-websocket-version"] !== "13") {
    return refused("400 Bad Request", "missing or bad WebSocket Version", "Sec-WebSocket-Version: 13");
  }
  if (key === "") return refused("400 Bad Request", "mismatch challenge/response");
  if (!headers.origin) return refused("403 Forbidden", "");
  const protocols = (headers["sec-websocket-protocol"] ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "" && !each.startsWith(BEARER_PROTOCOL));
  if (protocols.length > 1) return refused("400 Bad Request", "");
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

function refused(status: string, why: string, ...headers: readonly string[]): Handshake {
  const lines = [`HTTP/1.1 ${status}`, ...headers, "Connection: close", `Content-Length: ${Buffer.byteLength(why)}`];
  return { accepted: false, text: `${lines.join("\r\n")}\r\n\r\n${why}` };
}
