import type { JsonObject } from "pintle/kinds";
import { buildManifests, type Manifest, type ManifestContext } from "../manifests/index.ts";
import { renderTemplate, withReleaseNamespace } from "./template.ts";

/** Returns the default of the chart's `podDisruptionBudget`: `auto` where the number of replicas decides. */
export function buildDisruptionBudgetValues({ project: { config } }: ManifestContext): JsonObject {
  const configured = config.podDisruptionBudget ?? "auto";
  const limits = typeof configured === "object" ? configured : { maxUnavailable: 1 };
  return { enabled: typeof configured === "object" ? true : configured, minAvailable: "", maxUnavailable: "", ...limits } as JsonObject;
}

/** Reports whether the manifest is the PodDisruptionBudget of the manager, which the chart renders with conditions of its own. */
export const isDisruptionBudget = ({ folder, object }: Pick<Manifest, "folder" | "object">) =>
  folder === "manager" && object["kind"] === "PodDisruptionBudget";

/** Renders the PodDisruptionBudget even if the configured number of replicas has none, because `replicas` can be set at installation. */
export function renderDisruptionBudgetTemplates(
  context: ManifestContext,
): readonly { readonly manifest: Manifest; readonly text: string }[] {
  const { project } = context;
  const enabled = { ...context, project: { ...project, config: { ...project.config, podDisruptionBudget: true } } };
  return buildManifests(enabled)
    .filter(isDisruptionBudget)
    .map((manifest) => ({
      manifest,
      text: `${CONDITION}${renderTemplate((places) => {
        const placed = withReleaseNamespace(manifest.object, project.namespace, places);
        const { maxUnavailable: _, ...spec } = placed["spec"] as JsonObject;
        return { ...placed, spec: { limits: places.lines(LIMITS), ...spec } };
      })}{{- end }}\n`,
    }));
}

const CONDITION = `{{- $enabled := toString .Values.podDisruptionBudget.enabled }}
{{- if or (eq $enabled "true") (and (eq $enabled "auto") (gt (int .Values.replicas) 1)) }}
`;
const LIMITS = `{{- with .Values.podDisruptionBudget }}
{{- if ne (toString .minAvailable) "" }}
minAvailable: {{ toJson .minAvailable }}
{{- else }}
maxUnavailable: {{ toJson .maxUnavailable }}
{{- end }}
{{- end }}`;
