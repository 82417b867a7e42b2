import type { TerminalSize } from "../../node/index.ts";
import type { FinalStatus } from "./status.ts";

export type Output = "stdout" | "stderr";

/** What the other side does during a session. */
export interface Listener {
  /** Resolves when more may come. */
  input(chunk: Uint8Array): Promise<void>;
  endInput(): void;
  resize(size: TerminalSize): void;
}

/** Whoever sits at the other end of the wire, whatever is spoken over it. */
export interface RemoteEnd {
  /** Resolves when they are gone; never rejects. */
  hear(listener: Listener): Promise<void>;
  /** Resolves when more may be written; rejects when they are gone. */
  write(output: Output, chunk: Uint8Array): Promise<void>;
  /** Tells how it ended, after all that was written, and hangs up. */
  finish(status: FinalStatus): Promise<void>;
}

/** A terminal's size as clients write it. */
export function sizeOf(json: Uint8Array): TerminalSize | undefined {
  try {
    const { Width: columns, Height: rows } = JSON.parse(Buffer.from(json).toString()) as { Width?: unknown; Height?: unknown };
    return Number.isInteger(columns) && Number.isInteger(rows) ? { columns: columns as number, rows: rows as number } : undefined;
  } catch {
    return undefined;
  }
}
