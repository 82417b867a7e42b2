import { invalid } from "../source/index.ts";

/** Splits a line into words as a POSIX shell does: quotes and backslashes, but no expansion of any kind. */
export function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let i = 0; i < line.length; i++) {
    const character = line[i]!;
    if (quote === "'") {
      if (character === "'") quote = undefined;
      else word += character;
    } else if (character === "\\" && (quote === undefined || '"\\$`'.includes(line[i + 1] ?? ""))) {
      if (++i === line.length) throw invalid("The command ends with a backslash.");
      word = (word ?? "") + line[i];
    } else if (quote === '"') {
      if (character === '"') quote = undefined;
      else word += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (quote !== undefined) throw invalid(`The command has an unclosed ${quote}.`);
  return word === undefined ? words : [...words, word];
}
