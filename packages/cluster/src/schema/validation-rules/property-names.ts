/** Escaping of property names in CEL: `__if__`, `a__dot__b`. Undefined if a name cannot be escaped. */

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(" "),
);
const escapeSequences: Readonly<Record<string, string>> = { __: "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__" };
const unescapedSequences: Readonly<Record<string, string>> = { underscores: "__", dot: ".", dash: "-", slash: "/" };

export function isReservedWord(name: string): boolean {
  return reserved.has(name);
}

export function escapePropertyName(name: string): string | undefined {
  if (name === "" || /^\d/.test(name) || /[^a-zA-Z0-9\-./_]/.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  return name.replace(/__|[-./]/g, (part) => escapeSequences[part]!);
}

export function unescapePropertyName(escaped: string): string | undefined {
  let ok = true;
  const name = escaped.replace(/__([^_]+)__/g, (whole, contents: string) => {
    const part = unescapedSequences[contents];
    if (part !== undefined) return part;
    if (!reserved.has(contents) || whole.length !== escaped.length) ok = false;
    return contents;
  });
  return ok ? name : undefined;
}
