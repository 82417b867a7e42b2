/** Something wrong with an expression, at an offset into its source. */
export interface Issue {
  readonly at: number;
  readonly message: string;
}

/** All issues with the places they point to, the way cel-go prints them. */
export function describeIssues(source: string, issues: readonly Issue[]): string {
  const placed = issues.map((issue) => ({ ...issue, ...positionOf(source, issue.at) }));
  placed.sort((a, b) => a.line - b.line || a.column - b.column);
  return placed
    .map(({ line, column, message }) => `ERROR: <input>:${line}:${column + 1}: ${message}${snippet(source, line, column)}`)
    .join("\n");
}

function positionOf(source: string, at: number): { line: number; column: number } {
  const before = source.slice(0, at).split("\n");
  return { line: before.length, column: [...before.at(-1)!].length };
}

function snippet(source: string, line: number, column: number): string {
  const text = (source.split("\n")[line - 1] ?? "").replaceAll("\t", " ");
  const chars = [...text];
  const wide = (char: string | undefined) => char !== undefined && char > "\u007f";
  const dots = chars
    .slice(0, column)
    .map((char) => (wide(char) ? "\uff0e" : "."))
    .join("");
  return `\n | ${text}\n | ${dots}${wide(chars[column]) ? "\uff3e" : "^"}`;
}

/** Thrown by the parser at the first thing it cannot read. */
export class SyntaxIssue extends Error {
  override readonly name = "SyntaxIssue";
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}
