import type { BundleFiles } from "@pintle/lifecycle";
import type { JsonObject } from "pintle/kinds";

/** What a bundle of the tests consists of, besides a CRD, a Deployment and a ConfigMap. */
export interface BundleOptions {
  readonly packageName?: string;
  readonly installModes?: readonly string[];
  /** The type of the field `spec.size` of the CRD. */
  readonly sizeType?: string;
  /** The pods of the Deployment fit on no node. */
  readonly isUnschedulable?: boolean;
  readonly configMaps?: readonly string[];
  readonly properties?: readonly JsonObject[];
  /** Rules of the operator besides that for its own kind. */
  readonly rules?: readonly JsonObject[];
  /** Fields of `spec` of the CRD besides `size`. */
  readonly fields?: JsonObject;
  readonly webhooks?: readonly JsonObject[];
  /** The versions of the CRD; the last one is stored. */
  readonly versions?: readonly string[];
}

/** A bundle in the registry+v1 format whose operator serves `Op` of example.com. */
export function createBundle(version: string, options: BundleOptions = {}): BundleFiles {
  const { packageName = "test", installModes = ["AllNamespaces"], sizeType = "integer", configMaps = ["op-config"] } = options;
  const files: Record<string, JsonObject> = {
    "metadata/annotations.yaml": {
      annotations: {
        "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
        "operators.operatorframework.io.bundle.package.v1": packageName,
        "operators.operatorframework.io.bundle.channels.v1": "beta",
      },
    },
    "manifests/csv.yaml": createCsv(version, packageName, installModes, options),
    "manifests/crd.yaml": createDefinition(sizeType, options),
  };
  if (options.properties !== undefined) files["metadata/properties.yaml"] = { properties: options.properties };
  for (const name of configMaps) {
    files[`manifests/${name}.yaml`] = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { version } };
  }
  return new Map(Object.entries(files).map(([path, value]) => [path, Buffer.from(JSON.stringify(value))]));
}

function createCsv(
  version: string,
  packageName: string,
  modes: readonly string[],
  { isUnschedulable = false, rules: more = [], versions = ["v1"], webhooks }: BundleOptions,
): JsonObject {
  const pod = {
    serviceAccountName: "op",
    containers: [{ name: "manager", image: `example.com/op:${version}` }],
    ...(isUnschedulable ? { nodeSelector: { "no-node": "has-this" } } : {}),
  };
  const deployment = {
    name: "op-manager",
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: "op" } },
      template: { metadata: { labels: { app: "op" } }, spec: pod },
    },
  };
  const rules = [{ apiGroups: ["example.com"], resources: ["ops"], verbs: ["*"] }, ...more];
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: `${packageName}.v${version}` },
    spec: {
      version,
      ...(webhooks === undefined ? {} : { webhookdefinitions: webhooks }),
      installModes: modes.map((type) => ({ type, supported: true })),
      customresourcedefinitions: { owned: versions.map((name) => ({ name: "ops.example.com", kind: "Op", version: name })) },
      install: {
        strategy: "deployment",
        spec: { clusterPermissions: [{ serviceAccountName: "op", rules }], deployments: [deployment] },
      },
    },
  };
}

function createDefinition(sizeType: string, { fields = {}, versions = ["v1"] }: BundleOptions): JsonObject {
  const spec = { type: "object", properties: { size: { type: sizeType }, ...fields } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "ops.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "Op", plural: "ops", singular: "op", listKind: "OpList" },
      versions: versions.map((name, i) => ({
        name,
        served: true,
        storage: i === versions.length - 1,
        schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
      })),
    },
  };
}

/** The image of a bundle of the tests. */
export const bundleImage = (version: string, packageName = "test") => `example.com/bundles/${packageName}:v${version}`;

/** A version in a catalog. */
export interface CatalogVersion {
  readonly version: string;
  readonly replaces?: string;
  readonly properties?: readonly JsonObject[];
}

/** The blobs of a catalog with one package and the channel `beta`. */
export function createCatalog(versions: readonly CatalogVersion[], more: readonly JsonObject[] = [], packageName = "test"): JsonObject[] {
  const nameOf = (version: string) => `${packageName}.v${version}`;
  return [
    { schema: "olm.package", name: packageName, defaultChannel: "beta" },
    {
      schema: "olm.channel",
      name: "beta",
      package: packageName,
      entries: versions.map(({ version, replaces }) => ({
        name: nameOf(version),
        ...(replaces === undefined ? {} : { replaces: nameOf(replaces) }),
      })),
    },
    ...versions.map(({ version, properties = [] }) => ({
      schema: "olm.bundle",
      name: nameOf(version),
      package: packageName,
      image: bundleImage(version, packageName),
      properties: [{ type: "olm.package", value: { packageName, version } }, ...properties],
    })),
    ...more,
  ];
}
