import type { Duplex } from "node:stream";

/** A connection to a port, or the reason there is none. */
export type Dial = (port: number) => Promise<Duplex>;

/** One lane of a forwarded connection to the client. */
export interface Lane {
  /** What the client sends, until it ends its side. */
  readonly chunks: AsyncIterable<Uint8Array>;
  write(chunk: Uint8Array): Promise<void>;
  end(): void;
}

/** Carries bytes both ways until the target has said everything. Never rejects. */
export async function carry(lane: Lane, target: Duplex): Promise<void> {
  target.on("error", () => {});
  const there = async () => {
    for await (const chunk of lane.chunks) {
      if (!target.writable) return;
      if (!target.write(chunk)) await drained(target);
    }
    target.end();
  };
  there().catch(() => target.destroy());
  try {
    for await (const chunk of target) await lane.write(chunk as Uint8Array);
  } catch {
    // Whichever side broke: there is nothing left to carry.
  }
  target.destroy();
  lane.end();
}

function drained(target: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      target.off("drain", done);
      target.off("close", done);
      resolve();
    };
    target.once("drain", done);
    target.once("close", done);
  });
}

export function whyNot(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
