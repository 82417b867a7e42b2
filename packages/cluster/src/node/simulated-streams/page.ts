import { createServer } from "node:http";
import { Duplex } from "node:stream";

/** A connection to a server that answers every request with the same text, over HTTP/1.1. */
export function pageConnection(text: string): Duplex {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8" });
    response.end(request.method === "HEAD" ? undefined : text);
  });
  const [ours, theirs] = duplexPair();
  server.emit("connection", theirs);
  return ours;
}

/** Two ends: what is written to one is read from the other. */
export function duplexPair(): readonly [Duplex, Duplex] {
  const ends: End[] = [new End(), new End()];
  ends[0]!.other = ends[1]!;
  ends[1]!.other = ends[0]!;
  return [ends[0]!, ends[1]!];
}

class End extends Duplex {
  other!: End;
  #resume: (() => void) | undefined;

  override _read(): void {
    this.#resume?.();
    this.#resume = undefined;
  }
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.other.push(chunk)) done();
    else this.other.#resume = done;
  }
  override _final(done: () => void): void {
    this.other.push(null);
    done();
  }
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.other.destroyed && !this.writableFinished) this.other.destroy();
    done(error);
  }
}
