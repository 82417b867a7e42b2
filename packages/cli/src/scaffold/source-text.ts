const CLOSES: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Where the bracket at `open` ends, one past its partner; undefined where it never does. Strings and comments are stepped over. */
export function closing(text: string, open: number): number | undefined {
  const awaited: string[] = [];
  for (let at = open; at < text.length; at++) {
    const past = beyond(text, at);
    if (past !== undefined) {
      at = past - 1;
      continue;
    }
    const character = text[at]!;
    if (CLOSES[character] !== undefined) awaited.push(CLOSES[character]);
    else if (character === awaited.at(-1)) {
      awaited.pop();
      if (awaited.length === 0) return at + 1;
    }
  }
  return undefined;
}

/** One past the string or comment that begins at `at`. */
function beyond(text: string, at: number): number | undefined {
  const found = /^(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)/.exec(
    text.slice(at, at + 20_000),
  );
  return found === null ? undefined : at + found[0].length;
}

/** Every place where the code itself, not a string or a comment, says `word`. */
export function places(text: string, word: string): readonly number[] {
  const found: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const past = beyond(text, at);
    if (past !== undefined) at = past - 1;
    else if (text.startsWith(word, at) && !/[\w$]/.test(text[at - 1] ?? " ")) found.push(at);
  }
  return found;
}
