import { compareVersions, formatVersion, parseTolerantVersion, type Version } from "../versions/index.ts";
import { type BundleFinding, describeCsvFinding } from "./finding.ts";
import type { LoadedBundle } from "./load-manifests.ts";
import { describeUses, findRemovedIn122 } from "./removed-apis.ts";

/** The file that the value `index-path` names, or why it cannot be read, in the words of Go. */
export type IndexFile = { readonly text: string } | { readonly problem: "missing" | "folder" | "unreadable"; readonly error: string };

const LABEL = "com.redhat.openshift.versions";
const PROPERTIES = "olm.properties";
const MAXIMUM = "olm.maxOpenShiftVersion";
/** The version of OpenShift that has Kubernetes 1.22. */
const UNSUPPORTED = "4.9";
const GUIDE = "More info: https://kubernetes.io/docs/reference/using-api/deprecation-guide/#v1-22";
const REMOVED = "is bundle is using APIs which were deprecated and removed in v1.22";

/** What a catalog of OpenShift requires of bundles with kinds that Kubernetes 1.22 removed: that they are not offered to later versions. */
export function validateCommunity(
  bundle: LoadedBundle,
  values: Readonly<Record<string, string>>,
  indexFile: IndexFile | undefined,
): BundleFinding[] {
  const uses = findRemovedIn122(bundle);
  if (uses.size === 0) return [];
  const name = bundle.csv.metadata?.name ?? "";
  const found = describeUses(uses);
  const { errors, warnings } = checkMaximum(bundle, found);
  const path = values["index-path"] ?? "";
  // The errors are repeated as warnings, as there.
  if (path === "") warnings.splice(0, warnings.length, ...errors, describeMissingPath(found));
  else errors.push(...checkIndexFile(path, indexFile, found));
  return [
    ...errors.map((text) => describeCsvFinding("error", name, text)),
    ...warnings.map((text) => describeCsvFinding("warning", name, text)),
  ];
}

function describeMissingPath(found: string): string {
  return (
    "please, inform the path of its index image file via the the optional key values and the key index-path to allow this validator check " +
    `the labels configuration or migrate the API(s) for ${found}. (e.g. index-path=./mypath/bundle.Dockerfile). Th${REMOVED}. ${GUIDE} `
  );
}

function checkMaximum({ csv }: LoadedBundle, found: string): { readonly errors: string[]; readonly warnings: string[] } {
  const error = (text: string) => ({ errors: [text], warnings: [] });
  const text = csv.metadata?.annotations?.[PROPERTIES] ?? "";
  if (text === "") {
    return error(
      `csv.Annotations not specified ${MAXIMUM} for an OCP version < ${UNSUPPORTED}. This annotation is required to prevent the user from ` +
        "upgrading their OCP cluster before they have installed a version of their operator which is compatible with " +
        `${UNSUPPORTED}. Th${REMOVED}. ${GUIDE} which are no longer supported on ${UNSUPPORTED}. ` +
        `Migrate the API(s) for ${found} or use the annotation`,
    );
  }
  const properties = readProperties(text);
  if (properties === undefined) {
    return error(
      `csv.Annotations has an invalid value specified for ${PROPERTIES}. Please, check the value  (${text}) and ensure that it is an array ` +
        `such as: "${PROPERTIES}": '[{"type": "key name", "value": "key value"}]'`,
    );
  }
  const maximum = properties.find(({ type }) => type === MAXIMUM);
  if (maximum === undefined) {
    return error(
      `csv.Annotations.${PROPERTIES} with the key \`${MAXIMUM}\` and a value with an OCP version which is < ${UNSUPPORTED} is required for ` +
        "any operator bundle that is using APIs which were deprecated and removed in v1.22. " +
        `${GUIDE}. Migrate the API(s) for ${found} or use the annotation`,
    );
  }
  let version: Version;
  try {
    version = parseTolerantVersion(maximum.value);
  } catch (cause) {
    return error(
      `csv.Annotations.${PROPERTIES} has an invalid value. Unable to parse (${maximum.value}) using semver : ${(cause as Error).message}`,
    );
  }
  const truncated: Version = { ...version, patch: parseTolerantVersion("0").patch, pre: [], build: [] };
  if (compareVersions(version, truncated) !== 0) {
    const [given, cut] = [formatVersion(version), formatVersion(truncated)];
    const detail = `${MAXIMUM} must specify only major.minor versions, ${given} will be truncated to ${cut}`;
    return { errors: [], warnings: [`csv.Annotations.${PROPERTIES} has an invalid value. ${detail}`] };
  }
  if (!isUnsupported(version)) return { errors: [], warnings: [] };
  return error(
    `csv.Annotations.${PROPERTIES} with the key and value for ${MAXIMUM} has the OCP version value ${maximum.value} which is >= of ` +
      `${UNSUPPORTED}. Th${REMOVED}. ${GUIDE}. Migrate the API(s) for ${found} or inform in this property an OCP version which is < ${UNSUPPORTED}`,
  );
}

