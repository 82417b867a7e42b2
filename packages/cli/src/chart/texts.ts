import type { Context } from "../manifests/index.ts";

export const HELPERS = `{{/* The image with its tag or, where there is one, its digest. */}}
{{- define "operator.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .tag }}:{{ .tag }}{{ end }}{{ if .digest }}@{{ .digest }}{{ end }}
{{- end -}}
{{- end }}

{{/* The namespaces the operator works in, with commas; empty: all of them. */}}
{{- define "operator.watched" -}}
{{- if kindIs "slice" .Values.namespaces -}}
{{ .Values.namespaces | uniq | sortAlpha | join "," }}
{{- else if eq .Values.namespaces "own" -}}
{{ .Release.Namespace }}
{{- end -}}
{{- end }}
`;

export const IGNORE = ".git/\n*.swp\n*.tmp\n*.orig\n";

export function notes({ operator }: Context): string {
  const [first] = operator.resources;
  const watched = `{{ with include "operator.watched" . }}the namespaces {{ . }}{{ else }}all namespaces{{ end }}`;
  return `{{ .Chart.Name }} {{ .Chart.AppVersion }} is installed in {{ .Release.Namespace }} and works in ${watched}.

  kubectl -n {{ .Release.Namespace }} get pods
${first === undefined ? "" : `  kubectl get ${first.crd.spec.names.plural}.${first.crd.spec.group} -A\n`}`;
}
