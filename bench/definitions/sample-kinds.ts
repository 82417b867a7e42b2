/** A kind of a large API: its spec has a nested object per part, each with eight fields of common types. */
export interface SampleKind {
  readonly name: string;
  readonly plural: string;
  readonly parts: readonly string[];
}

export function createSampleKinds(count: number, parts: number): readonly SampleKind[] {
  return Array.from({ length: count }, (_, k) => ({
    name: `Thing${k}`,
    plural: `thing${k}s`,
    parts: Array.from({ length: parts }, (_, p) => `part${p}`),
  }));
}

/** Renders the same kinds as Go types with kubebuilder markers. */
export function renderGoTypes(kinds: readonly SampleKind[]): string {
  const head = `// +groupName=large.example.com
// +versionName=v1
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
`;
  return [head, ...kinds.map(renderGoKind)].join("\n");
}

function renderGoKind({ name, plural, parts }: SampleKind): string {
  const title = (part: string) => `${name}${part[0]!.toUpperCase()}${part.slice(1)}`;
  const types = parts.map(
    (part) => `
type ${title(part)} struct {
	// Number of instances.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9
	// +kubebuilder:default=1
	Size int32 \`json:"size"\`
	// Container image.
	// +kubebuilder:validation:MinLength=1
	Image string \`json:"image"\`
	// +kubebuilder:validation:Enum=Always;Never;Sometimes
	Policy string \`json:"policy"\`
	Enabled bool \`json:"enabled,omitempty"\`
	Labels map[string]string \`json:"labels,omitempty"\`
	Arguments []string \`json:"arguments,omitempty"\`
	// +kubebuilder:validation:Pattern=\`^[a-z]+$\`
	Zone string \`json:"zone,omitempty"\`
	// +listType=map
	// +listMapKey=name
	Ports []${title(part)}Port \`json:"ports,omitempty"\`
}

type ${title(part)}Port struct {
	Name string \`json:"name"\`
	Port int32 \`json:"port"\`
}
`,
  );
  return `${types.join("")}
type ${name}Spec struct {
${parts.map((part) => `	${part[0]!.toUpperCase()}${part.slice(1)} ${title(part)} \`json:"${part}"\``).join("\n")}
}

type ${name}Status struct {
	Ready int32 \`json:"ready"\`
	Conditions []metav1.Condition \`json:"conditions,omitempty"\`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=${plural}
type ${name} struct {
	metav1.TypeMeta   \`json:",inline"\`
	metav1.ObjectMeta \`json:"metadata,omitempty"\`
	Spec ${name}Spec \`json:"spec"\`
	Status ${name}Status \`json:"status,omitempty"\`
}
`;
}
