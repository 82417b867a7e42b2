let cachedSecond = Number.NaN;
let cachedTimestamp = "";

/** Formats a time as metav1.Time: RFC 3339 in UTC with second precision. */
export function formatTimestamp(ms: number): string {
  // Most calls are for the same second as the previous call.
  if (Math.floor(ms / 1000) !== cachedSecond) {
    cachedSecond = Math.floor(ms / 1000);
    cachedTimestamp = `${new Date(ms).toISOString().slice(0, 19)}Z`;
  }
  return cachedTimestamp;
}
