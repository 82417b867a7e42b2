/** Translates a JavaScript pattern to RE2, the syntax of the API server. Returns the text, or the feature that RE2 lacks (`missing`). */
export function toRe2(pattern: RegExp): { readonly text: string } | { readonly missing: string } {
  const flags = pattern.flags.replace(/[dgyuv]/g, "");
  if (flags !== "" && flags !== "i") return { missing: `flag ${flags.replace("i", "")}` };
  const { source } = pattern;
  let text = "";
  let inClass = false;
  const repeats = repetitionLimiter();
  for (let at = 0; at < source.length; ) {
    const rest = source.slice(at);
    const token: PatternToken = inClass ? tokenInsideClass(rest) : tokenOutsideClass(rest);
    if ("missing" in token) return token;
    if (!inClass && !repeats(rest)) return { missing: "more than 1000 repetitions" };
    text += token.text;
    at += token.length;
    inClass = token.inClass ?? inClass;
  }
  return { text: flags === "i" ? `(?i)${text}` : text };
}

type PatternToken = { readonly text: string; readonly length: number; readonly inClass?: boolean } | { readonly missing: string };
const verbatimToken = (text: string): PatternToken => ({ text, length: text.length });

function tokenOutsideClass(rest: string): PatternToken {
  if (rest.startsWith("\\")) return escapeToken(rest, false);
  if (rest.startsWith("[^]") || rest.startsWith("[]")) return { missing: "classes [] and [^]" };
  if (rest.startsWith("[")) return { text: rest.startsWith("[^") ? "[^" : "[", length: rest.startsWith("[^") ? 2 : 1, inClass: true };
  if (/^\(\?<?[=!]/.test(rest)) return { missing: "lookahead and lookbehind" };
  const named = /^\(\?<(\w+)>/.exec(rest);
  if (named) return { text: `(?P<${named[1]}>`, length: named[0].length };
  return verbatimToken(rest[0]!);
}

function tokenInsideClass(rest: string): PatternToken {
  if (rest.startsWith("]")) return { text: "]", length: 1, inClass: false };
  if (rest.startsWith("\\")) return escapeToken(rest, true);
  // RE2 reads [:alpha:] inside a class as a named class, JavaScript as seven characters.
  if (rest.startsWith("[")) return { text: "\\[", length: 1 };
  if (/^.-\\[dwsDWS]/.test(rest)) return { missing: "ranges that end in a class, like [a-\\d]" };
  return verbatimToken(rest[0]!);
}

function escapeToken(rest: string, inClass: boolean): PatternToken {
  const code = /^\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/.exec(rest);
  if (code) return { text: `\\x{${code[1] ?? code[2] ?? code[3]}}`, length: code[0].length };
  const property = /^\\[pP]\{([^}]*)\}/.exec(rest);
  if (property) return /^[A-Z][a-z]?$/.test(property[1]!) ? verbatimToken(property[0]) : { missing: `property ${property[0]}` };
  const letter = rest[1]!;
  if (letter === "0") return { text: "\\x00", length: 2 };
  if (letter === "b" && inClass) return { text: "\\x08", length: 2 };
  if (/[1-9k]/.test(letter)) return { missing: "back references" };
  if (/[dDwWsSbBnrtfv]/.test(letter) || /[!-/:-@[-`{-~ ]/.test(letter)) return verbatimToken(rest.slice(0, 2));
  return { missing: `escape \\${letter}` };
}

/**
 * Returns a function that is called with the remaining pattern at each token. It returns false once nested repetition counts multiply to
 * more than 1000, which RE2 rejects.
 */
function repetitionLimiter(): (rest: string) => boolean {
  const groups = [1];
  let last = 1;
  return (rest) => {
    const counted = /^\{(\d+)(?:,(\d*))?\}/.exec(rest);
    if (counted) {
      last *= Math.max(Number(counted[1]), Number(counted[2] ?? 0), 1);
      groups[groups.length - 1] = Math.max(groups.at(-1)!, last);
      return last <= 1000;
    }
    if (rest.startsWith("(")) groups.push(1);
    last = rest.startsWith(")") ? groups.pop()! : 1;
    return true;
  };
}
