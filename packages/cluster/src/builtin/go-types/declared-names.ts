import { goNames } from "../generated/go-names.ts";

/** Declared type names by struct and field, parsed when an error needs one. */
let namesByField: ReadonlyMap<string, string> | undefined;

/** Returns the declared Go type of a field if it is a named type: "v1.Protocol", "[]v1.IPFamily", "v1.ResourceList". */
export function getDeclaredTypeName(struct: string, field: string): string | undefined {
  namesByField ??= parseGoNames();
  return namesByField.get(`${struct}.${field}`);
}

function parseGoNames(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let prefix = "";
  for (const line of goNames.split("\n")) {
    if (!line.startsWith("\t")) {
      prefix = line;
      continue;
    }
    const [struct, ...fields] = line.slice(1).split(" ");
    for (const word of fields) {
      const [field, type] = word.split("=");
      found.set(`${prefix}.${struct}.${field}`, type!);
    }
  }
  return found;
}
