/** A warning of the API server in a successful response. */
export interface ApiWarning {
  /** "unknown field \"spec.foo\"" */
  readonly text: string;
  /** Method and path of the request. */
  readonly request: string;
}
/** Handles warnings of the API server. */
export type WarningHandler = (warning: ApiWarning) => void;

/** Limits the memory used for texts that were logged. */
const MAX_REMEMBERED = 1000;

/** Returns a handler that logs each text once. */
export function logWarningsOnce(log: (line: string) => void): WarningHandler {
  const seen = new Set<string>();
  return ({ text, request }) => {
    if (seen.has(text)) return;
    if (seen.size >= MAX_REMEMBERED) seen.clear();
    seen.add(text);
    log(`API server warning: ${text} (${request})`);
  };
}

/** Parses Warning headers: `299 - "text" "date", 299 - "other"`, in one header or several. */
export function parseWarningHeader(header: string | readonly string[]): readonly string[] {
  const lines = typeof header === "string" ? [header] : header;
  const out: string[] = [];
  for (const line of lines) {
    for (const [, quoted] of line.matchAll(/\b\d{3} \S+ ("(?:[^"\\]|\\.)*")(?: "(?:[^"\\]|\\.)*")?/g)) {
      out.push(quoted!.slice(1, -1).replace(/\\(.)/g, "$1"));
    }
  }
  return out;
}
