import { readFile } from "node:fs/promises";
import type { Timing } from "../timing.ts";
import { ConfigError } from "./config-error.ts";

/** A text that may change while we run. */
export interface Text {
  /** A promise only while it is being read. */
  current(): string | Promise<string>;
  /** Reads it now. */
  again(): string | Promise<string>;
}

export function fixedText(text: string): Text {
  return { current: () => text, again: () => text };
}

/**
 * The text of a file that somebody else replaces, at most `fresh` milliseconds old. A file that is missing for a
 * moment, as while it is being replaced, keeps its last text; one that was never there is an error.
 */
export function fileText(path: string, what: string, fresh: number, timing: Timing): Text {
  let text: string | undefined;
  let until = 0;
  let reading: Promise<string> | undefined;

  async function read(): Promise<string> {
    try {
      const found = await readFile(path, "utf8");
      if (found.trim() === "") throw new Error("it is empty");
      text = found;
      return found;
    } catch (error) {
      if (text !== undefined) return text;
      throw new ConfigError(`${what} ${path} cannot be read: ${(error as Error).message}`, { cause: error });
    } finally {
      until = timing.now() + fresh;
      reading = undefined;
    }
  }
  const again = () => {
    reading ??= read();
    return reading;
  };
  return { current: () => (text !== undefined && timing.now() < until ? text : again()), again };
}
