import { quoteGoString } from "pintle/internal/go-format";
import { isJsonObject, type Json, type JsonObject } from "pintle/internal/json";
import { findReferenceProblem } from "../fbc/index.ts";
import { parseVersion } from "../versions/index.ts";
import { type BundleFinding, describeCsvFinding, describeFinding } from "./finding.ts";
import type { CrdDescription, Csv, LoadedBundle } from "./load-manifests.ts";

const MIN_KUBE_VERSION =
  "csv.Spec.minKubeVersion is not informed. It is recommended you provide this information. Otherwise, it would mean that your operator project " +
  "can be distributed and installed in any cluster version available, which is not necessarily the case for all projects.";

/** Checks of the ClusterServiceVersion. */
export function validateCsv(csv: Csv): BundleFinding[] {
  const name = csv.metadata?.name ?? "";
  const { replaces = "" } = csv.spec ?? {};
  const error = (detail: string) => describeCsvFinding("error", name, detail);
  const nameProblem = (what: string, text: string) => {
    const problem = joinNameProblems(text);
    return problem === undefined ? [] : [error(`${what} ${quoteGoString(text)} is invalid: ${problem}`)];
  };
  return [
    ...nameProblem("metadata.name", name),
    ...(replaces === "" ? [] : nameProblem("spec.replaces", replaces)),
    ...validateExamples(csv, name),
    ...validateInstallModes(csv).map(error),
    ...validateMinKubeVersion(csv, name),
    ...findMissingFields(csv).map(
      ([field, what]): BundleFinding => ({
        level: "error",
        message: `Error: Field ${field}, Value ${what}: required field missing`,
      }),
    ),
    ...validateAnnotationNames(csv, name),
    // `kind` was needed to recognize the object.
    ...((csv.apiVersion ?? "") === "" ? [error("'apiVersion' is missing")] : []),
  ];
}

/** Fields that the Go type requires, where they are missing. */
function findMissingFields({ metadata, spec }: Csv): (readonly [field: string, what: "struct" | "field"])[] {
  const isEmpty = (object: object | undefined) => object === undefined || Object.keys(object).length === 0;
  const { install, displayName = "" } = (spec ?? {}) as NonNullable<Csv["spec"]> & { readonly displayName?: string };
  const missing: (readonly [string, "struct" | "field"])[] = [];
  if (isEmpty(metadata)) missing.push(["ObjectMeta", "struct"]);
  if (isEmpty(spec)) return [...missing, ["Spec", "struct"]];
  const strategy = install?.strategy ?? "";
  if (strategy === "" && isEmpty(install?.spec)) missing.push(["Spec.InstallStrategy", "struct"]);
  else {
    if (strategy === "") missing.push(["Spec.InstallStrategy.StrategyName", "field"]);
    if (!isEmpty(install?.spec) && install?.spec?.deployments === undefined) {
      missing.push(["Spec.InstallStrategy.StrategySpec.DeploymentSpecs", "field"]);
    }
  }
  if (displayName === "") missing.push(["Spec.DisplayName", "field"]);
  return missing;
}

const EXACT_ANNOTATIONS = ["olm.operatorGroup", "olm.operatorNamespace", "olm.targetNamespaces", "olm.providedAPIs", "olm.skipRange"];

function validateAnnotationNames({ metadata }: Csv, name: string): BundleFinding[] {
  return Object.keys(metadata?.annotations ?? {}).flatMap((key) => {
    const exact = EXACT_ANNOTATIONS.find((each) => each.toLowerCase() === key.toLowerCase());
    const properties = "found olm.properties annotation, please define these properties in metadata/properties.yaml instead";
    return [
      ...(exact === undefined || exact === key
        ? []
        : [describeFinding("error", `provided annotation ${key} uses wrong case and should be ${exact} instead`, name)]),
      ...(key === "olm.properties" ? [describeFinding("warning", properties, "")] : []),
    ];
  });
}

/** Checks the oldest version of Kubernetes. */
export function validateMinKubeVersion(csv: Csv, name: string): BundleFinding[] {
  const { minKubeVersion = "" } = csv.spec ?? {};
  if (minKubeVersion.trim() === "") return [describeCsvFinding("warning", name, MIN_KUBE_VERSION)];
  if (isVersion(minKubeVersion)) return [];
  return [describeCsvFinding("error", name, `csv.Spec.MinKubeVersion has an invalid value: ${minKubeVersion}`)];
}

function isVersion(text: string): boolean {
  try {
    parseVersion(text);
    return true;
  } catch {
    return false;
  }
}

function validateExamples(csv: Csv, name: string): BundleFinding[] {
  const annotations = csv.metadata?.annotations ?? {};
  const warning = (detail: string) => describeCsvFinding("warning", name, detail);
  if (Object.keys(annotations).length === 0) return [warning("annotations not found")];
  const { "alm-examples": alm, "olm.examples": olm } = annotations;
  const text = alm ?? olm;
  if (text === undefined) return [warning("example annotations not found")];
  const both = "both `alm-examples` and `olm.examples` are present. Checking only `alm-examples`";
  const found = alm !== undefined && olm !== undefined ? [warning(both)] : [];
  const examples = parseExamples(text);
  if ("problem" in examples) return [...found, examples.problem];
  return [...found, ...matchExamples(csv, examples.kinds)];
}

