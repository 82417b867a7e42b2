import type { JsonObject } from "pintle/kinds";
import { type Context, deployed, type Manifest, manifests, yamlOf } from "../manifests/index.ts";
import { deploymentTemplate, deploymentValues } from "./deployment.ts";
import { inRelease, template } from "./template.ts";
import { HELPERS, IGNORE, notes } from "./texts.ts";
import { valuesFile, valuesSchema } from "./values.ts";

export const CHART = "dist/chart";
/** Every file in it is ours. */
export const TEMPLATES = `${CHART}/templates`;

/** Every file of the chart, by path from the project's root. */
export function chart(context: Context): ReadonlyMap<string, string> {
  const { project } = context;
  const values = valuesOf(context);
  const about = {
    apiVersion: "v2",
    name: project.name,
    description: `The operator ${project.name}.`,
    type: "application",
    version: project.version,
    appVersion: project.version,
  };
  return new Map([
    [`${CHART}/Chart.yaml`, yamlOf([about]).replace(/^---\n/, "")],
    [`${CHART}/values.yaml`, valuesFile(values)],
    [`${CHART}/values.schema.json`, `${JSON.stringify(valuesSchema(values), null, 2)}\n`],
    [`${CHART}/.helmignore`, IGNORE],
    [`${TEMPLATES}/_helpers.tpl`, HELPERS],
    [`${TEMPLATES}/NOTES.txt`, notes(context)],
    ...templates(context),
  ]);
}

function valuesOf(context: Context): JsonObject {
  const { config } = context.project;
  const parts = deployed(context);
  const deployment = manifests(context).find(({ object }) => object["kind"] === "Deployment")?.object;
  const said = config.namespaces ?? "all";
  return {
    ...(deployment === undefined ? {} : deploymentValues(deployment)),
    namespaces: typeof said === "string" ? said : [...new Set(said)].sort(),
    namespace: { create: false },
    crd: { enabled: true, keep: true },
    userRoles: { enabled: true },
    serviceAccount: { annotations: {} },
    prometheus: { enabled: parts.includes("prometheus") },
    networkPolicy: { enabled: parts.includes("network-policy") },
  };
}

/** One template for every file of the manifests. */
function templates(context: Context): ReadonlyMap<string, string> {
  const { namespace } = context.project;
  const files = new Map<string, string>();
  const add = (file: string, text: string) => files.set(file, `${files.get(file) ?? ""}${text}`);
  const always = deployed(context);
  for (const manifest of manifests(context)) {
    const { part, file, object } = manifest;
    if (isWorkRole(manifest) || !(always.includes(part) || SWITCHES[part] !== undefined)) continue;
    const text =
      object["kind"] === "Deployment" ? template((places) => deploymentTemplate(object, namespace, places)) : textOf(object, namespace);
    add(`${TEMPLATES}/${part}/${file.replace(/^bases\//, "")}`, guarded(manifest, text));
  }
  for (const [file, text] of workRoles(context)) files.set(file, text);
  return files;
}

const SWITCHES: Readonly<Record<string, string>> = {
  prometheus: ".Values.prometheus.enabled",
  "network-policy": ".Values.networkPolicy.enabled",
};

function textOf(object: JsonObject, namespace: string): string {
  const more = { CustomResourceDefinition: KEEP, ServiceAccount: ANNOTATED }[String(object["kind"])];
  return template((places) => {
    const placed = inRelease(object, namespace, places);
    if (more === undefined) return placed;
    const metadata = placed["metadata"] as JsonObject;
    const annotations = (metadata["annotations"] ?? {}) as JsonObject;
    const added =
      Object.keys(annotations).length === 0 ? places.lines(under("annotations:", more)) : { ...annotations, more: places.lines(more) };
    return { ...placed, metadata: { ...metadata, annotations: added } };
  });
}
const KEEP = `{{- if .Values.crd.keep }}
helm.sh/resource-policy: keep
{{- end }}`;
const ANNOTATED = `{{- with .Values.serviceAccount.annotations }}
{{ toYaml . | indent 4 | trim }}
{{- end }}`;

/** The same condition around a field and what is in it. */
function under(field: string, text: string): string {
  const [condition, ...lines] = text.split("\n");
  return [condition, field, ...lines.slice(0, -1).map((line) => `  ${line}`), lines.at(-1)].join("\n");
}

function guarded({ part, file, object }: Manifest, text: string): string {
  const condition =
    SWITCHES[part] ??
    (object["kind"] === "CustomResourceDefinition"
      ? ".Values.crd.enabled"
      : object["kind"] === "Namespace"
        ? ".Values.namespace.create"
        : /_(admin|editor|viewer)_role\.yaml$/.test(file)
          ? ".Values.userRoles.enabled"
          : undefined);
  return condition === undefined ? text : `{{- if ${condition} }}\n${text}{{- end }}\n`;
}

const isWorkRole = ({ part, file }: Pick<Manifest, "part" | "file">) => part === "rbac" && /^role(_binding)?\.yaml$/.test(file);

/** What the operator may do where it works: for the whole cluster, or in each of its namespaces. */
function workRoles(context: Context): ReadonlyMap<string, string> {
  const { project } = context;
  // A name that no namespace can have, and no overlay expects.
  const PLACE = "In.Each";
  const as = (namespaces: "all" | readonly string[]) =>
    manifests({ ...context, project: { ...project, config: { ...project.config, namespaces } } }).filter(isWorkRole);
  const files = new Map<string, string>();
  const each = as([PLACE]);
  for (const { file, object } of as("all")) {
    const everywhere = template((places) => inRelease(object, project.namespace, places));
    const there = each
      .filter((one) => one.file === file)
      .map((one) =>
        template((places) => {
          const placed = inRelease(one.object, project.namespace, places);
          const value = places.value("$place");
          return { ...placed, metadata: { ...(placed["metadata"] as JsonObject), namespace: value } };
        }).replaceAll("{{ .Release.Namespace }}", "{{ $.Release.Namespace }}"),
      )
      .join("");
    files.set(
      `${TEMPLATES}/rbac/${file}`,
      `{{- if eq (include "operator.watched" .) "" }}\n${everywhere}{{- else }}\n{{- range $place := splitList "," (include "operator.watched" .) }}\n${there}{{- end }}\n{{- end }}\n`,
    );
  }
  return files;
}
