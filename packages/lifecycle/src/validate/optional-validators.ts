import { quoteGoString } from "pintle/internal/go-format";
import { parseVersion } from "../versions/index.ts";
import { type IndexFile, validateCommunity } from "./community.ts";
import { validateMinKubeVersion } from "./default-validators.ts";
import { type BundleFinding, describeCsvFinding, describeFinding } from "./finding.ts";
import { findAddressProblem, findUrlProblem } from "./go-addresses.ts";
import type { Csv, LoadedBundle } from "./load-manifests.ts";
import { type InspectedImage, validateMultiarch } from "./multiarch.ts";
import { validateRemovedApis } from "./removed-apis.ts";

/** A validator that runs if it is selected by its labels. */
export interface OptionalValidator {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly description: string;
  validate(bundle: LoadedBundle, values: Readonly<Record<string, string>>, inputs?: ValidatorInputs): readonly BundleFinding[];
}

/** What validators need from outside of the bundle. */
export interface ValidatorInputs {
  /** For `community`: the file that `index-path` names. Default: there is none. */
  readonly indexFile?: IndexFile | undefined;
  /** For `multiarch`: the platforms of the images of the bundle. Default: no image could be read. */
  readonly images?: ReadonlyMap<string, InspectedImage> | undefined;
}

const SUITE = { suite: "operatorframework" };
const CAPABILITIES = ["Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"];
const CATEGORIES = [
  ...["AI/Machine Learning", "Application Runtime", "Big Data", "Cloud Provider", "Developer Tools", "Database", "Integration & Delivery"],
  ...["Logging & Tracing", "Monitoring", "Modernization & Migration", "Networking", "OpenShift Optional", "Security", "Storage"],
  ...["Streaming & Messaging", "Observability"],
];

/** The validators that operator-sdk selects with `--select-optional`, in its order. */
export const OPTIONAL_VALIDATORS: readonly OptionalValidator[] = [
  {
    name: "operatorhubv2",
    labels: { name: "operatorhubv2", ...SUITE },
    description: "Metadata that operatorhub.io requires.",
    validate: (bundle, values) => [...validateMetadata(bundle.csv), ...validateRemovedApis(bundle, values)],
  },
  {
    name: "capabilities",
    labels: { name: "capabilities", ...SUITE },
    description: "The capability level.",
    validate: ({ csv }) => validateCapabilities(csv),
  },
  {
    name: "categories",
    labels: { name: "categories", ...SUITE },
    description: "The categories.",
    validate: ({ csv }) => validateCategories(csv),
  },
  {
    name: "operatorhub",
    labels: { name: "operatorhub" },
    description: "operatorhubv2, capabilities and categories in one. Deprecated.",
    validate: (bundle, values) => [
      ...validateMetadata(bundle.csv, true),
      ...validateRemovedApis(bundle, values),
      describeFinding(
        "warning",
        'The "operatorhub" validator is deprecated; for equivalent validation use "operatorhub/v2", "standardcapabilities" and "standardcategories" validators',
        "",
      ),
    ],
  },
  {
    name: "community",
    labels: { name: "community" },
    description:
      "Kinds that Kubernetes 1.22 removed, and versions of OpenShift; --optional-values=index-path=bundle.Dockerfile names the labels.",
    validate: (bundle, values, inputs) => validateCommunity(bundle, values, inputs?.indexFile),
  },
  {
    name: "alpha-deprecated-apis",
    labels: { name: "alpha-deprecated-apis", ...SUITE },
    description:
      "Kinds that were removed from Kubernetes 1.22, 1.25 or 1.26; --optional-values=k8s-version=1.25 names the version that must work.",
    validate: validateRemovedApis,
  },
  {
    name: "good-practices",
    labels: { name: "good-practices", ...SUITE },
    description: "Resource requests, descriptions, names of bundles and channels, and permissions for CRDs.",
    validate: validateGoodPractices,
  },
  {
    name: "multiarch",
    labels: { name: "multiarch" },
    description:
      "The platforms of the images, beside the labels of the CSV and the nodes that its Deployments select. Reads the images from registries.",
    validate: (bundle, values, inputs) => validateMultiarch(bundle, values, inputs?.images ?? new Map()),
  },
];

/**
 * Returns the validators whose labels match a label selector of equalities: `suite=operatorframework`; `name in (a,b)` is not supported.
 *
 * @example
 * ```ts
 * import { selectValidators } from "@pintle/lifecycle";
 *
 * console.log(selectValidators("suite=operatorframework").map(({ name }) => name));
 * ```
 */
