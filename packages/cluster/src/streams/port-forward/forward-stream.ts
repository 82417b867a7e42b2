import type { Duplex } from "node:stream";
import { runInBackground } from "pintle/internal/errors";

/** Connects to a port, or rejects with the reason. */
export type DialFunction = (port: number) => Promise<Duplex>;

/** The client's end of a forwarded connection. */
export interface ClientStream {
  /** The bytes from the client, until it closes its side. */
  readonly chunks: AsyncIterable<Uint8Array>;
  write(chunk: Uint8Array): Promise<void>;
  end(): void;
}

/** Forwards bytes in both directions until the target closes. Never rejects. */
export async function forwardStream(client: ClientStream, target: Duplex): Promise<void> {
  target.on("error", () => {});
  const forwardToTarget = async () => {
    for await (const chunk of client.chunks) {
      if (!target.writable) return;
      if (!target.write(chunk)) await waitForDrain(target);
    }
    target.end();
  };
  runInBackground(forwardToTarget(), () => target.destroy());
  try {
    for await (const chunk of target) await client.write(chunk as Uint8Array);
  } catch {
    // Whichever side failed, nothing is left to forward.
  }
  target.destroy();
  client.end();
}

function waitForDrain(target: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      target.off("drain", finish);
      target.off("close", finish);
      resolve();
    };
    target.once("drain", finish);
    target.once("close", finish);
  });
}

export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
