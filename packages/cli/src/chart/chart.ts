import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "pintle/kinds";
import { buildManifests, buildScheduling, deployedFolders, type Manifest, type ManifestContext, toYaml } from "../manifests/index.ts";
import { buildDeploymentValues, renderDeploymentTemplate } from "./deployment.ts";
import { buildDisruptionBudgetValues, isDisruptionBudget, renderDisruptionBudgetTemplates } from "./disruption-budget.ts";
import { renderTemplate, withReleaseNamespace } from "./template.ts";
import { buildValuesSchema, renderValuesFile } from "./values.ts";

export const CHART_FOLDER = "dist/chart";
/** Every file below this folder is generated. */
export const TEMPLATES_FOLDER = `${CHART_FOLDER}/templates`;

/** Returns every file of the chart, keyed by its path relative to the project root. */
export function buildChart(context: ManifestContext): ReadonlyMap<string, string> {
  const { project } = context;
  const values = chartValues(context);
  const metadata = {
    apiVersion: "v2",
    name: project.name,
    description: `Helm chart of the ${project.name} operator.`,
    type: "application",
    version: project.version,
    appVersion: project.version,
  };
  return new Map([
    [`${CHART_FOLDER}/Chart.yaml`, toYaml([metadata]).replace(/^---\n/, "")],
    [`${CHART_FOLDER}/values.yaml`, renderValuesFile(values)],
    [`${CHART_FOLDER}/values.schema.json`, `${JSON.stringify(buildValuesSchema(values), null, 2)}\n`],
    [`${CHART_FOLDER}/.helmignore`, HELMIGNORE],
    [`${TEMPLATES_FOLDER}/_helpers.tpl`, HELPERS_TEMPLATE],
    [`${TEMPLATES_FOLDER}/NOTES.txt`, renderNotes(context)],
    ...buildTemplates(context),
  ]);
}

function chartValues(context: ManifestContext): JsonObject {
  const { config } = context.project;
  const parts = deployedFolders(context);
  const deployment = buildManifests(context).find(({ object }) => object["kind"] === "Deployment")?.object;
  const configured = config.namespaces ?? "all";
  return {
    ...(deployment === undefined ? {} : buildDeploymentValues(deployment, topologySpreadValue(context, deployment))),
    podDisruptionBudget: buildDisruptionBudgetValues(context),
    namespaces: typeof configured === "string" ? configured : [...new Set(configured)].sort(),
    namespace: { create: false },
    crd: { enabled: true, keep: true },
    userRoles: { enabled: true },
    serviceAccount: { annotations: {} },
    prometheus: { enabled: parts.includes("prometheus") },
    networkPolicy: { enabled: parts.includes("network-policy") },
  };
}

/** Returns `default` unless the configuration or an overlay sets constraints of its own. */
function topologySpreadValue(context: ManifestContext, deployment: JsonObject): Json {
  const { topologySpread = "default" } = context.project.config;
  const { spec } = deployment as { readonly spec?: { readonly template?: { readonly spec?: JsonObject } } };
  const rendered = spec?.template?.spec?.["topologySpreadConstraints"];
  const isDefault = topologySpread === "default" && isDeepStrictEqual(rendered, buildScheduling(context)["topologySpreadConstraints"]);
  return isDefault ? "default" : (rendered ?? []);
}

/** Renders one template for each manifest file. */
function buildTemplates(context: ManifestContext): ReadonlyMap<string, string> {
  const { namespace } = context.project;
  const files = new Map<string, string>();
  const add = (file: string, text: string) => files.set(file, `${files.get(file) ?? ""}${text}`);
  const always = deployedFolders(context);
  for (const manifest of buildManifests(context)) {
    const { folder, file, object } = manifest;
    if (isManagerRole(manifest) || isDisruptionBudget(manifest) || !(always.includes(folder) || ENABLING_VALUES[folder] !== undefined))
      continue;
    const text =
      object["kind"] === "Deployment"
        ? renderTemplate((places) => renderDeploymentTemplate(context, object, places))
        : renderObject(object, namespace);
    add(`${TEMPLATES_FOLDER}/${folder}/${file.replace(/^bases\//, "")}`, wrapInCondition(manifest, text));
  }
  for (const { manifest, text } of renderDisruptionBudgetTemplates(context))
    add(`${TEMPLATES_FOLDER}/${manifest.folder}/${manifest.file}`, text);
  for (const [file, text] of buildManagerRoles(context)) files.set(file, text);
  return files;
}

const ENABLING_VALUES: Readonly<Record<string, string>> = {
  prometheus: ".Values.prometheus.enabled",
  "network-policy": ".Values.networkPolicy.enabled",
};

