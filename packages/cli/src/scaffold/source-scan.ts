const CLOSING_BRACKET: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Returns the position after the bracket that closes the one at `open`, ignoring strings and comments; undefined if there is none. */
export function findClosingBracket(text: string, open: number): number | undefined {
  const expected: string[] = [];
  for (let at = open; at < text.length; at++) {
    const past = skipStringOrComment(text, at);
    if (past !== undefined) {
      at = past - 1;
      continue;
    }
    const character = text[at]!;
    if (CLOSING_BRACKET[character] !== undefined) expected.push(CLOSING_BRACKET[character]);
    else if (character === expected.at(-1)) {
      expected.pop();
      if (expected.length === 0) return at + 1;
    }
  }
  return undefined;
}

/** Returns the position after the string or comment that starts at `at`. */
function skipStringOrComment(text: string, at: number): number | undefined {
  const found = /^(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)/.exec(
    text.slice(at, at + 20_000),
  );
  return found === null ? undefined : at + found[0].length;
}

/** Returns every position of `word` in the code, ignoring strings and comments. */
export function findInCode(text: string, word: string): readonly number[] {
  const found: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const past = skipStringOrComment(text, at);
    if (past !== undefined) at = past - 1;
    else if (text.startsWith(word, at) && !/[\w$]/.test(text[at - 1] ?? " ")) found.push(at);
  }
  return found;
}
