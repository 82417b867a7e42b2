import type { JsonObject } from "pintle/internal/json";
import { type BundleFiles, isSupportedKind, type NamedObject } from "../bundle/index.ts";
import { findFormatProblems } from "./bundle-format.ts";
import { formatKind, validateBundle, validateCsv } from "./default-validators.ts";
import { type BundleFinding, describeFinding } from "./finding.ts";
import { type LoadedBundle, loadBundleManifests } from "./load-manifests.ts";
import type { OptionalValidator, ValidatorInputs } from "./optional-validators.ts";

/** Checks a CRD as the API server does. */
export type CrdValidator = (crd: NamedObject) => readonly { readonly field: string; readonly message: string }[];

/** Options of `validateBundleFiles`. */
export interface BundleValidationOptions {
  /** Checks each CRD. Default: CRDs are not checked. */
  readonly validateCrd?: CrdValidator | undefined;
  /** Further validators. Default: none. */
  readonly optional?: readonly OptionalValidator[] | undefined;
  /** Values for the further validators, such as `k8s-version`. Default: none. */
  readonly values?: Readonly<Record<string, string>> | undefined;
  /** What they need from outside of the bundle. Default: nothing. */
  readonly inputs?: ValidatorInputs | undefined;
}

/**
 * Checks a bundle as operator-sdk's `bundle validate` does: its format, its content, and what is selected. The bundle is valid if no finding is an
 * error.
 *
 * @example
 * ```ts
 * import { readBundleFolder, selectValidators, validateBundleFiles } from "@pintle/lifecycle";
 *
 * const optional = selectValidators("suite=operatorframework");
 * for (const { level, message } of validateBundleFiles(readBundleFolder("bundle"), { optional })) console.log(level, message);
 * ```
 */
export function validateBundleFiles(files: BundleFiles, options: BundleValidationOptions = {}): readonly BundleFinding[] {
  const format = findFormatProblems(files).map((message): BundleFinding => ({ level: "error", message }));
  const bundle = loadBundleManifests(files);
  if ("problems" in bundle) return [...format, ...bundle.problems.map((message): BundleFinding => ({ level: "error", message }))];
  const { optional = [], values = {} } = options;
  return [
    ...format,
    ...validateObjects(bundle),
    ...runDefaultValidators(bundle, options.validateCrd),
    ...optional.flatMap((validator) => validator.validate(bundle, values, options.inputs)),
  ];
}

/** The validators of the operator-framework API that always run. */
export function runDefaultValidators(bundle: LoadedBundle, validateCrd: CrdValidator | undefined): BundleFinding[] {
  return [...validateCsv(bundle.csv), ...validateCrds(bundle, validateCrd), ...validateBundle(bundle)];
}

const CHECKED_BY_KIND = new Set(["ClusterServiceVersion", "CustomResourceDefinition"]);

/** Objects that OLM applies: their kind, and whether their metadata could be applied. */
function validateObjects({ objects }: LoadedBundle): BundleFinding[] {
  return objects
    .filter(({ kind = "" }) => !CHECKED_BY_KIND.has(kind))
    .flatMap(({ kind = "", apiVersion, metadata }) => {
      if (!isSupportedKind(kind)) {
        const version = String(apiVersion ?? "");
        const slash = version.indexOf("/");
        const shown = formatKind({ group: version.slice(0, Math.max(slash, 0)), version: version.slice(slash + 1), kind });
        return [describeFinding("error", "unsupported media type registry+v1 for bundle object", shown)];
      }
      const { name = "", namespace = "", generateName = "" } = (metadata ?? {}) as Readonly<Record<string, string>>;
      const problems = [
        ...(name === "" && generateName === "" ? ["metadata.name: Required value: name or generateName is required"] : []),
        ...(namespace === "" ? [] : ["metadata.namespace: Forbidden: not allowed on this type"]),
      ];
      if (problems.length === 0) return [];
      const joined = problems.length === 1 ? problems[0]! : `[${problems.join(", ")}]`;
      return [describeFinding("error", `error validating object: ${joined}. OLM installs it into the namespace of the operator`, name)];
    });
}

/** Fields whose errors are ignored, because many bundles have them. */
const IGNORED_FIELDS = /openAPIV3Schema|status/;

function validateCrds({ crds, oldCrds }: LoadedBundle, validateCrd: CrdValidator | undefined): BundleFinding[] {
  if (validateCrd === undefined) return [];
  const unnamed = { field: "metadata.name", message: "Required value: name or generateName is required" };
  return [...oldCrds.map(convertOldCrd), ...crds].flatMap((crd) =>
    [...((crd.metadata?.name ?? "") === "" ? [unnamed] : []), ...validateCrd(withRequiredFields(crd))]
      .filter(({ field }) => !IGNORED_FIELDS.test(field))
      .map(({ field, message }): BundleFinding => ({ level: "error", message: `Error: Field ${field}: ${message}` })),
  );
}

/** Converts a CRD of apiextensions.k8s.io/v1beta1 with its defaults: one version outside of the list, and unknown fields are kept. */
function convertOldCrd(crd: NamedObject): NamedObject {
  const { version, versions, validation, subresources, additionalPrinterColumns, conversion, ...spec } = (crd["spec"] ?? {}) as JsonObject;
  const shared = {
    ...(validation === undefined ? {} : { schema: validation }),
    ...(subresources === undefined ? {} : { subresources }),
    ...(additionalPrinterColumns === undefined ? {} : { additionalPrinterColumns: columnsOf(additionalPrinterColumns) }),
  };
  const named = (versions as readonly JsonObject[] | undefined)?.map(({ additionalPrinterColumns: columns, ...each }) =>
    columns === undefined ? each : { ...each, additionalPrinterColumns: columnsOf(columns) },
  );
  const listed = named ?? [{ name: version ?? "", served: true, storage: true }];
  const { webhookClientConfig: clientConfig, conversionReviewVersions = ["v1beta1"], ...strategy } = (conversion ?? {}) as JsonObject;
  const webhook = clientConfig === undefined ? {} : { webhook: { clientConfig, conversionReviewVersions } };
  return {
    ...crd,
    apiVersion: "apiextensions.k8s.io/v1",
    spec: {
      preserveUnknownFields: true,
      ...spec,
      scope: spec["scope"] || "Namespaced",
      ...(conversion === undefined ? {} : { conversion: { ...strategy, ...webhook } }),
      versions: listed.map((each) => ({ ...shared, ...each })),
    },
  } as unknown as NamedObject;
}

function columnsOf(columns: unknown): readonly JsonObject[] {
  return (columns as readonly JsonObject[]).map(({ JSONPath: jsonPath = "", ...column }) => ({ ...column, jsonPath }));
}

/** Any schema will do, because errors in schemas are ignored. */
const SCHEMA = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };

/** Absent fields are empty in Go. */
function withRequiredFields(crd: NamedObject): NamedObject {
  const { versions = [], names = {}, ...spec } = (crd["spec"] ?? {}) as JsonObject;
  return {
    ...crd,
    metadata: crd.metadata ?? {},
    spec: {
      group: "",
      scope: "",
      ...spec,
      names,
      versions: (versions as readonly JsonObject[]).map((version) => ({ name: "", ...version, schema: SCHEMA })),
    },
  } as NamedObject;
}