/** Reads the examples, and returns their kinds as `group/version, Kind=kind`. */
function parseExamples(text: string): { readonly kinds: ReadonlySet<string> } | { readonly problem: BundleFinding } {
  if (text === "") return { kinds: new Set() };
  let parsed: Json;
  try {
    parsed = JSON.parse(text) as Json;
  } catch (error) {
    const read = findJsonError(text, error as Error);
    const value = `invalid character at ${Buffer.byteLength(read)}\n ${read}<--(see the invalid character)`;
    return { problem: describeFinding("error", "invalid example", value) };
  }
  const undecodable = (value: string) => ({ problem: describeFinding("error", "error decoding example CustomResource", value) });
  if (parsed === null) return { kinds: new Set() };
  if (!Array.isArray(parsed)) return undecodable("json: cannot unmarshal into Go value of type []unstructured.Unstructured");
  const broken = parsed.find((item) => !isJsonObject(item) || typeof item["kind"] !== "string" || item["kind"] === "");
  if (broken !== undefined) return undecodable(`Object 'Kind' is missing in '${JSON.stringify(broken)}'`);
  return { kinds: new Set((parsed as readonly JsonObject[]).map(kindOfObject)) };
}

/** The text up to the first character that is no JSON. */
function findJsonError(text: string, { message }: Error): string {
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  return position === undefined ? text : text.slice(0, Number(position) + 1);
}

function kindOfObject({ apiVersion, kind }: JsonObject): string {
  const version = typeof apiVersion === "string" ? apiVersion : "";
  const slash = version.indexOf("/");
  return formatKind({ group: version.slice(0, Math.max(slash, 0)), version: version.slice(slash + 1), kind: String(kind) });
}

/** As Go formats a GroupVersionKind. */
export function formatKind({ group, version, kind }: { readonly group: string; readonly version: string; readonly kind: string }): string {
  return `${group}/${version}, Kind=${kind}`;
}

function matchExamples(csv: Csv, examples: ReadonlySet<string>): BundleFinding[] {
  const { customresourcedefinitions, apiservicedefinitions } = csv.spec ?? {};
  const provided = new Set<string>();
  const broken: BundleFinding[] = [];
  for (const { name = "", version = "", kind = "" } of customresourcedefinitions?.owned ?? []) {
    const dot = name.indexOf(".");
    if (dot === -1) broken.push(describeFinding("error", `couldn't parse plural.group from crd name: ${name}`));
    else provided.add(formatKind({ group: name.slice(dot + 1), version, kind }));
  }
  for (const { group = "", version = "", kind = "" } of apiservicedefinitions?.owned ?? [])
    provided.add(formatKind({ group, version, kind }));
  return [
    ...broken,
    ...[...examples]
      .filter((kind) => !provided.has(kind))
      .map((kind) => describeFinding("error", "example must have a provided API", kind)),
    ...[...provided]
      .filter((kind) => !examples.has(kind))
      .map((kind) => describeFinding("warning", "provided API should have an example annotation", kind)),
  ];
}

function validateInstallModes(csv: Csv): string[] {
  const { installModes = [], webhookdefinitions = [] } = csv.spec ?? {};
  if (installModes.length === 0) return ["install modes not found"];
  const onlyAll = installModes.every(({ type, supported = false }) => (type === "AllNamespaces") === supported);
  return [
    ...webhookdefinitions
      .filter(({ conversionCRDs = [] }) => conversionCRDs.length > 0 && !onlyAll)
      .map(() => "only AllNamespaces InstallModeType is supported when conversionCRDs is present"),
    ...(installModes.some(({ supported }) => supported) ? [] : ["none of InstallModeTypes are supported"]),
  ];
}

const MAX_SIZE = 1 << 20;
const SIZE_TO_WARN = 0.85 * MAX_SIZE;

/** Checks of the bundle as a whole. */
export function validateBundle(bundle: LoadedBundle): BundleFinding[] {
  return [
    ...validateOwnedCrds(bundle),
    ...validateServiceAccounts(bundle),
    ...validateSize(bundle),
    ...validateReleaseName(bundle),
    ...validateRelatedImages(bundle),
  ];
}

function validateOwnedCrds({ csv, crds, oldCrds, name }: LoadedBundle): BundleFinding[] {
  const error = (detail: string, key: string) => describeFinding("error", detail, key);
  const present = [...crds, ...oldCrds].flatMap(listKinds);
  const keys = present.map(formatKind);
  const owned = (csv.spec?.customresourcedefinitions?.owned ?? []).map(ownedKind);
  const ownedKinds = new Set(owned.filter((each) => keys.includes(formatKind(each))).map(({ group, kind }) => `${group} ${kind}`));
  const unlisted = present.filter(({ group, kind }) => !ownedKinds.has(`${group} ${kind}`)).map(formatKind);
  const where = `bundle ${quoteGoString(name)}`;
  return [
    ...keys.filter((key, i) => keys.indexOf(key) !== i).map((key) => error(`duplicate CRD ${quoteGoString(key)} in ${where}`, key)),
    ...owned
      .map(formatKind)
      // The second of two equal entries has no CRD of its own.
      .filter((key, i, all) => !keys.includes(key) || all.indexOf(key) !== i)
      .map((key) => error(`owned CRD ${quoteGoString(key)} not found in ${where}`, key)),
    ...[...new Set(unlisted)].map((key) => error(`CRD ${quoteGoString(key)} is present in ${where} but not defined in CSV`, key)),
  ];
}

