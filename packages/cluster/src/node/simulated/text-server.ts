import { createServer } from "node:http";
import { Duplex } from "node:stream";

/** Connects to an HTTP/1.1 server that responds to every request with the same text. */
export function connectToTextServer(text: string): Duplex {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8" });
    response.end(request.method === "HEAD" ? undefined : text);
  });
  const [client, serverEnd] = createDuplexPair();
  server.emit("connection", serverEnd);
  return client;
}

/** Creates two connected streams: what is written to one is read from the other. */
export function createDuplexPair(): readonly [Duplex, Duplex] {
  const ends: DuplexEnd[] = [new DuplexEnd(), new DuplexEnd()];
  ends[0]!.other = ends[1]!;
  ends[1]!.other = ends[0]!;
  return [ends[0]!, ends[1]!];
}

class DuplexEnd extends Duplex {
  other!: DuplexEnd;
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
