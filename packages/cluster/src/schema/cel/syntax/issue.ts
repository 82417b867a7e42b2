/** A parse or type-check error at an offset into the source. */
export interface ExpressionIssue {
  readonly at: number;
  readonly message: string;
}

/** Formats all issues with source snippets, as cel-go prints them. */
export function describeIssues(source: string, issues: readonly ExpressionIssue[]): string {
  const placed = issues.map((issue) => ({ ...issue, ...getPosition(source, issue.at) }));
  placed.sort((a, b) => a.line - b.line || a.column - b.column);
  return placed
    .map(({ line, column, message }) => `ERROR: <input>:${line}:${column + 1}: ${message}${formatSnippet(source, line, column)}`)
    .join("\n");
}

function getPosition(source: string, at: number): { line: number; column: number } {
  const before = source.slice(0, at).split("\n");
  return { line: before.length, column: [...before.at(-1)!].length };
}

function formatSnippet(source: string, line: number, column: number): string {
  const text = (source.split("\n")[line - 1] ?? "").replaceAll("\t", " ");
  const chars = [...text];
  const wide = (char: string | undefined) => char !== undefined && char > "\u007f";
  const dots = chars
    .slice(0, column)
    .map((char) => (wide(char) ? "\uff0e" : "."))
    .join("");
  return `\n | ${text}\n | ${dots}${wide(chars[column]) ? "\uff3e" : "^"}`;
}

/** Thrown where a part of an expression has no meaning, and where the expression is nested too deeply. */
export class CelSyntaxError extends Error {
  override readonly name = "SyntaxIssue";
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}
