import { isJsonObject, type Json } from "pintle/internal/json";
import type { BundleFiles } from "../bundle/index.ts";
import { parseBlangRange } from "../versions/index.ts";
import { parseYamlDocuments } from "../yaml/index.ts";
import { readAnnotationsFile } from "./load-manifests.ts";

const PREFIX = "operators.operatorframework.io.bundle";
const REQUIRED = [
  ...[`${PREFIX}.mediatype.v1`, `${PREFIX}.manifests.v1`, `${PREFIX}.metadata.v1`, `${PREFIX}.package.v1`, `${PREFIX}.channels.v1`],
];

/** Checks the folders and the metadata of a bundle as opm does. Returns one text per problem. */
export function findFormatProblems(files: BundleFiles): string[] {
  const hasFolder = (name: string) => [...files.keys()].some((path) => path.startsWith(`${name}/`));
  const missing = ["manifests", "metadata"].filter((name) => !hasFolder(name));
  if (missing.length > 0) return missing.map((name) => `Unable to locate ${name} directory`);
  const metadata = [...files].filter(([path]) => /^metadata\/[^/]+$/.test(path)).map(([, bytes]) => bytes);
  const annotations = metadata.map(readAnnotationsFile).find((each) => each !== undefined);
  return [
    ...(annotations === undefined ? ["Could not find annotations file"] : findAnnotationProblems(annotations)),
    ...metadata.flatMap(findDependencyProblems),
  ];
}

function findAnnotationProblems(annotations: Readonly<Record<string, string>>): string[] {
  const mediaType = annotations[REQUIRED[0]!] ?? "";
  return [
    ...REQUIRED.filter((name) => annotations[name] === undefined).map((name) => `Missing annotation "${name}"`),
    ...(mediaType === "registry+v1"
      ? []
      : [`Expecting annotation "${REQUIRED[0]!}" to have value "registry+v1" instead of ${JSON.stringify(mediaType)}`]),
    ...((annotations[`${PREFIX}.channels.v1`] ?? "") === ""
      ? [`Expecting annotation "${PREFIX}.channels.v1" to have non-empty value`]
      : []),
    ...(annotations[`${PREFIX}.channel.default.v1`] === ""
      ? [`Expecting annotation "${PREFIX}.channel.default.v1" to have non-empty value`]
      : []),
  ];
}

function findDependencyProblems(bytes: Buffer): string[] {
  let parsed: unknown;
  try {
    [parsed] = parseYamlDocuments(bytes.toString("utf8"));
  } catch {
    return [];
  }
  const dependencies = isJsonObject(parsed as Json) ? (parsed as { readonly dependencies?: unknown }).dependencies : undefined;
  if (!Array.isArray(dependencies)) return [];
  return dependencies.flatMap((dependency: { readonly type?: string; readonly value?: Readonly<Record<string, unknown>> }) => {
    const { type = "", value } = dependency ?? {};
    const textOf = (field: string) => (typeof value?.[field] === "string" ? value[field] : "");
    const empty = (...fields: (readonly [field: string, text: string])[]) =>
      fields.filter(([field]) => textOf(field) === "").map(([, text]) => text);
    switch (type) {
      case "olm.gvk":
        return empty(["group", "API Group is empty"], ["version", "API Version is empty"], ["kind", "API Kind is empty"]);
      case "olm.package":
        return [
          ...empty(["packageName", "Package name is empty"], ["version", "Package version is empty"]),
          ...(textOf("version") === "" || isRange(textOf("version")) ? [] : ["Invalid semver format version"]),
        ];
      case "olm.label":
        return empty(["label", "Label information is missing"]);
      case "olm.constraint":
        return isJsonObject(value?.["cel"] as Json) ? [] : ["The CEL field is missing"];
      default:
        return [`couldn't parse dependency of type ${type}`];
    }
  });
}

function isRange(text: string): boolean {
  try {
    parseBlangRange(text);
    return true;
  } catch {
    return false;
  }
}
