import { quoteGoString } from "pintle/internal/go-format";
import type { JsonObject } from "pintle/internal/json";
import { type BundleFinding, describeFinding } from "./finding.ts";
import type { LoadedBundle } from "./load-manifests.ts";

/** An operating system and an architecture, in the names of Go. */
export interface ImagePlatform {
  readonly os: string;
  readonly architecture: string;
}

/** The platforms of an image, or why it could not be read. */
export type InspectedImage = readonly ImagePlatform[] | { readonly error: string };

const ARCH_LABEL = "operatorframework.io/arch.";
const OS_LABEL = "operatorframework.io/os.";
/** A container beside the operator that operator-sdk used to add. */
const PROXY = "kube-rbac-proxy";
const TOOLS = ["", "none", "docker", "podman"];

interface OperatorContainer {
  readonly name?: string;
  readonly image?: string;
}

/** The images that `validateMultiarch` needs the platforms of. */
export function listInspectedImages({ csv }: LoadedBundle): readonly string[] {
  return [...new Set([...listContainers(csv).flatMap((each) => each.containers.map(imageOf)), ...listRelated(csv)])];
}

/** Compares the platforms that the labels of a CSV promise with those of its images, and with the nodes that its Deployments select. */
export function validateMultiarch(
  { csv }: LoadedBundle,
  values: Readonly<Record<string, string>>,
  inspected: ReadonlyMap<string, InspectedImage>,
): BundleFinding[] {
  const name = csv.metadata?.name ?? "";
  const tool = (values["container-tools"] ?? "").toLowerCase();
  if (!TOOLS.includes(tool)) {
    const text = `invalid value (container-tools) for (${tool}). One of: [docker, podman, none] (If not set, the default value is docker)`;
    return [describeFinding("error", text, name)];
  }
  const { managers, managerNames, others, affinities } = sortImages(csv);
  const related = new Set(listRelated(csv));
  const groups = [managers, others, related];
  const warnings: string[] = [];
  for (const image of groups.flatMap((group) => [...group])) {
    const found = inspected.get(image) ?? { error: "it was not read" };
    if ("error" in found) warnings.push(`unable to inspect the image (${image}) : ${found.error}`);
  }
  /** Undefined if the image could not be read. */
  const platformsOf = (image: string) => {
    const found = inspected.get(image);
    return found === undefined || "error" in found ? undefined : found;
  };
  const labels = csv.metadata?.labels ?? {};
  const supported = (prefix: string) => Object.keys(labels).filter((key) => key.includes(prefix) && labels[key] === "supported");
  const [archLabels, osLabels] = [supported(ARCH_LABEL), supported(OS_LABEL)];
  const configured = (all: readonly string[], prefix: string, fallback: string) =>
    all.length === 0 ? [fallback] : all.map((label) => label.replaceAll(prefix, ""));
  const architectures = configured(archLabels, ARCH_LABEL, "amd64");
  const systems = configured(osLabels, OS_LABEL, "linux");
  // A manager that cannot be read may have any platform, so that no usual one is taken for granted.
  const provided = [...managers].flatMap((image) => platformsOf(image) ?? [UNREADABLE]);
  const known = {
    architecture: [...new Set([...architectures, ...provided.map((each) => each.architecture)])].filter((each) => each !== ""),
    os: [...new Set([...systems, ...provided.map((each) => each.os)])].filter((each) => each !== ""),
  };
  const shownManagers = quoteList(managerNames);
  const missingLabels = (values: readonly string[], given: readonly string[], usual: string) =>
    values.length === 1 && values[0] === usual
      ? []
      : values.filter((value) => value !== UNREADABLE.os && !given.some((label) => label.includes(value))).sort();
  const describeMissing = (prefix: string, what: string, missing: readonly string[], usual: string) =>
    missing.length === 0
      ? []
      : [
          `check if the CSV is missing the label (${prefix}<value>) for the ${what}(s): ${quoteList(missing)}. ` +
            `Be aware that your Operator manager image ${shownManagers} provides this support. ` +
            `Thus, it is very likely that you want to provide it and if you support more than ${usual} you MUST,` +
            "use the required labels for all which are supported.Otherwise, your solution cannot be listed on the cluster for these architectures",
        ];
  warnings.push(
    ...describeMissing(ARCH_LABEL, "Arch", missingLabels(known.architecture, archLabels, "amd64"), "amd64 architectures,"),
    ...describeMissing(OS_LABEL, "OS", missingLabels(known.os, osLabels, "linux"), "linux OS"),
  );
  for (const image of [...others, ...related]) warnings.push(...findMissingSupport(image, platformsOf(image), known, shownManagers));
  for (const image of [...managers, ...others]) warnings.push(...checkAffinity(image, affinities.get(image) ?? [], platformsOf(image)));
  const errors = systems.flatMap((os) =>
    architectures.flatMap((architecture) => {
      const lacks = (image: string) => platformsOf(image)?.every((each) => each.os !== os || each.architecture !== architecture) === true;
      const images = groups.flatMap((group) => [...group].filter(lacks)).sort();
      return images.length === 0
        ? []
        : [
            "not all images specified are providing the support described via the CSV labels. " +
              `Note that (OS.architecture): (${os}.${architecture}) was not found for the image(s) [${images.join(" ")}]`,
          ];
    }),
  );
  return [...warnings.map((text) => describeFinding("warning", text, name)), ...errors.map((text) => describeFinding("error", text, name))];
}

