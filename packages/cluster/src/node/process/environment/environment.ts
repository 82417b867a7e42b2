import type { Container, EnvVar, Pod, Service } from "pintle/kinds/core/v1";
import { type Downward, podField, resourceField } from "./downward.ts";
import { expand } from "./expand.ts";
import { ConfigProblem } from "./problem.ts";
import { serviceLinks } from "./service-links.ts";
import { missing, type Sources } from "./sources.ts";

export interface EnvironmentFacts extends Downward {
  readonly sources: Sources;
  /** Services of the pod's namespace, and `kubernetes`. */
  readonly services: readonly Service[];
}

/** The variables of a container, as its pod asks for them: later ones may use earlier ones and services. */
export async function environment(pod: Pod, container: Container, facts: EnvironmentFacts): Promise<Readonly<Record<string, string>>> {
  const links = serviceLinks(facts.services);
  const env: Record<string, string> = {};
  for (const { configMapRef, secretRef, prefix = "" } of container.envFrom ?? []) {
    const { name = "", optional = false } = configMapRef ?? secretRef ?? {};
    const { namespace } = pod.metadata;
    const found = configMapRef === undefined ? await facts.sources.secret(namespace, name) : await facts.sources.configMap(namespace, name);
    if (found === undefined && !optional) throw missing(configMapRef === undefined ? "secret" : "configmap", name);
    for (const [key, value] of Object.entries(found ?? {})) env[prefix + key] = value.toString();
  }
  const known = (name: string) => env[name] ?? links[name];
  for (const variable of container.env ?? []) {
    const value = variable.valueFrom === undefined ? expand(variable.value ?? "", known) : await valueFrom(variable, pod, container, facts);
    if (value !== undefined) env[variable.name] = value;
  }
  return { ...links, ...env };
}

async function valueFrom(
  { valueFrom: from }: EnvVar,
  pod: Pod,
  container: Container,
  facts: EnvironmentFacts,
): Promise<string | undefined> {
  if (from?.fieldRef !== undefined) return podField(pod, from.fieldRef, facts);
  if (from?.resourceFieldRef !== undefined) return resourceField(pod, container, from.resourceFieldRef, facts);
  const { namespace } = pod.metadata;
  if (from?.configMapKeyRef !== undefined) {
    const { name = "", key, optional = false } = from.configMapKeyRef;
    const found = await facts.sources.configMap(namespace, name);
    if (found === undefined && !optional) throw missing("configmap", name);
    if (found?.[key] === undefined && !optional) throw new ConfigProblem(`couldn't find key ${key} in ConfigMap ${namespace}/${name}`);
    return found?.[key]?.toString();
  }
  if (from?.secretKeyRef !== undefined) {
    const { name = "", key, optional = false } = from.secretKeyRef;
    const found = await facts.sources.secret(namespace, name);
    if (found === undefined && !optional) throw missing("secret", name);
    if (found?.[key] === undefined && !optional) throw new ConfigProblem(`couldn't find key ${key} in Secret ${namespace}/${name}`);
    return found?.[key]?.toString();
  }
  throw new ConfigProblem("this node cannot read an environment variable from a file of a volume: give its value otherwise");
}
