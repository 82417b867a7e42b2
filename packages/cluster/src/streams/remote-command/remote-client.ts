import type { TerminalSize } from "../../node/index.ts";
import type { FinalStatus } from "./final-status.ts";

export type OutputStream = "stdout" | "stderr";

/** Handles the client's input during a session. */
export interface RemoteInputHandler {
  /** Resolves when the next chunk may be delivered. */
  input(chunk: Uint8Array): Promise<void>;
  endInput(): void;
  resize(size: TerminalSize): void;
}

/** The client of a session, independent of the protocol. */
export interface RemoteClient {
  /** Resolves when the client disconnects; never rejects. */
  receive(listener: RemoteInputHandler): Promise<void>;
  /** Resolves when more may be written; rejects if the client disconnected. */
  write(output: OutputStream, chunk: Uint8Array): Promise<void>;
  /** Sends the final status after all output, and closes the connection. */
  finish(status: FinalStatus): Promise<void>;
}

/** Parses the terminal size that clients send. */
export function parseTerminalSize(json: Uint8Array): TerminalSize | undefined {
  try {
    const { Width: columns, Height: rows } = JSON.parse(Buffer.from(json).toString()) as { Width?: unknown; Height?: unknown };
    return Number.isInteger(columns) && Number.isInteger(rows) ? { columns: columns as number, rows: rows as number } : undefined;
  } catch {
    return undefined;
  }
}
