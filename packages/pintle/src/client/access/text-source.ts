import { readFile } from "node:fs/promises";
import type { WallClock } from "../../clock/index.ts";
import { ConfigError } from "./access-errors.ts";

/** A text that may change while the client is in use. */
export interface TextSource {
  /** A promise only while the file is read. */
  current(): string | Promise<string>;
  /** Reads the file again now. */
  reread(): string | Promise<string>;
}

/** Returns a text that never changes. */
export function createFixedText(text: string): TextSource {
  return { current: () => text, reread: () => text };
}

/**
 * Returns the text of a file that another process replaces, at most `maxAgeMs` old. While the file is missing, as during a replacement,
 * the last text is used. Throws `ConfigError` if the file was never readable.
 */
export function createFileText(path: string, description: string, maxAgeMs: number, clock: WallClock): TextSource {
  let text: string | undefined;
  let until = 0;
  let reading: Promise<string> | undefined;

  async function read(): Promise<string> {
    try {
      const found = await readFile(path, "utf8");
      if (found.trim() === "") throw new Error("the file is empty");
      text = found;
      return found;
    } catch (error) {
      if (text !== undefined) return text;
      throw new ConfigError("PINTLE1008", `${description} ${path} cannot be read: ${(error as Error).message}`, { cause: error });
    } finally {
      until = clock.now() + maxAgeMs;
      reading = undefined;
    }
  }
  const reread = () => {
    reading ??= read();
    return reading;
  };
  return { current: () => (text !== undefined && clock.now() < until ? text : reread()), reread };
}
