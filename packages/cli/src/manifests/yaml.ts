import type { Json } from "pintle/kinds";
import { parseAllDocuments, stringify } from "yaml";
import { CommandError } from "../command/index.ts";

/** kubectl parses YAML 1.1, in which an unquoted `on` is a boolean. */
const YAML_OPTIONS = { compat: "yaml-1.1", indentSeq: false, lineWidth: 0, aliasDuplicateObjects: false } as const;

/** Serializes objects as one YAML stream, with equal bytes for equal objects. */
export function toYaml(objects: readonly unknown[]): string {
  return objects.map((object) => `---\n${stringify(object, YAML_OPTIONS)}`).join("");
}

const toSafeNumber = (value: unknown) => (typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value);

/** Parses the documents of a YAML file and skips empty ones. Integers beyond 2^53 are bigint. */
export function parseYaml(text: string, file: string): readonly Json[] {
  return parseAllDocuments(text, { intAsBigInt: true }).flatMap((document) => {
    const [problem] = document.errors;
    if (problem !== undefined) throw new CommandError("PINTLE7029", `${file} is not valid YAML: ${problem.message.split("\n")[0]}`);
    const value = document.toJS({ reviver: (_, each) => toSafeNumber(each) }) as Json;
    return value === null ? [] : [value];
  });
}
