import type { JsonObject } from "pintle/kinds";

/** Where OLM mounts the serving certificates of webhooks. */
const CERTIFICATES_PATH = "/tmp/k8s-webhook-server/serving-certs";
const CERTIFICATES_OPTION = "--webhook-cert-path=";
const CERTIFICATES_VOLUME = "webhook-certificates";
const WATCH_NAMESPACE = { name: "WATCH_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.annotations['olm.targetNamespaces']" } } };

interface PodSpec extends JsonObject {
  readonly containers: readonly JsonObject[];
  readonly volumes?: readonly JsonObject[];
}

/** The Deployment as part of a CSV; none for other objects. OLM says by an annotation which namespaces the operator watches. */
export function buildOlmDeployment(object: JsonObject): JsonObject[] {
  if (object["kind"] !== "Deployment") return [];
  const { name, labels } = object["metadata"] as JsonObject;
  const spec = object["spec"] as JsonObject & { readonly template: JsonObject & { readonly spec: PodSpec } };
  const { containers, volumes = [], ...pod } = spec.template.spec;
  const [manager, ...others] = containers;
  const kept = volumes.filter((volume) => volume["name"] !== CERTIFICATES_VOLUME);
  const podSpec = { ...pod, containers: [adaptManager(manager!), ...others], ...(kept.length === 0 ? {} : { volumes: kept }) };
  return [{ name: name!, label: labels!, spec: { ...spec, template: { ...spec.template, spec: podSpec } } }];
}

function adaptManager({ args = [], env = [], volumeMounts = [], ...container }: JsonObject): JsonObject {
  const mounts = (volumeMounts as readonly JsonObject[]).filter((mount) => mount["name"] !== CERTIFICATES_VOLUME);
  return {
    ...container,
    args: (args as readonly string[]).map((arg) =>
      arg.startsWith(CERTIFICATES_OPTION) ? `${CERTIFICATES_OPTION}${CERTIFICATES_PATH}` : arg,
    ),
    env: [...(env as readonly JsonObject[]).filter((variable) => variable["name"] !== WATCH_NAMESPACE.name), WATCH_NAMESPACE],
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
  };
}
