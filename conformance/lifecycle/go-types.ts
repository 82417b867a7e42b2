/**
 * Writes the table of Go types in `packages/lifecycle/src/go-types` from the reference program:
 * `node --import tsx conformance/lifecycle/go-types.ts`.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findReference, Reference } from "./reference.ts";

type Structs = Readonly<Record<string, readonly (readonly [name: string, type: string, omit: string])[]>>;

/** The text of the table: per struct one line, `name type` per field, with `?` for omitempty and `!` for omitzero. */
export async function formatGoTypes(reference: Reference): Promise<string> {
  const structs = (await reference.ask({ op: "types" }))["structs"] as Structs;
  const lines = Object.keys(structs)
    .sort()
    .map((name) => {
      const fields = structs[name]!.map(([field, type, omit]) => `${field}${{ empty: "?", zero: "!" }[omit] ?? ""} ${type}`);
      return `  ${JSON.stringify(name)}:\n    ${JSON.stringify(fields.join("; "))},\n`;
    });
  return `// Written by conformance/lifecycle/go-types.ts. Do not edit.
/** The fields of Go's structs in their order: \`name type\`, with \`?\` for omitempty and \`!\` for omitzero. */
export const GO_STRUCTS: Readonly<Record<string, string>> = {
${lines.join("")}};
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = findReference();
  if (file !== undefined) {
    const reference = new Reference(file);
    const target = join(import.meta.dirname, "..", "..", "packages", "lifecycle", "src", "go-types", "generated.ts");
    await writeFile(target, await formatGoTypes(reference));
    await reference.stop();
  }
}
