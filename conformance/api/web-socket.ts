import { randomBytes } from "node:crypto";
import { type RequestOptions, request } from "node:https";
import type { Socket } from "node:net";

/** The result of a WebSocket handshake. */
export interface WebSocketResult {
  readonly status: number;
  readonly protocol: string | undefined;
  /** The body of a refused handshake. */
  readonly text: string;
  /** Waits for `count` messages or the close frame. */
  messages(count: number): Promise<readonly WebSocketMessage[]>;
  close(): void;
}
export interface WebSocketMessage {
  readonly opcode: number;
  readonly text: string;
}

const CLOSE = 8;

export function openWebSocket(url: string, options: RequestOptions): Promise<WebSocketResult> {
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    origin: "http://localhost",
    "sec-websocket-version": "13",
    "sec-websocket-key": randomBytes(16).toString("base64"),
  };
  return new Promise((resolve, reject) => {
    request(url, { ...options, headers: { ...upgrade, ...(options.headers as object) } })
      .on("upgrade", ({ headers }, socket, head) => {
        resolve({
          status: 101,
          protocol: headers["sec-websocket-protocol"] as string | undefined,
          text: "",
          ...readMessages(socket, head),
        });
      })
      .on("response", async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode ?? 0, protocol: undefined, text, messages: async () => [], close: () => {} });
      })
      .on("error", reject)
      .end();
  });
}

function readMessages(socket: Socket, head: Buffer) {
  let bytes = head;
  let messages: WebSocketMessage[] = [];
  let ended = false;
  let wake = () => {};
  const take = () => {
    for (let frame = parseFrame(bytes); frame !== undefined; frame = parseFrame(bytes)) {
      bytes = bytes.subarray(frame.size);
      messages.push({ opcode: frame.opcode, text: frame.payload.toString(frame.opcode === CLOSE ? "hex" : "utf8") });
    }
    wake();
  };
  socket.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    take();
  });
  socket.on("close", () => {
    ended = true;
    wake();
  });
  socket.on("error", () => {});
  take();
  return {
    async messages(count: number) {
      while (messages.length < count && !ended) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const batch = messages;
      messages = [];
      return batch;
    },
    close: () => void socket.destroy(),
  };
}

/** Parses the first frame; undefined while it is incomplete. Frames of servers are not masked. */
function parseFrame(bytes: Buffer): { readonly opcode: number; readonly payload: Buffer; readonly size: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = (bytes[1] as number) & 0x7f;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < start) return undefined;
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  if (bytes.length < start + length) return undefined;
  return { opcode: (bytes[0] as number) & 0xf, payload: bytes.subarray(start, start + length), size: start + length };
}
