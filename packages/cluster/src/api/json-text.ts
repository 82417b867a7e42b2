/** JSON.stringify, which knows no integers beyond 2^53: those are written by hand. */
export function jsonText(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return withBigIntegers(value, indent);
  }
}

function withBigIntegers(value: unknown, indent?: number): string {
  const integers: string[] = [];
  const text = JSON.stringify(
    value,
    (_key, part: unknown) => (typeof part === "bigint" ? `\u0000${integers.push(part.toString()) - 1}\u0000` : part),
    indent,
  );
  return text.replace(/"\\u0000(\d+)\\u0000"/g, (_match, index: string) => integers[Number(index)] as string);
}
