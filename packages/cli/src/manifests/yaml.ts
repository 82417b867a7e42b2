import type { Json } from "pintle/kinds";
import { parseAllDocuments, stringify } from "yaml";
import { CommandError } from "../command.ts";

/** kubectl reads YAML 1.1, where a bare `on` is a boolean. */
const STYLE = { compat: "yaml-1.1", indentSeq: false, lineWidth: 0, aliasDuplicateObjects: false } as const;

/** Objects as one file, the same bytes every time. */
export function yamlOf(objects: readonly unknown[]): string {
  return objects.map((object) => `---\n${stringify(object, STYLE)}`).join("");
}

/** The objects of a file; empty documents are none. */
export function readYaml(text: string, file: string): readonly Json[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [problem] = document.errors;
    if (problem !== undefined) throw new CommandError(`pintle: ${file} is not YAML: ${problem.message.split("\n")[0]}`);
    const value = document.toJS() as Json;
    return value === null ? [] : [value];
  });
}
