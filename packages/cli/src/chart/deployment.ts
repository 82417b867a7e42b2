import type { Json, JsonObject } from "pintle/kinds";
import { defaultTopologySpread, type ManifestContext } from "../manifests/index.ts";
import { type Placeholders, withReleaseNamespace } from "./template.ts";

/** Pod fields that are commonly set at installation time, whatever the operator's author configured. */
export const POD_FIELDS = ["imagePullSecrets", "nodeSelector", "tolerations", "affinity", "priorityClassName"] as const;

interface ManagerContainer {
  readonly image: string;
  readonly resources?: JsonObject | undefined;
  readonly env?: readonly EnvVar[] | undefined;
  readonly [field: string]: unknown;
}
interface EnvVar {
  readonly name: string;
  readonly value?: string | undefined;
}
interface ManagerDeployment {
  readonly metadata: JsonObject;
  readonly spec: {
    readonly replicas?: number | undefined;
    readonly template: {
      readonly metadata: JsonObject;
      readonly spec: { readonly containers: readonly ManagerContainer[]; readonly [field: string]: unknown };
    };
  };
}

/** Returns the chart's default values, read from the generated Deployment. `spread` are the topology spread constraints by configuration. */
export function buildDeploymentValues(object: JsonObject, spread: Json | "default"): JsonObject {
  const { spec } = object as unknown as ManagerDeployment;
  const [manager, ..._] = spec.template.spec.containers;
  const [name = "", digest = ""] = manager!.image.split("@", 2);
  const tagStart = name.lastIndexOf(":") > name.lastIndexOf("/") ? name.lastIndexOf(":") : name.length;
  const [repository, tag] = [name.slice(0, tagStart), name.slice(tagStart + 1)];
  return {
    replicas: spec.replicas ?? 1,
    image: { repository, tag, digest, pullPolicy: String(manager!["imagePullPolicy"] ?? "") },
    resources: manager!.resources ?? {},
    nodeOptions: manager!.env?.find(({ name }) => name === "NODE_OPTIONS")?.value ?? "",
    env: {},
    ...(Object.fromEntries(POD_FIELDS.map((field) => [field, spec.template.spec[field] ?? EMPTY_POD_FIELDS[field]])) as JsonObject),
    topologySpreadConstraints: spread,
    podAnnotations: {},
  };
}
const EMPTY_POD_FIELDS: Readonly<Record<(typeof POD_FIELDS)[number], unknown>> = {
  imagePullSecrets: [],
  nodeSelector: {},
  tolerations: [],
  affinity: {},
  priorityClassName: "",
};

/** Returns the Deployment with placeholders for everything that the chart's values configure. */
export function renderDeploymentTemplate(context: ManifestContext, object: JsonObject, placeholders: Placeholders): JsonObject {
  const released = withReleaseNamespace(object, context.project.namespace, placeholders) as unknown as ManagerDeployment;
  const { template } = released.spec;
  const [manager, ...others] = template.spec.containers;
  const annotations = { ...(template.metadata["annotations"] as JsonObject | undefined) };
  const pod = {
    ...template.spec,
    ...Object.fromEntries(POD_FIELDS.map((field) => [field, placeholders.optional(`.Values.${field}`)])),
    topologySpreadConstraints: placeholders.lines(topologySpreadLines(context)),
    containers: [
      {
        ...manager!,
        image: placeholders.value('include "operator.image" .'),
        imagePullPolicy: placeholders.optional(".Values.image.pullPolicy"),
        env: buildEnvironment(manager!.env ?? [], placeholders),
        resources: placeholders.value("toJson .Values.resources"),
      },
      ...others,
    ],
  };
  const metadata = { ...template.metadata, annotations: { ...annotations, pintlePodAnnotations: placeholders.lines(POD_ANNOTATIONS) } };
  return {
    ...object,
    ...released,
    spec: { ...released.spec, replicas: placeholders.value(".Values.replicas"), template: { metadata, spec: pod } },
  } as never;
}

/** With the value `default`, the number of replicas at installation decides, as it does in `pintle.config.ts`. */
function topologySpreadLines(context: ManifestContext): string {
  return `{{- if kindIs "slice" .Values.topologySpreadConstraints }}
{{- with .Values.topologySpreadConstraints }}
topologySpreadConstraints: {{ toJson . }}
{{- end }}
{{- else if gt (int .Values.replicas) 1 }}
topologySpreadConstraints: ${JSON.stringify(defaultTopologySpread(context))}
{{- end }}`;
}

const POD_ANNOTATIONS = `{{- range $name, $value := .Values.podAnnotations }}
{{ $name }}: {{ $value | quote }}
{{- end }}`;

const WATCH_NAMESPACE_ENV = `{{- if ne (include "operator.watched" .) "" }}
- name: WATCH_NAMESPACE
  value: {{ include "operator.watched" . }}
{{- end }}`;
const NODE_OPTIONS_ENV = `{{- with .Values.nodeOptions }}
- name: NODE_OPTIONS
  value: {{ . | quote }}
{{- end }}`;
const EXTRA_ENV = `{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}`;

/** Keeps the order of the generated manifest: identity first, then WATCH_NAMESPACE. */
function buildEnvironment(env: readonly EnvVar[], placeholders: Placeholders): readonly unknown[] {
  const own = env.filter(({ name }) => name === "POD_NAME" || name === "POD_NAMESPACE");
  const rest = env.filter(({ name }) => !["POD_NAME", "POD_NAMESPACE", "WATCH_NAMESPACE", "NODE_OPTIONS"].includes(name));
  return [...own, placeholders.lines(WATCH_NAMESPACE_ENV), placeholders.lines(NODE_OPTIONS_ENV), ...rest, placeholders.lines(EXTRA_ENV)];
}
