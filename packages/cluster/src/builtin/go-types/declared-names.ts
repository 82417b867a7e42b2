import { memoize } from "pintle/internal/memoize";
import { goNames } from "../generated/go-names.ts";

/** Returns the declared Go type of a field if it is a named type: "v1.Protocol", "[]v1.IPFamily", "v1.ResourceList". */
export function getDeclaredTypeName(struct: string, field: string): string | undefined {
  return parseGoNames().get(`${struct}.${field}`);
}

/** Declared type names by struct and field, parsed when an error needs one. */
const parseGoNames = memoize((): ReadonlyMap<string, string> => {
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
});
