/** Removes all occurrences of a character from the end, as Go's `strings.TrimRight` does. */
export function trimTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}
