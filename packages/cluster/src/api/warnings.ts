const LONGEST = 4096;

/** Collects what the client should be told; once each, and not more than a header can bear. */
export interface Warnings {
  add(text: string): void;
  /** Values of the Warning header. */
  headers(): readonly string[];
}

export function warnings(): Warnings {
  const texts = new Set<string>();
  let length = 0;
  return {
    add(text) {
      if (text === "" || texts.has(text) || length + text.length > LONGEST) return;
      texts.add(text);
      length += text.length;
    },
    headers: () => [...texts].map((text) => `299 - "${clean(text)}"`),
  };
}

/** Header values are latin-1 without control characters; quotes and backslashes are escaped. */
function clean(text: string): string {
  return Buffer.from(text.replace(/\p{Cc}/gu, " ").replace(/[\\"]/g, "\\$&")).toString("latin1");
}
