const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

/** Masks server-specific values: resourceVersions, uids, times, hashes, addresses. */
export function toComparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toComparable);
  if (typeof value === "string") return normalizeText(value);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, part]) => part !== undefined && key !== "storageVersionHash" && key !== "serverAddress")
      .map(([key, part]) => [
        key,
        key === "resourceVersion" && part !== "" ? "REVISION" : key === "continue" ? "TOKEN" : toComparable(part),
      ])
      .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1)),
  );
}

function normalizeText(value: string): string {
  return (
    value
      .replace(UID, "UID")
      .replace(TIME, "TIME")
      .replace(/^\d+s$/, "AGE")
      .replace(/\b(gen|Gen)-[a-z0-9]{5}\b/g, "$1-NAME")
      // The order of fields in a quoted object is that of the Go struct.
      .replace(/patch: Invalid value: ".*": /s, "patch: Invalid value: OBJECT: ")
      .replace(/^Invalid value: "\{.*\}": /s, "Invalid value: OBJECT: ")
      .replace(/current: \d+/, "current: N")
      .replace(/(too old resource version: \d+) \(\d+\)/, "$1 (N)")
      .replace(/record \(\d+\)/, "record (N)")
  );
}
