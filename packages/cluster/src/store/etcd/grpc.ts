import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants, type IncomingHttpHeaders } from "node:http2";
import type { Socket } from "node:net";
import { Fields } from "./wire.ts";

/** A call that came to nothing. */
export class CallError extends Error {
  override readonly name = "CallError";
  /** gRPC's; undefined when there was no answer. */
  readonly code: number | undefined;
  /** Whether anybody can have heard of it. */
  readonly sent: boolean;
  constructor(code: number | undefined, message: string, sent = true) {
    super(message);
    this.code = code;
    this.sent = sent;
  }
}

export interface Channel {
  /** One message there, one back. */
  ask(method: string, message: Buffer, signal: AbortSignal): Promise<Fields>;
  /** Messages both ways, until either side ends it. */
  open(method: string, received: (message: Fields) => void, ended: (error: CallError) => void): Exchange;
  /** Ends every call; the next one connects anew. */
  drop(): void;
}
export interface Exchange {
  send(message: Buffer): void;
  end(): void;
}

export interface Credentials {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Answers may be long: room for them, where HTTP/2 has little by itself. */
const WINDOW = 8 * 1024 * 1024;
const PREFIX = 5;

/** gRPC to one address, over one connection that is made when it is needed. */
export function channel(endpoint: string, credentials: Credentials): Channel {
  let session: ClientHttp2Session | undefined;
  let established = false;
  let problem = "";

  const connected = (): ClientHttp2Session => {
    if (session !== undefined && !session.destroyed && !session.closed) return session;
    problem = "";
    established = false;
    const { ca, cert, key } = credentials;
    const made = connect(endpoint, {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert, key }),
      settings: { initialWindowSize: WINDOW },
    });
    made.on("error", (error: Error) => {
      problem = error.message || String((error as NodeJS.ErrnoException).code);
    });
    made.on("connect", (_session, socket) => {
      established = true;
      (socket as Socket).setKeepAlive(true, 15_000);
      made.setLocalWindowSize(WINDOW);
    });
    made.setMaxListeners(0);
    session = made;
    return made;
  };

  const call = (method: string, received: (message: Fields) => void, ended: (error: CallError) => void): ClientHttp2Stream => {
    const stream = connected().request({
      [constants.HTTP2_HEADER_METHOD]: "POST",
      [constants.HTTP2_HEADER_PATH]: `/etcdserverpb.${method}`,
      "content-type": "application/grpc",
      te: "trailers",
    });
    let status: CallError | undefined;
    const read = (headers: IncomingHttpHeaders) => {
      if (headers["grpc-status"] === undefined) return;
      status = new CallError(Number(headers["grpc-status"]), unescaped(String(headers["grpc-message"] ?? "")));
    };
    stream.on("response", (headers) => {
      if (headers[":status"] !== 200) status = new CallError(undefined, `it answers with HTTP status ${headers[":status"]}`);
      read(headers);
    });
    stream.on("trailers", read);
    stream.on(
      "data",
      unframed((message) => {
        try {
          received(new Fields(message));
        } catch (error) {
          status = new CallError(undefined, String(error));
          stream.close(constants.NGHTTP2_CANCEL);
        }
      }),
    );
    stream.on("error", (error: Error) => {
      problem ||= error.cause instanceof Error ? error.cause.message : error.message;
    });
    stream.on("close", () => ended(status ?? new CallError(undefined, problem || "the connection was closed", established)));
    return stream;
  };

  return {
    ask(method, message, signal) {
      return new Promise((resolve, reject) => {
        let answer: Fields | undefined;
        const stream = call(
          method,
          (received) => {
            answer = received;
          },
          (ending) => {
            signal.removeEventListener("abort", giveUp);
            if (ending.code === 0 && answer !== undefined) resolve(answer);
            else reject(signal.aborted ? new CallError(undefined, "it does not answer in time", ending.sent) : ending);
          },
        );
        const giveUp = () => stream.close(constants.NGHTTP2_CANCEL);
        signal.addEventListener("abort", giveUp);
        stream.end(framed(message));
      });
    },
    open(method, received, ended) {
      const stream = call(method, received, ended);
      return { send: (message) => void stream.write(framed(message)), end: () => stream.close(constants.NGHTTP2_CANCEL) };
    },
    drop: () => session?.destroy(),
  };
}

function framed(message: Buffer): Buffer {
  const bytes = Buffer.alloc(PREFIX + message.length);
  bytes.writeUInt32BE(message.length, 1);
  message.copy(bytes, PREFIX);
  return bytes;
}

/** Puts messages together from the pieces they come in. */
function unframed(received: (message: Buffer) => void): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let gathered = 0;
  let needed = PREFIX;
  return (chunk) => {
    pieces.push(chunk);
    gathered += chunk.length;
    while (gathered >= needed) {
      const bytes = Buffer.concat(pieces);
      const end = PREFIX + bytes.readUInt32BE(1);
      needed = end;
      pieces = [bytes];
      if (bytes.length < end) return;
      const rest = bytes.subarray(end);
      pieces = [rest];
      gathered = rest.length;
      needed = PREFIX;
      received(bytes.subarray(PREFIX, end));
    }
  };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