export function selectValidators(selector: string): readonly OptionalValidator[] {
  const wanted = selector.split(",").map((part) => /^\s*(\w+)\s*(!=|==?)\s*([\w.-]+)\s*$/.exec(part));
  if (wanted.some((each) => each === null)) return [];
  return OPTIONAL_VALIDATORS.filter(({ labels }) => wanted.every((each) => (labels[each![1]!] === each![3]!) === (each![2] !== "!=")));
}

const MEDIA_TYPES = ["image/gif", "image/jpeg", "image/png", "image/svg+xml"];

function validateMetadata(csv: Csv, withLists = false): BundleFinding[] {
  const name = csv.metadata?.name ?? "";
  const error = (detail: string) => describeCsvFinding("error", name, detail);
  const { provider, maintainers = [], links = [], icon, version = "" } = csv.spec ?? {};
  return [
    ...((provider?.name ?? "").trim() === "" ? [error("csv.Spec.Provider.Name not specified")] : []),
    ...maintainers.flatMap((each) => validateMaintainer(each).map(error)),
    ...links.flatMap((each) => validateLink(each).map(error)),
    ...(withLists ? [...validateCapabilities(csv), ...validateCategories(csv)] : []),
    ...(version === "" || version === "0.0.0" ? [error("csv.Spec.Version must be set")] : []),
    ...(icon === undefined ? [describeCsvFinding("warning", name, "csv.Spec.Icon not specified")] : validateIcon(icon).map(error)),
    ...validateMinKubeVersion(csv, name),
  ];
}

function validateMaintainer({ name = "", email = "" }: { readonly name?: string; readonly email?: string }): string[] {
  const problem = email === "" ? undefined : findAddressProblem(email);
  return [
    ...(name === "" || email === "" ? ["csv.Spec.Maintainers elements should contain both name and email"] : []),
    ...(problem === undefined ? [] : [`csv.Spec.Maintainers email ${email} is invalid: ${problem}`]),
  ];
}

function validateLink({ name = "", url = "" }: { readonly name?: string; readonly url?: string }): string[] {
  const problem = url === "" ? undefined : findUrlProblem(url);
  return [
    ...(name === "" || url === "" ? ["csv.Spec.Links elements should contain both name and url"] : []),
    ...(problem === undefined ? [] : [`csv.Spec.Links url ${url} is invalid: ${problem}`]),
  ];
}

function validateIcon(icons: readonly { readonly base64data?: string; readonly mediatype?: string }[]): string[] {
  const [{ base64data = "", mediatype = "" } = {}] = icons;
  return [
    ...(icons.length === 1 ? [] : ["csv.Spec.Icon should only have one element"]),
    ...(mediatype === "" || base64data === "" ? ["csv.Spec.Icon elements should contain both data and mediatype"] : []),
    ...(mediatype === "" || MEDIA_TYPES.includes(mediatype) ? [] : [`csv.Spec.Icon ${mediatype} does not have a valid mediatype`]),
  ];
}

function validateCapabilities({ metadata }: Csv): BundleFinding[] {
  const level = metadata?.annotations?.["capabilities"];
  if (level === undefined || CAPABILITIES.includes(level)) return [];
  const detail = `csv.Metadata.Annotations.Capabilities ${quoteGoString(level)} is not a valid capabilities level`;
  return [describeCsvFinding("error", metadata?.name ?? "", detail)];
}

function validateCategories({ metadata }: Csv): BundleFinding[] {
  const categories = metadata?.annotations?.["categories"]?.split(",") ?? [];
  return categories
    .filter((category) => !CATEGORIES.includes(category.trim()))
    .map((category) =>
      describeCsvFinding(
        "error",
        metadata?.name ?? "",
        `csv.Metadata.Annotations["categories"] value ${quoteGoString(category)} is not in the set of standard categories`,
      ),
    );
}

const NO_REQUESTS =
  "It is recommended to ensure the resource request for CPU and Memory. Be aware that for some clusters configurations it is required to specify " +
  "requests or limits for those values. Otherwise, the system or quota may reject Pod creation. More info: " +
  "https://master.sdk.operatorframework.io/docs/best-practices/managing-resources/";
