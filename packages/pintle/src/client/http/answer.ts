import type { Duplex } from "node:stream";
import { ServerError } from "../errors.ts";
import { onAbort } from "../on-abort.ts";
import type { TransportResponse } from "../transport.ts";
import { parseJson } from "./exact-json.ts";
import type { Control, Lane, Listener, Message } from "./lane.ts";
import type { Lanes, Passenger } from "./lanes.ts";
import { joined, lines } from "./lines.ts";
import { type Asked, lost, type Stage } from "./lost.ts";
import { WireError } from "./wire-error.ts";

/** Held for a reader that is slower than the network, before the network is made to wait. */
const HIGH_WATER = 1024 * 1024;

/** Sends a request on one of the lanes; the promise is for the head of the answer, the body is read as asked for. */
export function answer(on: Lanes, message: Message, asked: Asked, signal: AbortSignal | undefined, permit?: () => void): Promise<Answered> {
  return new Promise((resolve, reject) => {
    on.board(new Answer(on, message, asked, signal, permit, resolve, reject));
  });
}

export interface Answered extends TransportResponse {
  /** What came of a request to upgrade, with status 101. */
  readonly socket?: Duplex | undefined;
}

class Answer implements Passenger, Listener, Answered {
  status = 0;
  headers: TransportResponse["headers"] = {};
  socket: Duplex | undefined;
  readonly #lanes: Lanes;
  readonly #message: Message;
  readonly #asked: Asked;
  readonly #permit: (() => void) | undefined;
  readonly #resolve: (response: Answered) => void;
  readonly #reject: (error: unknown) => void;
  readonly #forget: (() => void) | undefined;
  #lane: Lane | undefined;
  #control: Control | undefined;
  #stage: Stage = "waiting";
  #chunks: Buffer[] = [];
  #held = 0;
  /** The reader wants all of it and nothing before. */
  #whole = false;
  #over: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(
    on: Lanes,
    message: Message,
    asked: Asked,
    signal: AbortSignal | undefined,
    permit: (() => void) | undefined,
    resolve: (response: Answered) => void,
    reject: (error: unknown) => void,
  ) {
    this.#lanes = on;
    this.#message = message;
    this.#asked = asked;
    this.#permit = permit;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#forget =
      signal &&
      onAbort(signal, () => {
        this.#finish({ error: signal.reason });
        if (this.#lane === undefined) on.leave(this);
        this.#control?.abort();
      });
  }

  start(lane: Lane): void {
    this.#lane = lane;
    const control = lane.send(this.#message, this);
    // It may be over already.
    if (this.#lane !== undefined) this.#control = control;
  }

  strand(): void {
    this.#finish({ error: lost(new WireError("CLOSED", "closed"), "waiting", this.#asked) });
  }

  begin(): boolean {
    try {
      this.#permit?.();
    } catch (error) {
      this.#finish({ error });
    }
    if (this.#over !== undefined) return false;
    this.#stage = "sent";
    return true;
  }

  unsent(): void {
    this.#leaveLane();
  }

  head(status: number, headers: TransportResponse["headers"]): void {
    this.#stage = "answering";
    this.status = status;
    this.headers = headers;
    this.#resolve(this);
  }

  upgraded(status: number, headers: TransportResponse["headers"], socket: Duplex): void {
    this.status = status;
    this.headers = headers;
    this.socket = socket;
    this.#resolve(this);
    this.#finish({});
    this.#leaveLane();
  }

  data(chunk: Buffer): void {
    this.#chunks.push(chunk);
    if (this.#whole) return;
    this.#held += chunk.length;
    if (this.#held > HIGH_WATER) this.#control?.pause();
    this.#notify();
  }

  end(): void {
    this.#finish({});
    this.#leaveLane();
  }

  failed(error: unknown): void {
    this.#finish({ error: lost(error, this.#stage, this.#asked) });
    const lane = this.#lane;
    this.#control = undefined;
    this.#lane = undefined;
    if (lane !== undefined) this.#lanes.scrap(lane);
  }

  async json(): Promise<unknown> {
    this.#whole = true;
    this.#control?.resume();
    while (this.#over === undefined) await this.#more();
    if ("error" in this.#over) throw this.#over.error;
    const body = joined(this.#chunks);
    this.#chunks = [];
    return this.#parse(body);
  }

  async *lines(): AsyncGenerator<unknown> {
    const cutOff = () => lost(new Error("the last line is not complete"), "answering", this.#asked);
    for await (const line of lines(this.bytes(), cutOff)) yield this.#parse(line);
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunks = this.#chunks;
        if (chunks.length > 0) {
          this.#chunks = [];
          this.#held = 0;
          for (const chunk of chunks) yield chunk;
          if (this.#chunks.length === 0) this.#control?.resume();
        } else if (this.#over === undefined) await this.#more();
        else if ("error" in this.#over) throw this.#over.error;
        else return;
      }
    } finally {
      if (this.#over === undefined) {
        this.#finish({});
        this.#control?.abort();
      }
    }
  }

  #parse(bytes: Uint8Array): unknown {
    try {
      return parseJson(bytes);
    } catch (cause) {
      const { request, server } = this.#asked;
      const shown = JSON.stringify(Buffer.from(bytes.subarray(0, 200)).toString());
      throw new ServerError({
        message: `${server} answered with something else than JSON: ${shown} (${request})`,
        request,
        code: this.status,
        cause,
      });
    }
  }

  #leaveLane(): void {
    const lane = this.#lane;
    this.#control = undefined;
    this.#lane = undefined;
    if (lane !== undefined) this.#lanes.release(lane);
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  #finish(over: { readonly error?: unknown }): void {
    if (this.#over !== undefined) return;
    this.#over = over;
    this.#forget?.();
    if ("error" in over) this.#reject(over.error);
    this.#notify();
  }
}
