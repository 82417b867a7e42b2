import type { JsonObject } from "pintle/internal/json";
import { type BundleFiles, type RegistryBundle, readBundle } from "../../bundle/index.ts";
import { renderBundle } from "../../render/index.ts";
import type { ManagerGates } from "../api/context.ts";
import { failure } from "../api/failures.ts";
import { BUNDLE_VERSION, OWNER_KIND_LABEL, OWNER_NAME_LABEL, PACKAGE_NAME, PROPERTIES_ANNOTATION } from "../api/names.ts";
import type { ClusterExtension } from "../api/types.ts";
import { readBundleConfig } from "./bundle-config.ts";

/** The objects of an extension, and the annotations of their revision. */
export interface GeneratedObjects {
  readonly objects: readonly JsonObject[];
  readonly annotations: Readonly<Record<string, string>>;
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const ALLOWED_METADATA = ["annotations", "labels", "name", "namespace"];
const USABLE_MODES = ["AllNamespaces", "SingleNamespace", "OwnNamespace"];

/** Renders a bundle for an extension. Throws with the text of operator-controller if it cannot be installed. */
export function generateObjects(
  files: BundleFiles,
  extension: ClusterExtension,
  annotations: Readonly<Record<string, string>>,
  gates: ManagerGates,
): GeneratedObjects {
  const bundle = readBundle(files);
  const properties = bundle.csv.metadata?.annotations?.[PROPERTIES_ANNOTATION];
  const revisionAnnotations = { ...annotations, ...(properties === undefined ? {} : { [PROPERTIES_ANNOTATION]: properties }) };
  const objects = renderForExtension(bundle, extension, gates).map((object) => addOwnerMarks(object, extension, revisionAnnotations));
  return { objects, annotations: revisionAnnotations };
}

function renderForExtension(bundle: RegistryBundle, extension: ClusterExtension, gates: ManagerGates): JsonObject[] {
  const { spec = {} } = bundle.csv;
  const services = (spec as { readonly apiservicedefinitions?: { readonly owned?: readonly unknown[] } }).apiservicedefinitions;
  if ((services?.owned ?? []).length > 0) throw failure("unsupported bundle: apiServiceDefintions are not supported");
  const certificates = gates.WebhookProviderCertManager === false ? undefined : ("cert-manager" as const);
  const provider = certificates ?? (gates.WebhookProviderOpenshiftServiceCA === false ? undefined : ("service-ca" as const));
  if ((spec.webhookdefinitions ?? []).length > 0 && provider === undefined) {
    throw failure("unsupported bundle: webhookDefinitions are not supported");
  }
  const installModes = (spec.installModes ?? []).filter(({ supported }) => supported === true).map(({ type = "" }) => type);
  const allowsOneNamespace = gates.SingleOwnNamespaceInstallSupport === true;
  if (!allowsOneNamespace && !installModes.includes("AllNamespaces")) {
    throw failure("unsupported bundle: bundle does not support AllNamespaces install mode");
  }
  if (!USABLE_MODES.some((mode) => installModes.includes(mode))) {
    throw failure(`unsupported bundle: bundle must support at least one of [${USABLE_MODES.join(" ")}] install modes`);
  }
  const { namespace, config } = extension.spec;
  const read =
    allowsOneNamespace || config !== undefined
      ? readBundleConfig(config?.inline, { installModes, namespace, allowsDeploymentConfig: gates.DeploymentConfig === true })
      : { watchNamespace: undefined, deploymentConfig: undefined };
  return renderBundle(bundle, {
    namespace,
    ...(provider === undefined ? {} : { certificates: provider }),
    ...(read.watchNamespace === undefined ? {} : { targetNamespaces: [read.watchNamespace] }),
    ...(read.deploymentConfig === undefined ? {} : { deploymentConfig: read.deploymentConfig }),
  });
}

/** Marks an object as one of the extension. Only names, labels and annotations of the metadata are kept. */
export function addOwnerMarks(object: JsonObject, { metadata }: ClusterExtension, revision: Readonly<Record<string, string>>): JsonObject {
  const { status: _, ...rest } = object;
  const own = (object["metadata"] ?? {}) as JsonObject;
  const labels = { ...(own["labels"] as JsonObject | null | undefined) };
  const { [LAST_APPLIED]: __, ...ownAnnotations } = (own["annotations"] ?? {}) as JsonObject;
  const version = revision[BUNDLE_VERSION] ?? "";
  const packageName = revision[PACKAGE_NAME] ?? "";
  const annotations = {
    ...ownAnnotations,
    ...(version === "" ? {} : { [BUNDLE_VERSION]: version }),
    ...(packageName === "" ? {} : { [PACKAGE_NAME]: packageName }),
  };
  const kept = Object.fromEntries(Object.entries(own).filter(([name, value]) => ALLOWED_METADATA.includes(name) && value !== null));
  return {
    ...rest,
    metadata: {
      ...kept,
      labels: { ...labels, [OWNER_KIND_LABEL]: "ClusterExtension", [OWNER_NAME_LABEL]: metadata.name },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
  };
}