function isUnsupported(version: Version): boolean {
  return compareVersions(version, parseTolerantVersion(UNSUPPORTED)) >= 0;
}

/** Properties as Go decodes them: both fields are texts. */
function readProperties(text: string): readonly { readonly type: string; readonly value: string }[] | undefined {
  try {
    const list = JSON.parse(text) as unknown;
    if (list === null) return [];
    if (!Array.isArray(list)) return undefined;
    const properties: { readonly type: string; readonly value: string }[] = [];
    for (const item of list as readonly unknown[]) {
      if (typeof item !== "object" || Array.isArray(item)) return undefined;
      const fields = new Map(Object.entries(item ?? {}).map(([key, value]) => [key.toLowerCase(), value ?? ""] as const));
      const [type = "", value = ""] = [fields.get("type"), fields.get("value")];
      if (typeof type !== "string" || typeof value !== "string") return undefined;
      properties.push({ type, value });
    }
    return properties;
  } catch {
    return undefined;
  }
}

function checkIndexFile(path: string, file: IndexFile | undefined, found: string): readonly string[] {
  const advice = "via the the optional key values and the key index-path. (e.g. index-path=./mypath/bundle.Dockerfile).";
  if (file === undefined || "problem" in file) {
    const { problem, error } = file ?? { problem: "missing", error: `stat ${path}: no such file or directory` };
    if (problem === "unreadable") return [`unable to read the index image in the path (${path}). Error : ${error}`];
    return problem === "folder"
      ? [
          `the index image in the path (${path}) is not file. Please, inform the path of its index image ${advice} The value informed is a diretory and not a file`,
        ]
      : [
          `the index image in the path (${path}) was not found. Please, inform the path of the bundle operator index image ${advice} Error : ${error}`,
        ];
  }
  const line = file.text.split("\n").find((each) => each.includes(LABEL));
  if (line === undefined) {
    return [
      `th${REMOVED}. ${GUIDE}. Migrate the APIs for ${found} or provide compatible version(s) via the labels. (e.g. LABEL ${LABEL}='4.6-4.8')`,
    ];
  }
  return checkLabel(line, found);
}

/** `LABEL com.redhat.openshift.versions=v4.6-v4.8`, or with a second `=` for one version. */
function checkLabel(line: string, found: string): readonly string[] {
  const [, range, exact = ""] = line.split("=");
  if (range === undefined) return [`invalid syntax (${line}) for (${LABEL})`];
  const text = withoutQuotes(exact === "" ? range : exact);
  if (exact === "" && Buffer.byteLength(text) <= 1) return [`unable to get the range informed on ${LABEL}`];
  const generated = (verb: string) =>
    `or provide compatible version(s) by using the ${LABEL} annotation in \`metadata/annotations.yaml\` to ensure that the index image will be ${verb} with its label. (e.g. LABEL ${LABEL}='4.6-4.8')`;
  if (exact === "" && !text.includes("-")) {
    return [
      `th${REMOVED}. ${GUIDE} The ${text} allows to distribute it on >= ${UNSUPPORTED}. Migrate the API(s) for ${found} ${generated("generated")}`,
    ];
  }
  const version = exact === "" ? text.split("-")[1]! : text;
  let parsed: Version;
  try {
    parsed = parseTolerantVersion(version);
  } catch {
    return [`unable to parse the value (${version}) on (${LABEL})`];
  }
  if (!isUnsupported(parsed)) return [];
  if (exact !== "") return [`th${REMOVED}. ${GUIDE}. Migrate the API(s) for ${found} ${generated("geneared")}`];
  return [
    `th${REMOVED}. ${GUIDE}. Upgrade the APIs from for ${found} or provide compatible distribution version(s) by using the ${LABEL} annotation in \`metadata/annotations.yaml\` to ensure that the index image will be generated with its label. (e.g. LABEL ${LABEL}='4.6-4.8')`,
  ];
}

const withoutQuotes = (text: string) => text.replaceAll(/['"v]/g, "");
