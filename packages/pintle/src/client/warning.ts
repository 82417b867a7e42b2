/** What the API server wants a user to know about a request that worked. */
export interface ApiWarning {
  /** "unknown field \"spec.foo\"" */
  readonly text: string;
  readonly request: string;
}
export type WarningSink = (warning: ApiWarning) => void;

/** Remembered at most; a server that makes texts up cannot fill the memory. */
const REMEMBERED = 1000;

/** Logs every text once. */
export function logOnce(log: (line: string) => void): WarningSink {
  const seen = new Set<string>();
  return ({ text, request }) => {
    if (seen.has(text)) return;
    if (seen.size >= REMEMBERED) seen.clear();
    seen.add(text);
    log(`API server warning: ${text} (${request})`);
  };
}

/** `299 - "text" "date", 299 - "other"`, in one header or several. */
export function warningsOf(header: string | readonly string[]): readonly string[] {
  const lines = typeof header === "string" ? [header] : header;
  const out: string[] = [];
  for (const line of lines) {
    for (const [, quoted] of line.matchAll(/\b\d{3} \S+ ("(?:[^"\\]|\\.)*")(?: "(?:[^"\\]|\\.)*")?/g)) {
      out.push(quoted!.slice(1, -1).replace(/\\(.)/g, "$1"));
    }
  }
  return out;
}