function ownedKind({ name = "", version = "", kind = "" }: CrdDescription) {
  const dot = name.indexOf(".");
  return { group: dot === -1 ? name : name.slice(dot + 1), version, kind };
}

/** The kinds of a CRD; v1beta1 has a single version in another field. */
function listKinds(crd: JsonObject): { readonly group: string; readonly version: string; readonly kind: string }[] {
  const spec = (crd["spec"] ?? {}) as {
    readonly group?: string;
    readonly version?: string;
    readonly versions?: readonly { readonly name?: string }[];
    readonly names?: { readonly kind?: string };
  };
  const names = spec.versions?.length ? spec.versions.map(({ name = "" }) => name) : spec.version === undefined ? [] : [spec.version];
  return names.map((version) => ({ group: spec.group ?? "", version, kind: spec.names?.kind ?? "" }));
}

function validateServiceAccounts({ csv, objects }: LoadedBundle): BundleFinding[] {
  const deployments = csv.spec?.install?.spec?.deployments ?? [];
  const used = deployments.map(({ spec }) => {
    const { template } = (spec ?? {}) as { readonly template?: { readonly spec?: { readonly serviceAccountName?: string } } };
    return template?.spec?.serviceAccountName ?? "";
  });
  return objects
    .filter(({ kind, apiVersion, metadata }) => kind === "ServiceAccount" && apiVersion === "v1" && used.includes(metadata?.name ?? ""))
    .map(({ metadata }) => {
      const name = metadata?.name ?? "";
      return describeFinding(
        "error",
        `invalid service account found in bundle. This service account ${name} in your bundle is not valid, because a service account with the same name was already specified in your CSV. If this was unintentional, please remove the service account manifest from your bundle. If it was intentional to specify a separate service account, please rename the SA in either the bundle manifest or the CSV.`,
        name,
      );
    });
}

function validateSize({ compressedSize, size, name }: LoadedBundle): BundleFinding[] {
  if (compressedSize <= SIZE_TO_WARN) return [];
  const sizes = `size=~${formatSize(compressedSize)} , max=${formatSize(MAX_SIZE)}. Bundle uncompressed size is ${formatSize(size)}`;
  return compressedSize > MAX_SIZE
    ? [describeFinding("error", `maximum bundle compressed size with gzip size exceeded: ${sizes}`, name)]
    : [describeFinding("warning", `nearing maximum bundle compressed size with gzip: ${sizes}`, name)];
}

function formatSize(bytes: number): string {
  const power = Math.floor(Math.log10(bytes) / 3);
  return power === 0 ? `${bytes} B` : `${(bytes / 1000 ** power).toFixed(1)} ${"kMG"[power - 1]}B`;
}

function validateReleaseName({ csv, name, packageName }: LoadedBundle): BundleFinding[] {
  const { release = "", version = "" } = csv.spec ?? {};
  if (release === "") return [];
  const expected = `${packageName}-v${version}-${release}`;
  if (name === expected) return [];
  const detail = `bundle name with release versioning ${quoteGoString(name)} does not match expected name ${quoteGoString(expected)}`;
  return [describeFinding("error", detail, name)];
}

function validateRelatedImages({ csv }: LoadedBundle): BundleFinding[] {
  return (csv.spec?.relatedImages ?? []).flatMap(({ image = "" }, i) => {
    const where = `spec.relatedImages[${i}].image`;
    if (image === "") return [describeFinding("error", `relatedImages[${i}] has an empty image field`, where)];
    const problem = findReferenceProblem(image);
    if (problem === undefined) return [];
    return [describeFinding("error", `relatedImages[${i}] has an invalid image pullspec ${quoteGoString(image)}: ${problem}`, where)];
  });
}

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const MAX_SUBDOMAIN = 253;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const LABEL_VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const MAX_LABEL_VALUE = 63;

/** Why a text can be neither the name of an object nor the value of a label, which names of CSVs are both; undefined if it can. */
function joinNameProblems(name: string): string | undefined {
  const length = Buffer.byteLength(name);
  const problems = [
    ...(length > MAX_SUBDOMAIN ? [`must be no more than ${MAX_SUBDOMAIN} bytes`] : []),
    ...(SUBDOMAIN.test(name) ? [] : [SUBDOMAIN_RULE]),
    ...(length > MAX_LABEL_VALUE ? [`must be no more than ${MAX_LABEL_VALUE} bytes`] : []),
    ...(LABEL_VALUE.test(name) ? [] : [LABEL_VALUE_RULE]),
  ];
  return problems.length === 0 ? undefined : problems.join(",");
}
