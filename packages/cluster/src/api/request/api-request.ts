import type { Duplex } from "node:stream";
import type { DuplexChannel } from "pintle/client";
import type { Clock } from "pintle/internal/clock";
import type { JsonObject } from "pintle/kinds";
import type { UserInfo } from "./user.ts";

/** A request as transports hand it to the pipeline: its body is not decoded yet. */
export interface ApiRequest {
  /** The HTTP method, upper case. */
  readonly method: string;
  /** Absolute, segments still percent-encoded. */
  readonly path: string;
  /** The query parameters, decoded. */
  readonly query: QueryParameters;
  /** Path and query as they were sent. Default: those of the request, encoded. */
  readonly target?: string | undefined;
  /** Lower-case names. */
  readonly headers: HttpHeaders;
  /** Returns the address of the client. Default: the client is in this process. */
  remoteAddress?(): string | undefined;
  /** The user, or how to find it out from the credentials of the connection: throws 401. */
  readonly user: UserInfo | (() => Promise<UserInfo>);
  /** The body, undefined without one; or how to read it: an HTTP transport does not before the request is authenticated and routed. Throws 413. */
  readonly body: RequestBody | (() => Promise<RequestBody | undefined>) | undefined;
  /**
   * Returns the signal that aborts when the client disconnects; created on first use. Not a getter: V8 gives every object with its own
   * getter its own hidden class, which keeps the closure, here a whole HTTP request, alive until the next full garbage collection.
   */
  signal(): AbortSignal;
  /** Calls one of the listeners while the response is written. Default: the response is written when it is returned. */
  onWritten?(listeners: WriteListeners): void;
  /** The clock for bookmarks and the timeout of a watch. Default: the server's. */
  readonly livenessClock?: Clock | undefined;
}

/** What becomes of a response. */
export interface WriteListeners {
  /** Nothing is left to do but to send the bytes of the response, however slowly the client reads; or the client disconnected. */
  written(): void;
  /** The response is too long to be made as one piece: its chunks are made as the client reads. Throws `TooManyRequestsError`. */
  becomesLong(): void;
}

/** HTTP headers by lower-case name; several values where a header is repeated. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;
/** The bytes of an HTTP request, or a JSON value from this process, which is never changed or frozen. */
export type RequestBody = { readonly bytes: Uint8Array } | { readonly json: unknown };

/** Query parameters; every value of a repeated name, in order. */
export type QueryParameters = ReadonlyMap<string, readonly string[]>;

/** The response of the pipeline, before a transport writes it. */
export interface ApiResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Lower-case names. */
  readonly headers: HttpHeaders;
  /** The body, not encoded yet where that can wait. */
  readonly body: ResponseBody;
}

/** The body of a response, by how it is written. */
export type ResponseBody =
  | ObjectBody
  | { readonly type: "bytes"; readonly bytes: Uint8Array }
  | { readonly type: "watch"; readonly stream: WatchStream }
  /** Bytes, each chunk sent at once. */
  | { readonly type: "stream"; readonly chunks: AsyncIterable<Uint8Array> }
  /** The connection becomes a WebSocket with the protocol of the headers. Resolves when it is closed; never rejects. */
  | { readonly type: "messages"; serve(channel: DuplexChannel): Promise<void> }
  /** The raw connection, for other protocols such as SPDY. Resolves when it is closed; never rejects. */
  | { readonly type: "wire"; serve(wire: Duplex): Promise<void> }
  | { readonly type: "none" }
  /** The connection breaks: in the middle of this body or, without one, before a response is sent. */
  | { readonly type: "cut"; readonly of?: Exclude<ResponseBody, { readonly type: "cut" }> | undefined };

/** An object or a list as the body of a response. */
export interface ObjectBody {
  readonly type: "json";
  /** The object, in the version of the request. */
  readonly value: unknown;
  /** The encoding that was negotiated. */
  readonly mediaType: MediaType;
  /**
   * The encoded form, where it exists: readers that need no value should use it, because `value` may have to be decoded. Default: `value`
   * is encoded.
   */
  readonly encoded?: EncodedObject | undefined;
}

/** The encoded form of an object or a list, with the metadata that is known without decoding it. */
export interface EncodedObject {
  /** Name and resourceVersion. */
  readonly metadata: { readonly name?: string; readonly resourceVersion?: string };
  /** JSON in UTF-8 with a newline at the end. Must not be changed. */
  json(): Uint8Array | Promise<EncodedBody>;
  /** Protobuf with the prefix of Kubernetes; only for kinds that have a protobuf form. Must not be changed. */
  protobuf?(): Uint8Array | Promise<EncodedBody>;
}

/** The bytes of a response: all of them, or chunks that are made while the client reads. */
export type EncodedBody = Uint8Array | ChunkedBody;

/** A long body, which is never in memory as a whole. */
export interface ChunkedBody {
  /** Bytes of all chunks together. Default: unknown. */
  readonly length?: number | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** From this length on, a body is made in chunks of about this length. */
export const BODY_CHUNK_BYTES = 256 * 1024;

/** The encodings of objects. */
export type MediaType = "application/json" | "application/yaml" | "application/vnd.kubernetes.protobuf";

/** An open watch: no event is lost between this value and `open`. */
export interface WatchStream {
  /** Delivers buffered events, then new ones. Returns a function that stops it. */
  open(sink: WatchSink): () => void;
}

/** Receives the events of a watch. */
export interface WatchSink {
  /** Called once per event, in order. */
  event(event: WatchEvent): void;
  /** No more events follow; not called after a stop. */
  end(): void;
  /** The connection breaks: no events follow, and the reader sees an error instead of an end. */
  disconnect(): void;
}

/** The type of a watch event. */
export type WatchEventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

/** One event of a watch; watches with the same format share the value. */
export interface WatchEvent {
  /** What happened to the object. */
  readonly type: WatchEventType;
  /** The object after the event; on DELETED its last state; a Status on ERROR. */
  readonly object: JsonObject;
  /** The event as JSON with a newline, encoded at most once. */
  line(): string;
  /** The event as bytes: JSON in UTF-8, or protobuf. Encoded at most once. */
  bytes(): Uint8Array;
}

export function getHeader(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}

export function getQueryParameter(query: QueryParameters, name: string): string {
  return query.get(name)?.[0] ?? "";
}
