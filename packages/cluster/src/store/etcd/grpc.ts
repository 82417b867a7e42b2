import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants, type IncomingHttpHeaders } from "node:http2";
import type { Socket } from "node:net";
import { createGrpcFrameReader, encodeGrpcFrame } from "./grpc-frames.ts";
import { MessageFields } from "./protobuf-wire.ts";

/** A failed gRPC call. */
export class GrpcError extends Error {
  override readonly name = "CallError";
  /** The gRPC status code; undefined when the server did not respond. */
  readonly code: number | undefined;
  /** Whether the server may have received the request. */
  readonly mayHaveBeenSent: boolean;
  constructor(code: number | undefined, message: string, mayHaveBeenSent = true) {
    super(message);
    this.code = code;
    this.mayHaveBeenSent = mayHaveBeenSent;
  }
}

export interface GrpcChannel {
  /** Unary call: sends one message and resolves with the response. */
  call(method: string, message: Buffer, signal: AbortSignal): Promise<MessageFields>;
  /** Opens a bidirectional stream, until either side ends it. */
  openStream(method: string, received: (message: MessageFields) => void, ended: (error: GrpcError) => void): GrpcStream;
  /** Ends every call; the next call reconnects. */
  close(): void;
}
export interface GrpcStream {
  send(message: Buffer): void;
  end(): void;
}

export interface GrpcCredentials {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Flow-control window; the HTTP/2 default is too small for long responses. */
const WINDOW_BYTES = 8 * 1024 * 1024;

/** Creates a gRPC channel to one endpoint over one connection, opened on demand. */
export function createGrpcChannel(endpoint: string, credentials: GrpcCredentials): GrpcChannel {
  let session: ClientHttp2Session | undefined;
  let isEstablished = false;
  let connectionError = "";

  const getSession = (): ClientHttp2Session => {
    if (session !== undefined && !session.destroyed && !session.closed) return session;
    connectionError = "";
    isEstablished = false;
    const { ca, cert, key } = credentials;
    const created = connect(endpoint, {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert, key }),
      settings: { initialWindowSize: WINDOW_BYTES },
    });
    created.on("error", (error: Error) => {
      connectionError = error.message || String((error as NodeJS.ErrnoException).code);
    });
    created.on("connect", (_session, socket) => {
      isEstablished = true;
      (socket as Socket).setKeepAlive(true, 15_000);
      created.setLocalWindowSize(WINDOW_BYTES);
    });
    created.setMaxListeners(0);
    session = created;
    return created;
  };

  const openRequest = (
    method: string,
    received: (message: MessageFields) => void,
    ended: (error: GrpcError) => void,
  ): ClientHttp2Stream => {
    const stream = getSession().request({
      [constants.HTTP2_HEADER_METHOD]: "POST",
      [constants.HTTP2_HEADER_PATH]: `/etcdserverpb.${method}`,
      "content-type": "application/grpc",
      te: "trailers",
    });
    let status: GrpcError | undefined;
    const read = (headers: IncomingHttpHeaders) => {
      if (headers["grpc-status"] === undefined) return;
      status = new GrpcError(Number(headers["grpc-status"]), decodeGrpcMessage(String(headers["grpc-message"] ?? "")));
    };
    stream.on("response", (headers) => {
      if (headers[":status"] !== 200) status = new GrpcError(undefined, `it answers with HTTP status ${headers[":status"]}`);
      read(headers);
    });
    stream.on("trailers", read);
    const readFrames = createGrpcFrameReader((message) => received(new MessageFields(message)));
    stream.on("data", (chunk: Buffer) => {
      try {
        readFrames(chunk);
      } catch (error) {
        status = new GrpcError(undefined, String(error));
        stream.close(constants.NGHTTP2_CANCEL);
      }
    });
    stream.on("error", (error: Error) => {
      connectionError ||= error.cause instanceof Error ? error.cause.message : error.message;
    });
    stream.on("close", () => ended(status ?? new GrpcError(undefined, connectionError || "the connection was closed", isEstablished)));
    return stream;
  };

  return {
    call(method, message, signal) {
      return new Promise((resolve, reject) => {
        let response: MessageFields | undefined;
        const stream = openRequest(
          method,
          (received) => {
            response = received;
          },
          (ending) => {
            signal.removeEventListener("abort", giveUp);
            if (ending.code === 0 && response !== undefined) resolve(response);
            else reject(signal.aborted ? new GrpcError(undefined, "it does not answer in time", ending.mayHaveBeenSent) : ending);
          },
        );
        const giveUp = () => stream.close(constants.NGHTTP2_CANCEL);
        signal.addEventListener("abort", giveUp);
        stream.end(encodeGrpcFrame(message));
      });
    },
    openStream(method, received, ended) {
      const stream = openRequest(method, received, ended);
      return { send: (message) => void stream.write(encodeGrpcFrame(message)), end: () => stream.close(constants.NGHTTP2_CANCEL) };
    },
    close: () => session?.destroy(),
  };
}

function decodeGrpcMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