function sortImages(csv: LoadedBundle["csv"]) {
  const managers = new Set<string>();
  const managerNames: string[] = [];
  const affinities = new Map<string, readonly ImagePlatform[]>();
  const pods = listContainers(csv);
  for (const { containers, pod } of pods) {
    let isFound = false;
    for (const container of containers) {
      const image = imageOf(container);
      if (managers.has(image)) continue;
      if (container.name === "manager") {
        managers.add(image);
        managerNames.push(image);
        isFound = true;
      }
      affinities.set(image, listSelectedPlatforms(pod));
    }
    if (isFound) continue;
    for (const container of containers) {
      const image = imageOf(container);
      if (container.name === PROXY || managers.has(image)) continue;
      managers.add(image);
      managerNames.push(image);
    }
  }
  const others = new Set(pods.flatMap(({ containers }) => containers.map(imageOf)).filter((image) => !managers.has(image)));
  return { managers, managerNames, others, affinities };
}

function listContainers(
  csv: LoadedBundle["csv"],
): readonly { readonly containers: readonly OperatorContainer[]; readonly pod: JsonObject }[] {
  const deployments = csv.spec?.install?.spec?.deployments ?? [];
  return deployments.map(({ spec }) => {
    const template = ((spec ?? {}) as JsonObject)["template"] as JsonObject | undefined;
    const pod = (template?.["spec"] ?? {}) as JsonObject;
    return { containers: (pod["containers"] ?? []) as readonly OperatorContainer[], pod };
  });
}

function listRelated(csv: LoadedBundle["csv"]): readonly string[] {
  return (csv.spec?.relatedImages ?? []).map(imageOf);
}

const imageOf = ({ image = "" }: { readonly image?: string }) => image;

/** The platforms of the nodes that a pod requires. */
function listSelectedPlatforms(pod: JsonObject): readonly ImagePlatform[] {
  const path = ["affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"];
  const terms = path.reduce<unknown>((at, field) => (at as JsonObject | undefined)?.[field], pod) ?? [];
  interface Expression {
    readonly key?: string;
    readonly operator?: string;
    readonly values?: readonly string[];
  }
  return (terms as readonly { readonly matchExpressions?: readonly Expression[] }[]).flatMap(({ matchExpressions = [] }) => {
    const valuesOf = (label: string) => matchExpressions.findLast(({ key, operator }) => operator === "In" && key === label)?.values ?? [];
    const architectures = valuesOf("kubernetes.io/arch");
    return valuesOf("kubernetes.io/os").flatMap((os) => architectures.map((architecture) => ({ os, architecture })));
  });
}

function findMissingSupport(
  image: string,
  platforms: readonly ImagePlatform[] | undefined,
  known: Readonly<Record<keyof ImagePlatform, readonly string[]>>,
  managers: string,
): readonly string[] {
  if (platforms === undefined) return [];
  return (
    [
      ["architecture", "Arch(s) "],
      ["os", "OS(s) "],
    ] as const
  ).flatMap(([field, what]) => {
    const missing = known[field].filter((value) => value !== UNREADABLE.os && platforms.every((each) => each[field] !== value)).sort();
    if (missing.length === 0) return [];
    return [
      `check if the image ${image} should not support ${quoteList(missing)}. Note that this CSV has labels for this ${what}` +
        `Your manager image ${managers} are providing this support OR the CSV is configured via labels to support it. ` +
        "Then, please verify if this image should not support it",
    ];
  });
}

function checkAffinity(
  image: string,
  selected: readonly ImagePlatform[],
  platforms: readonly ImagePlatform[] | undefined,
): readonly string[] {
  const shown = quoteGoString(image);
  const suggested = `the following platforms are supported: ${quotePlatforms(platforms ?? [UNREADABLE])}`;
  if (selected.length === 0) {
    return [
      ...(platforms === undefined ? [`check if the CSV is missing a node affinity configuration for the image: ${shown}. `] : []),
      `check if the CSV has a missing or invalid node affinity configuration for the image: ${shown}. The image data suggests ${suggested}`,
    ];
  }
  const found = platforms ?? [UNREADABLE];
  const without = (list: readonly ImagePlatform[], others: readonly ImagePlatform[]) =>
    list.filter((each) => others.every((other) => other.os !== each.os || other.architecture !== each.architecture));
  const [extra, missing] = [without(selected, found), without(found, selected)];
  return [
    ...(extra.length === 0
      ? []
      : [
          `the CSV includes ${quotePlatforms(extra)} in the node affinity configuration for the image: ${shown}, but the image data suggests ${suggested}`,
        ]),
    ...(missing.length === 0
      ? []
      : [
          `the image data indicates ${quotePlatforms(missing)} is supported for the image: ${shown}, but the node affinity configuration for the image only specifies ${quotePlatforms(selected)}`,
        ]),
  ];
}

const UNREADABLE: ImagePlatform = { os: "error", architecture: "error" };

function quotePlatforms(platforms: readonly ImagePlatform[]): string {
  return quoteList(platforms.map(({ os, architecture }) => `${os}/${architecture}`));
}

/** Formats texts as Go's `%q`. */
function quoteList(texts: readonly string[]): string {
  return `[${texts.map((text) => quoteGoString(text)).join(" ")}]`;
}
