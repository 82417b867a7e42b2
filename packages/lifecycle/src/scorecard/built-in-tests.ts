import { isJsonObject, type Json, type JsonObject } from "pintle/internal/json";
import type { BundleFiles } from "../bundle/index.ts";
import { type CrdValidator, findFormatProblems, type LoadedBundle, loadBundleManifests, runDefaultValidators } from "../validate/index.ts";
import type { ScorecardResult } from "./types.ts";

/** The tests that need no image of their own. */
const BUILT_IN_TESTS = [
  ...["olm-bundle-validation", "olm-crds-have-validation", "olm-crds-have-resources", "olm-spec-descriptors", "olm-status-descriptors"],
  "basic-check-spec",
] as const;

const STATUS_CONVENTIONS =
  "does not have status spec. Note that all objects that represent a physical resource whose state may vary from the user's desired intent SHOULD " +
  "have a spec and a status. " +
  "More info: https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#spec-and-status";
const MARKERS =
  "If your project is built using Golang you can use the csv markers. " +
  "More info: https://sdk.operatorframework.io/docs/building-operators/golang/references/markers/";

/**
 * Runs a test of operator-sdk on a bundle, with its verdict, errors and suggestions.
 *
 * @example
 * ```ts
 * import { readBundleFolder, runBuiltInTest } from "@pintle/lifecycle";
 *
 * console.log(runBuiltInTest("olm-spec-descriptors", readBundleFolder("bundle")).state);
 * ```
 */
export function runBuiltInTest(name: string, files: BundleFiles, validateCrd?: CrdValidator): ScorecardResult {
  if (!BUILT_IN_TESTS.some((each) => each === name)) {
    return finish({ state: "fail", errors: [`Valid tests for this image include: ${BUILT_IN_TESTS.join(", ")}`] });
  }
  const bundle = loadBundleManifests(files);
  if (name === "olm-bundle-validation") return validateBundle(files, bundle, validateCrd);
  if ("problems" in bundle) return finish({ name, state: "error", errors: bundle.problems });
  const examples = readExamples(bundle);
  const log = `Loaded ClusterServiceVersion: ${bundle.csv.metadata?.name ?? ""}\n`;
  if (name === "olm-crds-have-resources") return finish({ name, log, ...checkResources(bundle) });
  if (typeof examples === "string") {
    return name === "basic-check-spec"
      ? finish({ name, state: "fail", errors: [`error getting custom resources: ${examples}`] })
      : finish({ name, state: "error", errors: [examples] });
  }
  const loaded = `Loaded ${examples.length} Custom Resources from alm-examples\n`;
  switch (name) {
    case "basic-check-spec":
      return finish({ name, ...checkSpec(examples) });
    case "olm-crds-have-validation": {
      const crds = `Loaded CustomresourceDefinitions: ${bundle.crds.map(({ metadata }) => metadata?.name ?? "").join(", ")}\n`;
      return finish({ name, log: loaded + crds, ...checkSchemas(bundle, examples) });
    }
    default:
      return finish({
        name,
        log: log + loaded,
        ...checkDescriptors(bundle, examples, name === "olm-spec-descriptors" ? "spec" : "status"),
      });
  }
}

/** Empty lists are left out, as operator-sdk does. */
function finish({ errors = [], suggestions = [], ...result }: ScorecardResult): ScorecardResult {
  return {
    ...result,
    ...(errors.length === 0 ? {} : { errors }),
    ...(suggestions.length === 0 ? {} : { suggestions }),
    creationTimestamp: null,
  };
}

type Outcome = Pick<ScorecardResult, "state" | "errors" | "suggestions">;

function validateBundle(
  files: BundleFiles,
  bundle: LoadedBundle | { readonly problems: readonly string[] },
  validateCrd: CrdValidator | undefined,
): ScorecardResult {
  const name = "olm-bundle-validation";
  const format = findFormatProblems(files);
  const formatErrors = format.length === 0 ? [] : [`Bundle validation errors: ${format.join(",")}`];
  if ("problems" in bundle) return finish({ name, state: "fail", errors: [...formatErrors, ...bundle.problems] });
  const findings = runDefaultValidators(bundle, validateCrd);
  const messages = (level: "error" | "warning") => findings.filter((each) => each.level === level).map(({ message }) => message);
  const errors = [...formatErrors, ...messages("error")];
  return finish({ name, state: errors.length === 0 ? "pass" : "fail", errors, suggestions: messages("warning") });
}

