import path from "node:path";
import { metricsNames } from "pintle/internal/webhook";
import type { Json, JsonObject } from "pintle/kinds";
import { buildManifests, deployedFolders, type ManifestContext, toYaml } from "../manifests/index.ts";
import { buildClusterServiceVersion, findChangedScope } from "./cluster-service-version.ts";
import type { Presentation } from "./presentation.ts";
import { findLostWebhookSettings } from "./webhook-definitions.ts";

/** Every file below this folder is generated. */
export const BUNDLE_FOLDER = "bundle";

/** Input of a bundle. */
export interface BundleContext extends ManifestContext {
  readonly presentation: Presentation;
  /** The objects in config/samples. */
  readonly samples: readonly Json[];
}

/** Kinds that OLM creates itself from the CSV, or that a bundle must not have. */
const LEFT_OUT = new Set([
  ...["Namespace", "ServiceAccount", "Role", "RoleBinding", "ClusterRoleBinding", "Deployment", "CustomResourceDefinition"],
  ...["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "Issuer", "Certificate"],
]);

/** Renders the files of the bundle and the labels of its image, and says what OLM cannot express. */
export function renderBundleFiles(context: BundleContext): {
  readonly files: ReadonlyMap<string, string>;
  readonly labels: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
} {
  // OLM mounts certificates, which is what a Secret of the user looks like to the operator.
  const config = { ...context.project.config, webhookCertificates: { secret: "olm" } };
  const olmContext = { ...context, project: { ...context.project, config } };
  const folders = deployedFolders(olmContext);
  const manifests = buildManifests(olmContext).filter(({ folder }) => folders.includes(folder));
  const objects = manifests.map(({ object }) => object);
  const csv = buildClusterServiceVersion(olmContext, objects);
  const bound = rolesOfOperator(objects);
  const others = manifests.filter(({ object, file }) => {
    const isWebhookService = object["kind"] === "Service" && file === "service.yaml";
    const isOwnRole = object["kind"] === "ClusterRole" && bound.has(nameOf(object));
    return !LEFT_OUT.has(String(object["kind"])) && !isWebhookService && !isOwnRole;
  });
  const labels = createLabels(context);
  const name = context.project.name;
  return {
    labels,
    warnings: [...findChangedScope(context), ...findLostWebhookSettings(objects)],
    files: new Map([
      [`${BUNDLE_FOLDER}/manifests/${name}.clusterserviceversion.yaml`, toYaml([csv])],
      ...manifests
        .filter(({ object }) => object["kind"] === "CustomResourceDefinition")
        .map(({ file, object }) => [`${BUNDLE_FOLDER}/manifests/${path.basename(file)}`, toYaml([withoutConversion(object)])] as const),
      ...others.map(({ object }) => {
        const file = `${nameOf(object)}_${String(object["kind"]).toLowerCase()}.yaml`;
        return [`${BUNDLE_FOLDER}/manifests/${file}`, toYaml([withoutNamespace(context, object)])] as const;
      }),
      [`${BUNDLE_FOLDER}/metadata/annotations.yaml`, toYaml([{ annotations: labels }])],
      [`${BUNDLE_FOLDER}/tests/scorecard/config.yaml`, toYaml([SCORECARD_CONFIG])],
    ]),
  };
}

/** The labels of the image, which are also the annotations of the bundle. */
function createLabels({ presentation }: BundleContext): Readonly<Record<string, string>> {
  const prefix = "operators.operatorframework.io.bundle";
  return {
    [`${prefix}.mediatype.v1`]: "registry+v1",
    [`${prefix}.manifests.v1`]: "manifests/",
    [`${prefix}.metadata.v1`]: "metadata/",
    [`${prefix}.package.v1`]: presentation.package,
    [`${prefix}.channels.v1`]: presentation.channels.join(","),
    [`${prefix}.channel.default.v1`]: presentation.channels[0]!,
    "operators.operatorframework.io.test.mediatype.v1": "scorecard+v1",
    "operators.operatorframework.io.test.config.v1": "tests/scorecard/",
  };
}

const SCORECARD_IMAGE = "quay.io/operator-framework/scorecard-test:v1.42.2";
const SCORECARD_TESTS = [
  ["basic", "basic-check-spec"],
  ...["bundle-validation", "crds-have-validation", "crds-have-resources", "spec-descriptors", "status-descriptors"].map(
    (test) => ["olm", test] as const,
  ),
] as const;
const SCORECARD_CONFIG = {
  apiVersion: "scorecard.operatorframework.io/v1alpha3",
  kind: "Configuration",
  metadata: { name: "config" },
  stages: [
    {
      parallel: true,
      tests: SCORECARD_TESTS.map(([suite, test]) => {
        const name = suite === "olm" ? `olm-${test}` : test;
        return { entrypoint: ["scorecard-test", name], image: SCORECARD_IMAGE, labels: { suite, test: `${name}-test` } };
      }),
    },
  ],
};

/** The names of the ClusterRoles that the operator itself has: their rules are in the CSV. */
function rolesOfOperator(objects: readonly JsonObject[]): ReadonlySet<string> {
  return new Set(objects.filter(({ kind }) => kind === "ClusterRoleBinding").map(({ roleRef }) => String((roleRef as JsonObject)["name"])));
}

/** OLM adds the address of the conversion webhook itself. */
function withoutConversion(crd: JsonObject): JsonObject {
  const { conversion: _, ...spec } = crd["spec"] as JsonObject;
  return { ...crd, spec };
}

/** OLM installs everything into the namespace of its choice: the certificate of the metrics endpoint is valid for the name of its Service too. */
function withoutNamespace({ project }: BundleContext, object: JsonObject): JsonObject {
  const { namespace: _, ...metadata } = object["metadata"] as JsonObject;
  if (object["kind"] !== "ServiceMonitor") return { ...object, metadata };
  const { endpoints = [], ...spec } = object["spec"] as JsonObject & { readonly endpoints?: readonly JsonObject[] };
  const { service } = metricsNames(project.name);
  const renamed = endpoints.map((endpoint) => {
    const tlsConfig = endpoint["tlsConfig"] as JsonObject | undefined;
    if (!String(tlsConfig?.["serverName"] ?? "").startsWith(`${service}.`)) return endpoint;
    return { ...endpoint, tlsConfig: { ...tlsConfig, serverName: service } };
  });
  return { ...object, metadata, spec: { ...spec, endpoints: renamed } };
}

function nameOf(object: JsonObject): string {
  return String((object["metadata"] as JsonObject)["name"]);
}
