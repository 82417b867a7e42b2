/** Several errors as one text, as Go's aggregates print. */
export function aggregate(texts: readonly string[]): string {
  const different = [...new Set(texts)];
  return different.length === 1 ? (different[0] as string) : `[${different.join(", ")}]`;
}
