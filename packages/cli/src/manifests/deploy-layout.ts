import { isJsonObject } from "pintle/internal/json";
import type { Json, JsonObject } from "pintle/kinds";
import type { ManifestContext } from "./context.ts";
import { buildManifests } from "./manifests.ts";
import { toYaml } from "./yaml.ts";

/** Every file below this folder is generated. */
export const DEPLOY_FOLDER = "deploy";
/** Metrics address of operators of that time. */
const METRICS_ADDRESS = ":8383";

/**
 * Renders the `deploy/` layout of operator-sdk before 1.0, for pipelines that apply its files to a namespace of their choice. The objects
 * have no namespace, and by default the operator watches the namespace it runs in. Webhooks, which that layout did not have, refer to the
 * project's namespace.
 */
export function renderDeployLayout(context: ManifestContext, samples: readonly Json[]): ReadonlyMap<string, string> {
  const { project } = context;
  const namespaces = project.config.namespaces ?? "own";
  const env = { OPERATOR_NAME: project.name, ...project.config.env };
  const parts = buildManifests({ ...context, project: { ...project, config: { ...project.config, namespaces, env } } });
  const all = parts.map(({ object }) => object);
  const webhooks = parts.filter(({ folder }) => folder === "webhook" || folder === "certmanager").map(({ object }) => object);
  const select = (kinds: readonly string[], name: RegExp) =>
    all
      .filter(({ kind, metadata }) => kinds.includes(String(kind)) && name.test(String((metadata as JsonObject)["name"])))
      .map(withoutNamespace);
  const deployment = all.find(({ kind }) => kind === "Deployment");
  return new Map([
    ["deploy/service_account.yaml", toYaml(select(["ServiceAccount"], /./))],
    [
      "deploy/role.yaml",
      toYaml(select(["Role", "ClusterRole"], /-(manager|leader-election|webhook-certificates|webhook-registration)-role$/)),
    ],
    [
      "deploy/role_binding.yaml",
      toYaml(
        select(["RoleBinding", "ClusterRoleBinding"], /-(manager|leader-election|webhook-certificates|webhook-registration)-rolebinding$/),
      ),
    ],
    ...(deployment === undefined
      ? []
      : [["deploy/operator.yaml", toYaml([operatorDeployment(withoutNamespace(deployment), namespaces === "all")])] as const]),
    ...(webhooks.length === 0 ? [] : [["deploy/webhook.yaml", toYaml(webhooks)] as const]),
    ...context.operator.resources.map(({ file, crd }) => [`deploy/crds/${file.replace(/\.yaml$/, "_crd.yaml")}`, toYaml([crd])] as const),
    ...samples.filter(isJsonObject).map((sample) => [`deploy/crds/${sampleFile(sample)}`, toYaml([sample])] as const),
  ]);
}

function sampleFile({ apiVersion, kind }: JsonObject): string {
  return `${String(apiVersion).replace("/", "_")}_${String(kind).toLowerCase()}_cr.yaml`;
}

function withoutNamespace(object: JsonObject): JsonObject {
  const { namespace: _, ...metadata } = object["metadata"] as JsonObject;
  const subjects = object["subjects"] as readonly JsonObject[] | undefined;
  // A ClusterRoleBinding must name the namespace of the ServiceAccount; a RoleBinding defaults to its own.
  if (subjects === undefined || object["kind"] === "ClusterRoleBinding") return { ...object, metadata };
  return { ...object, metadata, subjects: subjects.map(({ namespace: __, ...subject }) => subject) };
}

/** Returns the Deployment in its old form, with WATCH_NAMESPACE and OPERATOR_NAME in the environment. */
function operatorDeployment(deployment: JsonObject, watchesAllNamespaces: boolean): JsonObject {
  const { spec } = deployment as { spec: { template: { spec: { containers: readonly JsonObject[] } } } & JsonObject };
  const [manager, ...others] = spec.template.spec.containers;
  const env = (manager!["env"] ?? []) as readonly JsonObject[];
  const ownNamespace = { valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } };
  const container = {
    ...manager,
    args: ((manager!["args"] ?? []) as readonly string[])
      .filter((arg) => !/^--metrics-(secure|name)\b/.test(arg))
      .map((arg) => (arg.startsWith("--metrics-bind-address") ? `--metrics-bind-address=${METRICS_ADDRESS}` : arg)),
    ports: ((manager!["ports"] ?? []) as readonly JsonObject[]).map((port) =>
      port["name"] === "metrics" ? { ...port, containerPort: Number(METRICS_ADDRESS.slice(1)) } : port,
    ),
    env: [
      { name: "WATCH_NAMESPACE", ...(watchesAllNamespaces ? { value: "" } : ownNamespace) },
      ...env.filter((each) => each["name"] !== "WATCH_NAMESPACE"),
    ],
  };
  return {
    ...deployment,
    spec: { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, containers: [container, ...others] } } },
  };
}