const CREATES_CRDS =
  "CSV contains permissions to create CRD. An Operator shouldn't deploy or manage other operators (such patterns are known as meta or super " +
  "operators or include CRDs in its Operands). It's the Operator Lifecycle Manager's job to manage the deployment and lifecycle of operators.  " +
  "Please, review the design of your solution and if you should not be using Dependency Resolution from OLM instead. " +
  "More info: https://sdk.operatorframework.io/docs/best-practices/common-recommendation/";

function validateGoodPractices(bundle: LoadedBundle): BundleFinding[] {
  const { csv } = bundle;
  const name = csv.metadata?.name ?? "";
  const warning = (detail: string) => describeFinding("warning", detail, name);
  const deployments = csv.spec?.install?.spec?.deployments;
  return [
    ...(deployments === undefined ? [describeFinding("error", "unable to find a deployment to install in the CSV", name)] : []),
    ...(deployments ?? [])
      .flatMap(({ spec }) => containersOf(spec))
      .filter(({ resources }) => resources?.requests === undefined)
      .map((container) => warning(`unable to find the resource requests for the container: (${container.name ?? ""}). ${NO_REQUESTS}`)),
    ...validateDescriptions(csv).map(warning),
    ...validateChannels(bundle).map(warning),
    ...(createsCrds(csv) ? [warning(CREATES_CRDS)] : []),
    ...validateName(name).map(warning),
  ];
}

interface ContainerResources {
  readonly name?: string;
  readonly resources?: { readonly requests?: unknown };
}

function containersOf(spec: unknown): readonly ContainerResources[] {
  return (
    (spec as { readonly template?: { readonly spec?: { readonly containers?: readonly ContainerResources[] } } })?.template?.spec
      ?.containers ?? []
  );
}

function validateDescriptions({ spec }: Csv): string[] {
  const { owned = [], required = [] } = spec?.customresourcedefinitions ?? {};
  const lists = [["owned", owned] as const, ["required", required] as const];
  return lists.flatMap(([relation, crds]) =>
    crds
      .filter(({ description = "" }) => description === "")
      .map(({ name = "" }) => `${relation} CRD ${quoteGoString(name)} has an empty description`),
  );
}

function validateChannels({ channels, defaultChannel }: LoadedBundle): string[] {
  const unusual = [...new Set([...channels, defaultChannel].map((channel) => channel.trim()))].filter(
    (channel) => channel !== "" && !/^(candidate|stable|fast)/.test(channel),
  );
  if (unusual.length === 0) return [];
  const shown = `[${unusual.map((channel) => quoteGoString(channel)).join(" ")}]`;
  return [
    `channel(s) ${shown} are not following the recommended naming convention: https://olm.operatorframework.io/docs/best-practices/channel-naming`,
  ];
}

function createsCrds({ spec }: Csv): boolean {
  const { permissions = [], clusterPermissions = [] } = spec?.install?.spec ?? {};
  const includes = (list: unknown, wanted: readonly string[]) => Array.isArray(list) && list.some((each) => wanted.includes(String(each)));
  return [...permissions, ...clusterPermissions]
    .flatMap(({ rules = [] }) => rules)
    .some(
      ({ apiGroups, resources, verbs }) =>
        includes(apiGroups, ["apiextensions.k8s.io"]) &&
        includes(resources, ["customresourcedefinitions", "*", "[*]"]) &&
        includes(verbs, ["create", "*", "[*]", "patch"]),
    );
}

const VERSION = /^[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+)?$/;
/** Longer names are refused anyway. */
const MAX_NAME = 253;

/** The version that a name ends with, from its first digit. */
function findVersionAtEnd(name: string): string | undefined {
  const end = name.slice(-MAX_NAME);
  for (let i = 0; i < end.length; i++) {
    const startsNumber = isDigit(end[i]!) && !isDigit(end[i - 1] ?? "");
    if (startsNumber && VERSION.test(end.slice(i))) return end.slice(i);
  }
  return undefined;
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}

function validateName(name: string): string[] {
  const version = findVersionAtEnd(name);
  return [
    ...(version !== undefined && isStrictVersion(version)
      ? []
      : [`csv.metadata.Name ${name} is not following the versioning convention (MAJOR.MINOR.PATCH e.g 0.0.1): https://semver.org/`]),
    ...(name.split(".v").length === 2
      ? []
      : [
          `csv.metadata.Name ${name} is not following the recommended naming convention: <operator-name>.v<semver> e.g. memcached-operator.v0.0.1`,
        ]),
  ];
}

function isStrictVersion(text: string): boolean {
  try {
    parseVersion(text);
    return true;
  } catch {
    return false;
  }
}
