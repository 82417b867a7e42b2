/** Field names as rules write them: `__if__`, `a__dot__b`. Undefined when a name cannot be written at all. */

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(" "),
);
const spelled: Readonly<Record<string, string>> = { __: "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__" };
const meant: Readonly<Record<string, string>> = { underscores: "__", dot: ".", dash: "-", slash: "/" };

export function escapeName(name: string): string | undefined {
  if (name === "" || /^\d/.test(name) || /[^a-zA-Z0-9\-./_]/.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  return name.replace(/__|[-./]/g, (part) => spelled[part]!);
}

export function unescapeName(escaped: string): string | undefined {
  let ok = true;
  const name = escaped.replace(/__([^_]+)__/g, (whole, contents: string) => {
    const part = meant[contents];
    if (part !== undefined) return part;
    if (!reserved.has(contents) || whole.length !== escaped.length) ok = false;
    return contents;
  });
  return ok ? name : undefined;
}
