import { quoteGoString } from "pintle/internal/go-format";
import { compareVersions, parseTolerantVersion, type Version } from "../versions/index.ts";
import { type BundleFinding, describeFinding } from "./finding.ts";
import type { Csv, LoadedBundle } from "./load-manifests.ts";

const REMOVED_IN_1_22: Readonly<Record<string, readonly string[]>> = {
  "scheduling.k8s.io/v1beta1": ["PriorityClass"],
  "rbac.authorization.k8s.io/v1beta1": ["Role", "ClusterRoleBinding", "RoleBinding", "ClusterRole"],
  "apiregistration.k8s.io/v1beta1": ["APIService"],
  "authentication.k8s.io/v1beta1": ["TokenReview"],
  "authorization.k8s.io/v1beta1": ["LocalSubjectAccessReview", "SelfSubjectAccessReview", "SubjectAccessReview"],
  "admissionregistration.k8s.io/v1beta1": ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
  "coordination.k8s.io/v1beta1": ["Lease"],
  "extensions/v1beta1": ["Ingress"],
  "networking.k8s.io/v1beta1": ["Ingress", "IngressClass"],
  "storage.k8s.io/v1beta1": ["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"],
  "certificates.k8s.io/v1beta1": ["CertificateSigningRequest"],
};
const REMOVED_IN_1_25: Readonly<Record<string, readonly string[]>> = {
  "batch/v1beta1": ["CronJob"],
  "discovery.k8s.io/v1beta1": ["EndpointSlice"],
  "events.k8s.io/v1beta1": ["Event"],
  "autoscaling/v2beta1": ["HorizontalPodAutoscaler"],
  "policy/v1beta1": ["PodDisruptionBudget", "PodSecurityPolicy"],
  "node.k8s.io/v1beta1": ["RuntimeClass"],
};
const REMOVED_IN_1_26: Readonly<Record<string, readonly string[]>> = { "autoscaling/v2beta2": ["HorizontalPodAutoscaler"] };

/** Names by kind. */
export type Uses = ReadonlyMap<string, readonly string[]>;

/** Finds objects of kinds that Kubernetes does not serve any more: errors if the bundle says that it runs there, else warnings. */
export function validateRemovedApis(bundle: LoadedBundle, values: Readonly<Record<string, string>>): BundleFinding[] {
  const { csv } = bundle;
  const name = csv.metadata?.name ?? "";
  const { "k8s-version": wanted = "" } = values;
  const { minKubeVersion = "" } = csv.spec ?? {};
  const [informed, minimum] = [parseTolerant(wanted), parseTolerant(minKubeVersion)];
  const problems = [
    ...(wanted !== "" && informed === undefined ? [`invalid value informed via the k8s key option : ${wanted}`] : []),
    ...(minKubeVersion !== "" && minimum === undefined
      ? [`unable to use csv.Spec.MinKubeVersion to verify the CRD/Webhook apis because it has an invalid value: ${minKubeVersion}`]
      : []),
  ];
  const releases = [
    { minor: 22, uses: findRemovedIn122(bundle), always: new Map() as Uses },
    { minor: 25, uses: find125(bundle), always: findRulesOf125(csv) },
    { minor: 26, uses: findUses(bundle.objects, REMOVED_IN_1_26), always: new Map() as Uses },
  ];
  return [
    ...problems.map((problem) => describeFinding("error", problem, name)),
    ...releases.flatMap(({ minor, uses, always }) => {
      const isRequired = [informed, minimum].some((version) => version !== undefined && isAtLeast(version, minor));
      const found = (level: BundleFinding["level"], each: Uses) =>
        each.size === 0 ? [] : [describeFinding(level, describeRemoval(minor, each), name)];
      return [...found(isRequired ? "error" : "warning", uses), ...found("warning", always)];
    }),
  ];
}

function parseTolerant(text: string): Version | undefined {
  try {
    return text === "" ? undefined : parseTolerantVersion(text);
  } catch {
    return undefined;
  }
}

