import { goNames } from "../generated/go-names.ts";

/** Named types by struct and field, read when an error has to name one. */
let names: ReadonlyMap<string, string> | undefined;

/** What Go calls the type of a field, if it is neither plain nor a struct: "v1.Protocol", "[]v1.IPFamily", "v1.ResourceList". */
export function declaredName(struct: string, field: string): string | undefined {
  names ??= read();
  return names.get(`${struct}.${field}`);
}

function read(): ReadonlyMap<string, string> {
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
