import type { SourceExcerpt } from "../protocol.ts";
import type { ConsoleSource, SourceFile } from "../source/index.ts";

const CONTEXT_LINES = 4;

/** The source around the first frame that is in a file of the project. */
export function findExcerpt(source: ConsoleSource, frames: readonly string[]): SourceExcerpt | undefined {
  for (const frame of frames) {
    const [, file = "", line = "", column = ""] =
      /(?:\(|\s|^)(?:file:\/\/)?([^()\s]+):(\d{1,7}):(\d{1,7})\)?$/.exec(frame.slice(-1_000)) ?? [];
    const found = file === "" ? undefined : findFile(source.sources(), file);
    if (found !== undefined) return excerptOf(found, Number(line), Number(column));
  }
  return undefined;
}

export function findFile(files: readonly SourceFile[], name: string): SourceFile | undefined {
  return files.find(({ file, path }) => path === name || file === name) ?? files.find(({ file }) => name.endsWith(`/${file}`));
}

export function excerptOf({ file, text, path }: SourceFile, line: number, column?: number): SourceExcerpt {
  const lines = text.split("\n");
  const first = Math.max(1, line - CONTEXT_LINES);
  return {
    file,
    line,
    column: column || undefined,
    first,
    lines: lines.slice(first - 1, line + CONTEXT_LINES),
    editor: path === undefined ? undefined : `vscode://file${encodeURI(path)}:${line}${column ? `:${column}` : ""}`,
  };
}
