/** Longer messages are cut: a condition message may have 32 KiB, an Event 1 KiB, and a log line should stay readable. */
const MAX_LENGTH = 1_000;

/**
 * Formats an error and its causes as one line: "could not reach billing: fetch failed: connect ECONNREFUSED 127.0.0.1:5432". A cause that the message
 * already contains is not repeated.
 */
export function formatErrorChain(error: unknown): string {
  const seen = new Set<unknown>();
  let text = "";
  for (let current: unknown = error; current !== undefined && !seen.has(current); current = causeOf(current)) {
    seen.add(current);
    const message = messageOf(current);
    if (message !== "" && !text.includes(message)) text += text === "" ? message : `: ${message}`;
  }
  const line = (text === "" ? nameOf(error) : text)
    .split("\n")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join(" ");
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 3)}...` : line;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === "object" && error !== null ? JSON.stringify(error) : String(error);
  if (error.message !== "" || !(error instanceof AggregateError)) return error.message;
  // Node reports a host with several addresses as an AggregateError without a message.
  return [...new Set(error.errors.map(messageOf))].join("; ");
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : String(error);
}
