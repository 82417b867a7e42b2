/** The patterns of `.indexignore` files: those of gitignore, as the Go library go-git reads them. */

/** One line of an ignore file. */
export interface IgnorePattern {
  /** The folder of the file, as path segments. */
  readonly folder: readonly string[];
  readonly segments: readonly string[];
  /** A line that starts with `!`: matching files are not ignored. */
  readonly isInclusion: boolean;
  readonly isFolderOnly: boolean;
}

/** Parses the text of an ignore file in `folder`, which is given as path segments. */
export function parseIgnoreFile(text: string, folder: readonly string[]): IgnorePattern[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const isInclusion = line.startsWith("!");
      const pattern = isInclusion ? line.slice(1) : line;
      const isFolderOnly = pattern.endsWith("/");
      return { folder, segments: (isFolderOnly ? pattern.slice(0, -1) : pattern).split("/"), isInclusion, isFolderOnly };
    });
}

/** Whether a file is ignored: the last pattern that matches decides. */
export function isIgnored(path: readonly string[], patterns: readonly IgnorePattern[]): boolean {
  return patterns.findLast((pattern) => matchesPattern(path, pattern))?.isInclusion === false;
}

function matchesPattern(path: readonly string[], pattern: IgnorePattern): boolean {
  const { folder, segments } = pattern;
  if (path.length <= folder.length || folder.some((name, i) => path[i] !== name)) return false;
  const below = path.slice(folder.length);
  return segments.length > 1 ? matchesSegments(below, pattern) : matchesName(below, pattern);
}

/** A pattern without slash matches the file, or any folder above it. */
function matchesName(path: readonly string[], { segments, isFolderOnly }: IgnorePattern): boolean {
  const matches = compileGlob(segments[0]!);
  if (matches === undefined) return false;
  const at = path.findIndex(matches);
  return at !== -1 && !(isFolderOnly && at === path.length - 1);
}

function matchesSegments(path: readonly string[], { segments, isFolderOnly }: IgnorePattern): boolean {
  let left = path;
  let isMatch = false;
  let canTraverse = false;
  for (const [i, segment] of segments.entries()) {
    if (segment === "") {
      canTraverse = false;
      continue;
    }
    if (segment === "**") {
      if (i === segments.length - 1) break;
      canTraverse = true;
      continue;
    }
    const matches = segment.includes("**") ? undefined : compileGlob(segment);
    if (matches === undefined || left.length === 0) return false;
    if (!canTraverse && !matches(left[0]!)) return false;
    const at = canTraverse ? left.findIndex(matches) : 0;
    canTraverse = false;
    isMatch = at !== -1;
    left = at === -1 ? [] : left.slice(at + 1);
  }
  return isMatch && !(isFolderOnly && left.length === 0);
}

type GlobToken = "*" | ((char: string) => boolean);

/** Compiles a pattern of one path segment: `*`, `?`, `[a-z]`, `[^a]` and escapes. Undefined if it is malformed. */
function compileGlob(glob: string): ((name: string) => boolean) | undefined {
  const tokens: GlobToken[] = [];
  const chars = [...glob];
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i]!;
    if (char === "*") tokens.push("*");
    else if (char === "?") tokens.push(() => true);
    else if (char === "[") {
      const parsed = parseClass(chars, i + 1);
      if (parsed === undefined) return undefined;
      tokens.push(parsed.matches);
      i = parsed.end;
    } else if (char === "\\") {
      const literal = chars[++i];
      if (literal === undefined) return undefined;
      tokens.push((each) => each === literal);
    } else tokens.push((each) => each === char);
  }
  return (name) => matchGlob([...name], tokens);
}

function parseClass(
  chars: readonly string[],
  start: number,
): { readonly matches: (char: string) => boolean; readonly end: number } | undefined {
  const isNegated = chars[start] === "^";
  const ranges: (readonly [string, string])[] = [];
  let at = isNegated ? start + 1 : start;
  const readChar = () => {
    if (chars[at] === "\\") at++;
    return chars[at++];
  };
  while (chars[at] !== "]" || ranges.length === 0) {
    if (at >= chars.length || chars[at] === "-" || chars[at] === "]") return undefined;
    const low = readChar();
    let high = low;
    if (chars[at] === "-") {
      at++;
      if (chars[at] === "-" || chars[at] === "]") return undefined;
      high = readChar();
    }
    if (low === undefined || high === undefined) return undefined;
    ranges.push([low, high]);
  }
  return { matches: (char) => ranges.some(([low, high]) => low <= char && char <= high) !== isNegated, end: at };
}

/** Matches by going back only to the last star, in time proportional to name times pattern. */
function matchGlob(name: readonly string[], tokens: readonly GlobToken[]): boolean {
  let [at, next] = [0, 0];
  let star: { readonly next: number; readonly at: number } | undefined;
  while (at < name.length) {
    const token = tokens[next];
    if (token === "*") star = { next: ++next, at };
    else if (token?.(name[at]!)) {
      at++;
      next++;
    } else if (star !== undefined) {
      star = { next: star.next, at: star.at + 1 };
      at = star.at;
      next = star.next;
    } else return false;
  }
  return tokens.slice(next).every((token) => token === "*");
}
