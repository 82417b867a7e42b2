import type { JsonObject } from "pintle/internal/json";

/** A Subscription of operators.coreos.com/v1alpha1. */
export interface Subscription {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: {
    readonly name: string;
    readonly source: string;
    readonly sourceNamespace?: string;
    readonly channel?: string;
    readonly startingCSV?: string;
    readonly installPlanApproval?: string;
    readonly config?: JsonObject;
  };
  readonly status?: { readonly installedCSV?: string };
}

/** An OperatorGroup of operators.coreos.com/v1. */
export interface OperatorGroup {
  readonly metadata: { readonly name: string };
  readonly spec?: {
    readonly targetNamespaces?: readonly string[];
    readonly selector?: JsonObject;
    readonly serviceAccountName?: string;
    readonly upgradeStrategy?: string;
  };
}

/** Further input of the conversion. */
export interface SubscriptionContext {
  /** The OperatorGroup of its namespace; undefined if it is not known. */
  readonly operatorGroup?: OperatorGroup | undefined;
  /** The names of the ClusterCatalogs of the cluster; undefined if they are not known. */
  readonly catalogs?: readonly string[] | undefined;
  /** The name of the extension. Default: that of the Subscription. */
  readonly name?: string | undefined;
}

/** A ClusterExtension, and notes about settings that it cannot express and prerequisites. */
export interface ConvertedSubscription {
  readonly extension: JsonObject;
  readonly notes: readonly string[];
}

/** Fields of a Subscription's configuration that the configuration of a Deployment has too. */
const DEPLOYMENT_FIELDS = [
  "affinity",
  "annotations",
  "env",
  "envFrom",
  "nodeSelector",
  "resources",
  "tolerations",
  "volumeMounts",
  "volumes",
];

/** Builds the ClusterExtension that installs the package of a Subscription. */
export function convertSubscription(subscription: Subscription, context: SubscriptionContext = {}): ConvertedSubscription {
  const { metadata, spec } = subscription;
  const notes: string[] = [];
  const note = (text: string) => void notes.push(text);
  const version = chooseVersion(subscription, note);
  const inline = { ...chooseWatchNamespace(context.operatorGroup, note), ...chooseDeploymentConfig(spec.config, note) };
  const hasCatalog = context.catalogs?.includes(spec.source) === true;
  if (!hasCatalog) {
    note(
      `catalog: CatalogSource ${spec.sourceNamespace === undefined ? "" : `${spec.sourceNamespace}/`}${spec.source} is not read: add a ClusterCatalog with its image; the extension takes ${spec.name} from any catalog`,
    );
  }
  const { namespace } = metadata;
  if (namespace === undefined) note("namespace: the Subscription names none; it must be set");
  note(
    "objects: those that OLM v0 installed belong to its ClusterServiceVersion: delete the Subscription and the ClusterServiceVersion first; CRDs that stay are not taken over, and are reported as a collision",
  );
  const extension = {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterExtension",
    metadata: { name: context.name ?? metadata.name },
    spec: {
      namespace: namespace ?? "",
      source: {
        sourceType: "Catalog",
        catalog: {
          packageName: spec.name,
          ...(version === undefined ? {} : { version }),
          ...(spec.channel === undefined || spec.channel === "" ? {} : { channels: [spec.channel] }),
          ...(hasCatalog ? { selector: { matchLabels: { "olm.operatorframework.io/metadata.name": spec.source } } } : {}),
        },
      },
      ...(Object.keys(inline).length === 0 ? {} : { config: { configType: "Inline", inline } }),
    },
  };
  return { extension: extension as unknown as JsonObject, notes };
}

/** Manual approval becomes a pinned version: without it the extension would be upgraded as soon as the catalog has a successor. */
function chooseVersion({ spec, status }: Subscription, note: (text: string) => void): string | undefined {
  if (spec.installPlanApproval !== "Manual") {
    if (spec.startingCSV !== undefined) note(`startingCSV: ${spec.startingCSV} only chose the first version, and is left out`);
    return undefined;
  }
  const name = status?.installedCSV ?? spec.startingCSV;
  const version = name === undefined ? undefined : readVersion(name);
  if (version === undefined) {
    note("installPlanApproval: Manual becomes a pinned version, but the installed version is not known: set spec.source.catalog.version");
    return undefined;
  }
  note(`installPlanApproval: Manual becomes version ${version}; upgrades are approved by changing it`);
  return version;
}

/** The version in the name of a ClusterServiceVersion, as in `memcached-operator.v1.2.0`. */
function readVersion(name: string): string | undefined {
  const at = name.indexOf(".v");
  const version = name.slice(at + 2);
  return at > 0 && /^\d/.test(version) ? version : undefined;
}

function chooseWatchNamespace(group: OperatorGroup | undefined, note: (text: string) => void): { readonly watchNamespace?: string } {
  if (group === undefined) {
    note("OperatorGroup: not known; the extension watches all namespaces if its bundle can");
    return {};
  }
  const { targetNamespaces = [], selector, serviceAccountName, upgradeStrategy } = group.spec ?? {};
  if (serviceAccountName !== undefined) note(`OperatorGroup.serviceAccountName: ${serviceAccountName} has no effect in OLM v1`);
  if (upgradeStrategy === "TechPreviewUnsafeFailForward")
    note("OperatorGroup.upgradeStrategy: a rollout that fails is replaced by a new version in any case");
  if (selector !== undefined) note("OperatorGroup.selector: namespaces cannot be selected by labels");
  const [namespace, ...more] = targetNamespaces;
  if (namespace === undefined || namespace === "") return {};
  if (more.length > 0) {
    note(`OperatorGroup.targetNamespaces: ${targetNamespaces.join(", ")} are several; an extension watches one namespace or all`);
    return {};
  }
  note(`OperatorGroup.targetNamespaces: watchNamespace ${namespace} needs the gate SingleOwnNamespaceInstallSupport`);
  return { watchNamespace: namespace };
}

function chooseDeploymentConfig(config: JsonObject | undefined, note: (text: string) => void): { readonly deploymentConfig?: JsonObject } {
  const entries = Object.entries(config ?? {});
  for (const [name] of entries) if (!DEPLOYMENT_FIELDS.includes(name)) note(`config.${name}: has no counterpart`);
  const kept = Object.fromEntries(entries.filter(([name]) => DEPLOYMENT_FIELDS.includes(name)));
  if (Object.keys(kept).length === 0) return {};
  note("config: deploymentConfig needs the gate DeploymentConfig");
  return { deploymentConfig: kept };
}
