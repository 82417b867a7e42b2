import type { DeadlineEntry, Deadlines } from "../deadlines.ts";

/** What complete responses that clients have not read may take in memory: the short ones, and again those that are sent in pieces. */
export const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** A response that is sent as one piece. */
export interface UnreadResponse extends DeadlineEntry {
  readonly connection: object;
  /** Bytes that the client has not read, as far as is known; 0 when it has, or is gone. */
  unreadBytes: number;
  /** Whether it is sent in pieces. */
  isLarge: boolean;
  abort(): void;
}

/**
 * Counts the responses that clients have not read. They take no seats, so that a client which does not read delays no other client. Where short ones are
 * too many, the connection with the most loses them; large ones keep their seats.
 */
export class UnreadResponses {
  readonly #maxBytes: number;
  readonly #open: Pick<Deadlines<UnreadResponse>, "snapshot">;
  #bytes = 0;
  #largeBytes = 0;

  /** `open` has all responses that are not complete. */
  constructor(open: Pick<Deadlines<UnreadResponse>, "snapshot">, maxBytes = MAX_UNREAD_BYTES) {
    this.#open = open;
    this.#maxBytes = maxBytes;
  }

  add(response: UnreadResponse, bytes: number): void {
    response.unreadBytes = bytes;
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) this.#abortLargest();
  }

  /** Returns false where large responses take too much already. */
  addLarge(response: UnreadResponse, bytes: number): boolean {
    if (this.#largeBytes + bytes > this.#maxBytes) return false;
    response.isLarge = true;
    response.unreadBytes = bytes;
    this.#largeBytes += bytes;
    return true;
  }

  delete(response: UnreadResponse): void {
    if (response.isLarge) this.#largeBytes -= response.unreadBytes;
    else this.#bytes -= response.unreadBytes;
    response.unreadBytes = 0;
  }

  #abortLargest(): void {
    const byConnection = new Map<object, { bytes: number; readonly responses: UnreadResponse[] }>();
    for (const response of this.#open.snapshot()) {
      if (response.unreadBytes === 0 || response.isLarge) continue;
      const sum = byConnection.get(response.connection);
      if (sum === undefined) byConnection.set(response.connection, { bytes: response.unreadBytes, responses: [response] });
      else {
        sum.bytes += response.unreadBytes;
        sum.responses.push(response);
      }
    }
    // Some more than necessary, so that not every further response goes through all of them.
    const enough = this.#maxBytes * (3 / 4);
    for (const { responses } of [...byConnection.values()].sort((a, b) => b.bytes - a.bytes)) {
      if (this.#bytes <= enough) return;
      for (const response of responses) {
        this.delete(response);
        response.abort();
      }
    }
  }
}