/** The objects in alm-examples, or why they cannot be read. */
function readExamples({ csv }: LoadedBundle): readonly JsonObject[] | string {
  const text = csv.metadata?.annotations?.["alm-examples"] ?? "";
  if (text === "") return [];
  const refuse = (why: string) => `failed to parse alm-examples annotation: ${why}`;
  try {
    const parsed = JSON.parse(text) as Json;
    if (!Array.isArray(parsed)) return refuse("json: cannot unmarshal into Go value of type []unstructured.Unstructured");
    const broken = (parsed as readonly Json[]).find(
      (each) => !isJsonObject(each) || typeof each["kind"] !== "string" || each["kind"] === "",
    );
    return broken === undefined ? (parsed as readonly JsonObject[]) : refuse(`Object 'Kind' is missing in '${JSON.stringify(broken)}'`);
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function checkSpec(examples: readonly JsonObject[]): Outcome {
  const missing = examples.find(({ spec }) => spec === undefined || spec === null);
  // operator-sdk passes these too.
  return { state: "pass", suggestions: missing === undefined ? [] : [`spec missing from [${nameOf(missing)}]`] };
}

function checkResources({ csv }: LoadedBundle): Outcome {
  const owned = csv.spec?.customresourcedefinitions?.owned ?? [];
  const hasResources = owned.every(({ resources = [] }) => resources.length > 0);
  return hasResources ? { state: "pass" } : { state: "fail", errors: ["Owned CRDs do not have resources specified"] };
}

interface CrdManifestSpec {
  readonly names?: { readonly kind?: string };
  readonly versions?: readonly { readonly name?: string; readonly schema?: { readonly openAPIV3Schema?: JsonObject } }[];
  readonly version?: string;
  readonly validation?: { readonly openAPIV3Schema?: JsonObject };
}

/** Every field of the examples must be in the schema of its kind. */
function checkSchemas({ crds, oldCrds }: LoadedBundle, examples: readonly JsonObject[]): Outcome {
  const kinds = [...crds, ...oldCrds].flatMap((crd) => {
    const { names, versions, version, validation } = (crd["spec"] ?? {}) as CrdManifestSpec;
    const listed = versions ?? (version === undefined ? [] : [{ name: version }]);
    return listed.map(({ name = "", schema = validation }: NonNullable<CrdManifestSpec["versions"]>[number]) => ({
      kind: names?.kind ?? "",
      name,
      schema,
    }));
  });
  const suggestions: string[] = [];
  let state: Outcome["state"] = "pass";
  for (const example of examples) {
    const { version, kind } = kindOf(example);
    for (const each of kinds) {
      if (each.name.toLowerCase() !== version.toLowerCase() || singularOf(each.kind) !== singularOf(kind)) continue;
      if (each.schema === undefined) {
        suggestions.push(`Add CRD validation for ${each.kind}/${each.name}`);
        continue;
      }
      const unknown = (["spec", "status"] as const).flatMap((part) =>
        listUnknownFields(example, each.schema!.openAPIV3Schema, part).map(
          (field) => `Add CRD validation for ${part === "spec" ? "spec field" : "status field"} \`${field}\` in ${kind}/${version}`,
        ),
      );
      if (unknown.length === 0) continue;
      suggestions.push(...unknown);
      state = "fail";
      break;
    }
  }
  return { state, suggestions };
}

function listUnknownFields(example: JsonObject, schema: JsonObject | undefined, part: "spec" | "status"): string[] {
  const known = propertiesOf(propertiesOf(schema)[part] as JsonObject | undefined);
  return fieldsOf(example, part).filter((field) => !Object.hasOwn(known, field));
}

function propertiesOf(schema: JsonObject | undefined): JsonObject {
  return (schema?.["properties"] ?? {}) as JsonObject;
}

function fieldsOf(example: JsonObject, part: "spec" | "status"): string[] {
  const value = example[part];
  return value !== undefined && isJsonObject(value) ? Object.keys(value) : [];
}

function checkDescriptors({ csv }: LoadedBundle, examples: readonly JsonObject[], part: "spec" | "status"): Outcome {
  const [errors, suggestions]: string[][] = [[], []];
  let isFailed = false;
  const owned = csv.spec?.customresourcedefinitions?.owned ?? [];
  for (const example of examples) {
    if (part === "spec" && (example["spec"] === undefined || example["spec"] === null)) {
      isFailed = true;
      continue;
    }
    const { group, version, kind } = kindOf(example);
    const crd = owned.find((each) => each.kind === kind && (each.version ?? "") === version);
    if (crd === undefined) {
      errors!.push(`Failed to find an owned CRD for CR ${nameOf(example)} with GVK ${group}/${version}, Kind=${kind}`);
      continue;
    }
    if (part === "spec") {
      const described = new Set((crd.specDescriptors ?? []).map(({ path }) => path));
      const missing = fieldsOf(example, "spec").filter((field) => !described.has(field));
      errors!.push(...missing.map((field) => `${field} does not have a spec descriptor`));
      suggestions!.push(...missing.map((field) => `Add a spec descriptor for ${field}`));
      continue;
    }
    const hasStatus = fieldsOf(example, "status").length > 0;
    if (!hasStatus) suggestions!.push(`${crd.name ?? ""} ${STATUS_CONVENTIONS}`);
    else if ((crd.statusDescriptors ?? []).length === 0) {
      errors!.push(`${crd.name ?? ""} does not have a status descriptor`);
      suggestions!.push(`add status descriptor for the crd ${crd.name ?? ""}. ${MARKERS}`);
    }
  }
  return { state: isFailed || errors!.length > 0 ? "fail" : "pass", errors: errors!, suggestions: suggestions! };
}

function kindOf({ apiVersion, kind }: JsonObject): { readonly group: string; readonly version: string; readonly kind: string } {
  const text = typeof apiVersion === "string" ? apiVersion : "";
  const slash = text.indexOf("/");
  return { group: text.slice(0, Math.max(slash, 0)), version: text.slice(slash + 1), kind: String(kind) };
}

/** operator-sdk compares kinds without case and without a plural. */
function singularOf(kind: string): string {
  return kind.toLowerCase();
}

function nameOf({ metadata }: JsonObject): string {
  return String((metadata as JsonObject | undefined)?.["name"] ?? "");
}