function renderObject(object: JsonObject, namespace: string): string {
  const more = { CustomResourceDefinition: KEEP_ANNOTATION, ServiceAccount: EXTRA_ANNOTATIONS }[String(object["kind"])];
  return renderTemplate((places) => {
    const placed = withReleaseNamespace(object, namespace, places);
    if (more === undefined) return placed;
    const metadata = placed["metadata"] as JsonObject;
    const annotations = (metadata["annotations"] ?? {}) as JsonObject;
    const added =
      Object.keys(annotations).length === 0
        ? places.lines(nestUnderField("annotations:", more))
        : { ...annotations, more: places.lines(more) };
    return { ...placed, metadata: { ...metadata, annotations: added } };
  });
}
const KEEP_ANNOTATION = `{{- if .Values.crd.keep }}
helm.sh/resource-policy: keep
{{- end }}`;
const EXTRA_ANNOTATIONS = `{{- with .Values.serviceAccount.annotations }}
{{ toYaml . | indent 4 | trim }}
{{- end }}`;

/** Moves the lines inside a condition below a field, keeping the condition around both. */
function nestUnderField(field: string, text: string): string {
  const [condition, ...lines] = text.split("\n");
  return [condition, field, ...lines.slice(0, -1).map((line) => `  ${line}`), lines.at(-1)].join("\n");
}

function wrapInCondition({ folder, file, object }: Manifest, text: string): string {
  const condition =
    ENABLING_VALUES[folder] ??
    (object["kind"] === "CustomResourceDefinition"
      ? ".Values.crd.enabled"
      : object["kind"] === "Namespace"
        ? ".Values.namespace.create"
        : /_(admin|editor|viewer)_role\.yaml$/.test(file)
          ? ".Values.userRoles.enabled"
          : undefined);
  return condition === undefined ? text : `{{- if ${condition} }}\n${text}{{- end }}\n`;
}

const isManagerRole = ({ folder, file }: Pick<Manifest, "folder" | "file">) => folder === "rbac" && /^role(_binding)?\.yaml$/.test(file);

/** Renders the manager role and binding: cluster-wide, or one pair for each watched namespace, depending on the values. */
function buildManagerRoles(context: ManifestContext): ReadonlyMap<string, string> {
  const { project } = context;
  // Not a valid namespace name, so it cannot collide with a real one.
  const NAMESPACE_PLACEHOLDER = "In.Each";
  const rolesFor = (namespaces: "all" | readonly string[]) =>
    buildManifests({ ...context, project: { ...project, config: { ...project.config, namespaces } } }).filter(isManagerRole);
  const files = new Map<string, string>();
  const perNamespace = rolesFor([NAMESPACE_PLACEHOLDER]);
  for (const { file, object } of rolesFor("all")) {
    const clusterWide = renderTemplate((places) => withReleaseNamespace(object, project.namespace, places));
    const namespaced = perNamespace
      .filter((one) => one.file === file)
      .map((one) =>
        renderTemplate((places) => {
          const placed = withReleaseNamespace(one.object, project.namespace, places);
          const value = places.value("$namespace");
          return { ...placed, metadata: { ...(placed["metadata"] as JsonObject), namespace: value } };
        }).replaceAll("{{ .Release.Namespace }}", "{{ $.Release.Namespace }}"),
      )
      .join("");
    files.set(
      `${TEMPLATES_FOLDER}/rbac/${file}`,
      `{{- if eq (include "operator.watched" .) "" }}\n${clusterWide}{{- else }}\n{{- range $namespace := splitList "," (include "operator.watched" .) }}\n${namespaced}{{- end }}\n{{- end }}\n`,
    );
  }
  return files;
}

const HELPERS_TEMPLATE = `{{/* The image reference: repository, tag and digest. */}}
{{- define "operator.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .tag }}:{{ .tag }}{{ end }}{{ if .digest }}@{{ .digest }}{{ end }}
{{- end -}}
{{- end }}

{{/* Comma-separated namespaces that the operator watches; empty means all namespaces. */}}
{{- define "operator.watched" -}}
{{- if kindIs "slice" .Values.namespaces -}}
{{ .Values.namespaces | uniq | sortAlpha | join "," }}
{{- else if eq .Values.namespaces "own" -}}
{{ .Release.Namespace }}
{{- end -}}
{{- end }}
`;

const HELMIGNORE = ".git/\n*.swp\n*.tmp\n*.orig\n";

function renderNotes({ operator }: ManifestContext): string {
  const [first] = operator.resources;
  const watched = `{{ with include "operator.watched" . }}the namespaces {{ . }}{{ else }}all namespaces{{ end }}`;
  return `{{ .Chart.Name }} {{ .Chart.AppVersion }} is installed in namespace {{ .Release.Namespace }} and watches ${watched}.

  kubectl -n {{ .Release.Namespace }} get pods
${first === undefined ? "" : `  kubectl get ${first.crd.spec.names.plural}.${first.crd.spec.group} -A\n`}`;
}
