import { isObject, type Json, type JsonObject } from "pintle/kinds";
import type { Context } from "./context.ts";
import { manifests } from "./manifests.ts";
import { yamlOf } from "./yaml.ts";

/** Every file in it is ours. */
export const DEPLOY = "deploy";
/** Where operators of that time showed their metrics, in the clear. */
const METRICS = ":8383";

/**
 * The files of operator-sdk before 1.0, for pipelines that apply them one by one in a namespace of their choice: nothing
 * names a namespace, and unless the project says otherwise the operator works in the one it is in. Only webhooks, which there
 * were none of then, have to be told where the operator is: in the project's namespace.
 */
export function deployLayout(context: Context, samples: readonly Json[]): ReadonlyMap<string, string> {
  const { project } = context;
  const namespaces = project.config.namespaces ?? "own";
  const parts = manifests({ ...context, project: { ...project, config: { ...project.config, namespaces } } });
  const all = parts.map(({ object }) => object);
  const webhooks = parts.filter(({ part }) => part === "webhook" || part === "certmanager").map(({ object }) => object);
  const named = (kinds: readonly string[], name: RegExp) =>
    all.filter(({ kind, metadata }) => kinds.includes(String(kind)) && name.test(String((metadata as JsonObject)["name"]))).map(homeless);
  const deployment = all.find(({ kind }) => kind === "Deployment");
  return new Map([
    ["deploy/service_account.yaml", yamlOf(named(["ServiceAccount"], /./))],
    [
      "deploy/role.yaml",
      yamlOf(named(["Role", "ClusterRole"], /-(manager|leader-election|webhook-certificates|webhook-registration)-role$/)),
    ],
    [
      "deploy/role_binding.yaml",
      yamlOf(
        named(["RoleBinding", "ClusterRoleBinding"], /-(manager|leader-election|webhook-certificates|webhook-registration)-rolebinding$/),
      ),
    ],
    ...(deployment === undefined
      ? []
      : [["deploy/operator.yaml", yamlOf([operator(homeless(deployment), project.name, namespaces === "all")])] as const]),
    ...(webhooks.length === 0 ? [] : [["deploy/webhook.yaml", yamlOf(webhooks)] as const]),
    ...context.operator.resources.map(({ file, crd }) => [`deploy/crds/${file.replace(/\.yaml$/, "_crd.yaml")}`, yamlOf([crd])] as const),
    ...samples.filter(isObject).map((sample) => [`deploy/crds/${sampleFile(sample)}`, yamlOf([sample])] as const),
  ]);
}

function sampleFile({ apiVersion, kind }: JsonObject): string {
  return `${String(apiVersion).replace("/", "_")}_${String(kind).toLowerCase()}_cr.yaml`;
}

function homeless(object: JsonObject): JsonObject {
  const { namespace: _, ...metadata } = object["metadata"] as JsonObject;
  const subjects = object["subjects"] as readonly JsonObject[] | undefined;
  // Bindings for the whole cluster must say where the account is; in a namespace it goes without saying.
  if (subjects === undefined || object["kind"] === "ClusterRoleBinding") return { ...object, metadata };
  return { ...object, metadata, subjects: subjects.map(({ namespace: __, ...subject }) => subject) };
}

/** The Deployment as it was: what is watched and what it is called come from the environment. */
function operator(deployment: JsonObject, name: string, everywhere: boolean): JsonObject {
  const { spec } = deployment as { spec: { template: { spec: { containers: readonly JsonObject[] } } } & JsonObject };
  const [manager, ...others] = spec.template.spec.containers;
  const env = (manager!["env"] ?? []) as readonly JsonObject[];
  const own = { valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } };
  const container = {
    ...manager,
    args: ((manager!["args"] ?? []) as readonly string[])
      .filter((arg) => !arg.startsWith("--metrics-secure"))
      .map((arg) => (arg.startsWith("--metrics-bind-address") ? `--metrics-bind-address=${METRICS}` : arg)),
    ports: ((manager!["ports"] ?? []) as readonly JsonObject[]).map((port) =>
      port["name"] === "metrics" ? { ...port, containerPort: Number(METRICS.slice(1)) } : port,
    ),
    env: [
      { name: "WATCH_NAMESPACE", ...(everywhere ? { value: "" } : own) },
      ...env.filter((each) => each["name"] !== "WATCH_NAMESPACE"),
      { name: "OPERATOR_NAME", value: name },
    ],
  };
  return {
    ...deployment,
    spec: { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, containers: [container, ...others] } } },
  };
}
