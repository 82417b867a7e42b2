const MAX_TOTAL_LENGTH = 4096;

/** Collects the warnings of one request: each once, and no more than headers can hold. */
export class WarningRecorder {
  #texts: Set<string> | undefined;
  #length = 0;

  add(text: string): void {
    if (text === "" || this.#texts?.has(text) || this.#length + text.length > MAX_TOTAL_LENGTH) return;
    this.#texts ??= new Set();
    this.#texts.add(text);
    this.#length += text.length;
  }

  /** Values of the Warning header; undefined without any. */
  headerValues(): readonly string[] | undefined {
    return this.#texts && Array.from(this.#texts, (text) => `299 - "${escapeHeaderValue(text)}"`);
  }
}

/** Header values are latin-1 without control characters; quotes and backslashes are escaped. */
function escapeHeaderValue(text: string): string {
  return Buffer.from(text.replace(/\p{Cc}/gu, " ").replace(/[\\"]/g, "\\$&")).toString("latin1");
}
