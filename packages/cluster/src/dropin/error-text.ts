const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EISDIR: "is a directory",
  ENOTDIR: "not a directory",
};

/** What went wrong with a file, as Go says it: "open /x: no such file or directory". */
export function errorText(error: unknown): string {
  const { code = "", syscall, path, message } = error as NodeJS.ErrnoException;
  const words = WORDS[code];
  if (words === undefined || path === undefined) return error instanceof Error ? message : String(error);
  return `${code === "EISDIR" ? "read" : syscall} ${path}: ${words}`;
}
