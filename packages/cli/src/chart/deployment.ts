import type { JsonObject } from "pintle/kinds";
import { inRelease, type Places } from "./template.ts";

/** Fields of a pod that people set when they install, whatever the operator's author said. */
export const POD_FIELDS = ["imagePullSecrets", "nodeSelector", "tolerations", "affinity", "priorityClassName"] as const;

interface Container {
  readonly image: string;
  readonly resources?: JsonObject | undefined;
  readonly env?: readonly EnvVar[] | undefined;
  readonly [field: string]: unknown;
}
interface EnvVar {
  readonly name: string;
  readonly value?: string | undefined;
}
interface Deployment {
  readonly metadata: JsonObject;
  readonly spec: {
    readonly replicas?: number | undefined;
    readonly template: {
      readonly metadata: JsonObject;
      readonly spec: { readonly containers: readonly Container[]; readonly [field: string]: unknown };
    };
  };
}

/** What the Deployment says now, as the values that the chart begins with. */
export function deploymentValues(object: JsonObject): JsonObject {
  const { spec } = object as unknown as Deployment;
  const [manager, ..._] = spec.template.spec.containers;
  const [, repository = "", tag = "", digest = ""] = /^(.*?)(?::([\w][\w.-]*))?(?:@(sha256:.*))?$/.exec(manager!.image) ?? [];
  return {
    replicas: spec.replicas ?? 1,
    image: { repository, tag, digest, pullPolicy: String(manager!["imagePullPolicy"] ?? "") },
    resources: manager!.resources ?? {},
    nodeOptions: manager!.env?.find(({ name }) => name === "NODE_OPTIONS")?.value ?? "",
    env: {},
    ...(Object.fromEntries(POD_FIELDS.map((field) => [field, spec.template.spec[field] ?? EMPTY[field]])) as JsonObject),
    podAnnotations: {},
  };
}
const EMPTY: Readonly<Record<(typeof POD_FIELDS)[number], unknown>> = {
  imagePullSecrets: [],
  nodeSelector: {},
  tolerations: [],
  affinity: {},
  priorityClassName: "",
};

/** The same object with its values taken from the chart's. */
export function deploymentTemplate(object: JsonObject, namespace: string, places: Places): JsonObject {
  const placed = inRelease(object, namespace, places) as unknown as Deployment;
  const { template } = placed.spec;
  const [manager, ...others] = template.spec.containers;
  const annotations = { ...(template.metadata["annotations"] as JsonObject | undefined) };
  const pod = {
    ...template.spec,
    ...Object.fromEntries(POD_FIELDS.map((field) => [field, places.optional(`.Values.${field}`)])),
    containers: [
      {
        ...manager!,
        image: places.value('include "operator.image" .'),
        imagePullPolicy: places.optional(".Values.image.pullPolicy"),
        env: environment(manager!.env ?? [], places),
        resources: places.value("toJson .Values.resources"),
      },
      ...others,
    ],
  };
  const metadata = { ...template.metadata, annotations: { ...annotations, pintlePodAnnotations: places.lines(POD_ANNOTATIONS) } };
  return {
    ...object,
    ...placed,
    spec: { ...placed.spec, replicas: places.value(".Values.replicas"), template: { metadata, spec: pod } },
  } as never;
}

const POD_ANNOTATIONS = `{{- range $name, $value := .Values.podAnnotations }}
{{ $name }}: {{ $value | quote }}
{{- end }}`;

const WATCHED = `{{- if ne (include "operator.watched" .) "" }}
- name: WATCH_NAMESPACE
  value: {{ include "operator.watched" . }}
{{- end }}`;
const NODE_OPTIONS = `{{- with .Values.nodeOptions }}
- name: NODE_OPTIONS
  value: {{ . | quote }}
{{- end }}`;
const MORE = `{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}`;

/** What is watched comes after who we are, as in the manifests. */
function environment(env: readonly EnvVar[], places: Places): readonly unknown[] {
  const own = env.filter(({ name }) => name === "POD_NAME" || name === "POD_NAMESPACE");
  const rest = env.filter(({ name }) => !["POD_NAME", "POD_NAMESPACE", "WATCH_NAMESPACE", "NODE_OPTIONS"].includes(name));
  return [...own, places.lines(WATCHED), places.lines(NODE_OPTIONS), ...rest, places.lines(MORE)];
}
