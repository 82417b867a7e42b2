/** No integer of 64 bits has more digits. */
const MAX_DIGITS = 20;

/**
 * Parses decimal digits with an optional sign; undefined for other text, and beyond twenty digits, which no integer of 64 bits has. `BigInt` alone
 * takes more than linear time.
 */
export function parseShortInteger(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  let start = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
  while (text[start] === "0") start++;
  if (text.length - start > MAX_DIGITS) return undefined;
  const value = BigInt(text.slice(start));
  return text.startsWith("-") ? -value : value;
}
