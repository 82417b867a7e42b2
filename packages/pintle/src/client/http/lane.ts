import type { Socket } from "node:net";
import type { Opener } from "./opener.ts";
import { type Headers, type ResponseReader, responseReader } from "./response-reader.ts";
import { WireError } from "./wire-error.ts";

/** One request, ready to be sent. */
export interface Message {
  readonly method: string;
  /** Everything up to the body. */
  readonly head: string;
  readonly body: string | undefined;
  readonly upgrade?: boolean | undefined;
  /** Milliseconds until the answer begins, and that it may be silent afterwards. */
  readonly headTimeout: number;
  readonly silence: number;
}

/** Who hears how a request goes. After `end`, `failed`, `unsent` or `upgraded` comes nothing more. */
export interface Listener {
  /** It is about to go to the socket, and nothing else runs in between; false keeps it back. */
  begin(): boolean;
  /** It was kept back; the lane is free. */
  unsent(): void;
  head(status: number, headers: Headers): void;
  data(chunk: Buffer): void;
  end(): void;
  upgraded(status: number, headers: Headers, socket: Socket): void;
  /** The lane is of no use any more. */
  failed(error: unknown): void;
}

/** What can be done about a request under way. */
export interface Control {
  abort(): void;
  pause(): void;
  resume(): void;
}

/** A connection that is kept, one request at a time; opened when it is needed. */
export interface Lane {
  send(message: Message, listener: Listener): Control;
  /** Closes it; a request under way fails. */
  destroy(): void;
}

/** Shorter than the 90 seconds after which API servers close an idle connection. */
const IDLE = 60_000;
/** Characters of a body that a system's buffer surely takes. */
const AT_ONCE = 16 * 1024;
/** A server that names its patience is left a second before it runs out. */
const AHEAD = 1_000;

export function lane(open: Opener): Lane {
  return new KeptConnection(open);
}

class KeptConnection implements Lane, Control {
  readonly #open: Opener;
  readonly #reader: ResponseReader;
  #socket: Socket | undefined;
  #cancel: (() => void) | undefined;
  #message: Message | undefined;
  #listener: Listener | undefined;
  #answering = false;
  #paused = false;
  #destroyed = false;
  #timeout = 0;
  #idleSince = 0;
  #patience = IDLE;

  constructor(open: Opener) {
    this.#open = open;
    this.#reader = responseReader({
      head: (status, headers) => this.#head(status, headers),
      data: (chunk) => this.#listener?.data(chunk),
      end: (keep) => this.#end(keep),
      upgraded: (status, headers, rest) => this.#upgraded(status, headers, rest),
    });
  }

  send(message: Message, listener: Listener): Control {
    this.#message = message;
    this.#listener = listener;
    this.#answering = false;
    const socket = this.#socket;
    if (socket?.writable && performance.now() - this.#idleSince < this.#patience) this.#go(socket);
    else this.#connect();
    return this;
  }

  abort(): void {
    this.#fail(new WireError("CLOSED", "the request was given up"));
  }

  pause(): void {
    this.#paused = true;
    this.#socket?.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#socket?.resume();
  }

  destroy(): void {
    this.#destroyed = true;
    this.#fail(new WireError("CLOSED", "the connection was closed"));
  }

  #connect(): void {
    this.#letGo();
    this.#cancel = this.#open((error, socket) => {
      this.#cancel = undefined;
      if (socket === undefined) return this.#fail(error);
      this.#adopt(socket);
      this.#go(socket);
    });
  }

  #adopt(socket: Socket): void {
    this.#socket = socket;
    this.#timeout = 0;
    this.#patience = IDLE;
    const mine = () => socket === this.#socket;
    socket.on("data", (chunk: Buffer) => {
      if (mine()) this.#read(() => this.#reader.take(chunk));
    });
    socket.on("end", () => {
      if (mine()) this.#hungUp();
    });
    socket.on("close", () => {
      if (mine()) this.#hungUp();
    });
    socket.on("error", (error) => {
      if (mine()) this.#fail(error);
    });
    socket.on("timeout", () => {
      if (mine()) this.#timedOut();
    });
  }

  #go(socket: Socket): void {
    const message = this.#message!;
    const listener = this.#listener!;
    if (!listener.begin()) {
      this.#idle();
      listener.unsent();
      return;
    }
    socket.ref();
    this.#limit(message.headTimeout);
    this.#reader.begin(message);
    const { head, body = "" } = message;
    if (isAscii(head)) socket.write(head + body);
    else socket.write(Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body)]));
  }

  #read(read: () => void): void {
    try {
      read();
    } catch (error) {
      this.#fail(error);
    }
  }

  #hungUp(): void {
    this.#read(() => this.#reader.close());
    this.#letGo();
  }

  #head(status: number, headers: Headers): void {
    this.#answering = true;
    this.#limit(this.#message!.silence);
    const seconds = /(?:^|[ ,])timeout=(\d{1,6})/i.exec(String(headers["keep-alive"] ?? ""))?.[1];
    if (seconds !== undefined) this.#patience = Math.min(IDLE, Number(seconds) * 1000 - AHEAD);
    this.#listener?.head(status, headers);
  }

  #end(keep: boolean): void {
    const listener = this.#listener;
    if (!keep || this.#destroyed || this.#isUnread()) this.#letGo();
    this.#idle();
    listener?.end();
  }

  /**
   * A server may answer before it has read everything; what it has not read would be taken for the next request. What is short
   * left at once, although Node may hear of that only after the answer.
   */
  #isUnread(): boolean {
    return (this.#message?.body?.length ?? 0) > AT_ONCE && (this.#socket?.writableLength ?? 0) > 0;
  }

  #idle(): void {
    this.resume();
    this.#message = undefined;
    this.#listener = undefined;
    this.#idleSince = performance.now();
    this.#socket?.unref();
  }

  #upgraded(status: number, headers: Headers, rest: Buffer): void {
    const socket = this.#socket!;
    const listener = this.#listener!;
    this.#socket = undefined;
    this.#message = undefined;
    this.#listener = undefined;
    socket.pause();
    for (const event of ["data", "end", "close", "error", "timeout"]) socket.removeAllListeners(event);
    socket.setTimeout(0);
    if (rest.length > 0) socket.unshift(rest);
    listener.upgraded(status, headers, socket);
  }

  #timedOut(): void {
    if (this.#listener === undefined) {
      const rest = this.#patience - (performance.now() - this.#idleSince);
      if (rest <= 0) this.#letGo();
      else this.#limit(Math.ceil(rest));
    } else if (!this.#paused) {
      const [code, what] = this.#answering ? (["SILENT", "stopped"] as const) : (["HEAD_TIMEOUT", "did not begin in time"] as const);
      this.#fail(new WireError(code, `the answer ${what}`));
    }
  }

  /** How long the socket may be quiet. Set only where it changes, which with most requests it does not. */
  #limit(milliseconds: number): void {
    if (this.#timeout === milliseconds) return;
    this.#timeout = milliseconds;
    this.#socket?.setTimeout(milliseconds);
  }

  #fail(error: unknown): void {
    const listener = this.#listener;
    this.#letGo();
    this.#idle();
    listener?.failed(error);
  }

  /** Lets go of the connection, not of the lane. */
  #letGo(): void {
    const socket = this.#socket;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#socket = undefined;
    this.#paused = false;
    if (socket === undefined) return;
    // Errors of a socket that nobody uses any more are nobody's.
    socket.on("error", () => {});
    socket.destroy();
  }
}

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the question is whether there are any others.
  return !/[^\x00-\x7f]/.test(text);
}
