/** The words of a command line, as a shell would split them: spaces part, quotes hold together, nothing is expanded. */
export function words(line: string): readonly string[] {
  const found: string[] = [];
  for (const [, word = ""] of line.matchAll(/((?:[^\s'"]|'[^']*'|"[^"]*")+)/g)) {
    found.push(word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ""));
  }
  return found;
}