function isAtLeast(version: Version, minor: number): boolean {
  return compareVersions(version, parseTolerantVersion(`1.${minor}.0`)) >= 0;
}

function describeRemoval(minor: number, uses: Uses): string {
  return (
    `this bundle is using APIs which were deprecated and removed in v1.${minor}. ` +
    `More info: https://kubernetes.io/docs/reference/using-api/deprecation-guide/#v1-${minor}. Migrate the API(s) for ${describeUses(uses)}`
  );
}

/** `CRD: (["a" "b"]),Role: (["c"])`. */
export function describeUses(uses: Uses): string {
  const kinds = [...uses.keys()].sort().map((kind) => {
    const names = uses.get(kind)!.map((name) => quoteGoString(name));
    return `${kind}: ([${names.join(" ")}])`;
  });
  return kinds.join(",");
}

function findUses(objects: LoadedBundle["objects"], removed: Readonly<Record<string, readonly string[]>>): Uses {
  return group(
    objects
      .filter(({ apiVersion, kind = "" }) => Object.hasOwn(removed, String(apiVersion)) && removed[String(apiVersion)]!.includes(kind))
      .map(({ kind = "", metadata }) => [kind, metadata?.name ?? ""]),
  );
}

/** The objects of kinds that Kubernetes 1.22 removed. */
export function findRemovedIn122({ objects, oldCrds }: LoadedBundle): Uses {
  const crds = oldCrds.map(({ metadata }): [string, string] => ["CRD", metadata?.name ?? ""]);
  return new Map([...group(crds), ...findUses(objects, REMOVED_IN_1_22)]);
}

function find125({ objects, csv }: LoadedBundle): Uses {
  const inObjects = [...findUses(objects, REMOVED_IN_1_25)].flatMap(([kind, names]) => names.map((name): [string, string] => [kind, name]));
  return group([
    ...inObjects,
    ...listDescribed(csv)
      .filter(({ version, kind }) => REMOVED_IN_1_25[version]?.includes(kind))
      .map(({ kind, where }): [string, string] => [kind, where]),
  ]);
}

function listDescribed({ spec }: Csv): { readonly version: string; readonly kind: string; readonly where: string }[] {
  const { owned = [], required = [] } = spec?.customresourcedefinitions ?? {};
  const lists = [["Owned", owned] as const, ["Required", required] as const];
  return lists.flatMap(([field, crds]) =>
    crds.flatMap(({ resources = [] }, i) =>
      resources.map(({ version = "", kind = "" }, j) => ({
        version,
        kind,
        where: `ClusterServiceVersion.Spec.CustomResourceDefinitions.${field}[${i}].Resource[${j}]`,
      })),
    ),
  );
}

/** Rules for PodSecurityPolicies, which have no successor in their group. */
function findRulesOf125(csv: Csv): Uses {
  const described = new Set(listDescribed(csv).map(({ kind }) => `${kind.toLowerCase()}s`));
  const { clusterPermissions = [], permissions = [] } = csv.spec?.install?.spec ?? {};
  const lists = [["ClusterPermissions", clusterPermissions] as const, ["Permissions", permissions] as const];
  return group(
    lists.flatMap(([field, all]) =>
      all.flatMap(({ rules = [] }, i) =>
        rules.flatMap((rule, j) => {
          const { apiGroups = [], resources = [] } = rule as {
            readonly apiGroups?: readonly string[];
            readonly resources?: readonly string[];
          };
          return apiGroups
            .filter((each) => each === "policy")
            .flatMap(() => resources.filter((each) => each === "podsecuritypolicies" && !described.has(each)))
            .map((resource): [string, string] => [
              resource,
              `ClusterServiceVersion.Spec.InstallStrategy.StrategySpec.${field}[${i}].Rules[${j}]`,
            ]);
        }),
      ),
    ),
  );
}

function group(pairs: readonly (readonly [kind: string, name: string])[]): Uses {
  const grouped = new Map<string, string[]>();
  for (const [kind, name] of pairs) grouped.set(kind, [...(grouped.get(kind) ?? []), name]);
  return grouped;
}
