import { APPLY, type ApiCase, type CaseContext, MERGE, requestCases } from "../../case.ts";

/** Empty and null values in built-in kinds: what is stored, and which fields are owned. */
export function emptyValues({ configMaps, namespace, runId }: CaseContext): readonly ApiCase[] {
  const of = (group: string, plural: string) => `/apis/${group}/v1/namespaces/${namespace}/${plural}`;
  const core = (plural: string) => `/api/v1/namespaces/${namespace}/${plural}`;
  const labels = { a: "b" };
  const deployment = (name: string, spec: object, container: object) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels: {}, annotations: {} },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i", ...container }], ...spec } },
    },
  });
  const spec = { volumes: [], nodeSelector: {}, tolerations: [], hostname: "", securityContext: {}, imagePullSecrets: [], affinity: {} };
  const container = { command: [], args: [], ports: [], volumeMounts: [], securityContext: {}, workingDir: "" };
  const RBAC = "rbac.authorization.k8s.io";
  const role = (name: string, more: object) => ({ apiVersion: `${RBAC}/v1`, kind: "Role", metadata: { name }, ...more });
  const roles = of(RBAC, "roles");
  const rule = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
  const webhooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  const definition = (plural: string) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${runId}.example.com` },
    spec: {
      group: `${runId}.example.com`,
      scope: "Cluster",
      names: { plural, kind: plural.toUpperCase(), shortNames: [], categories: [] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          additionalPrinterColumns: [],
          selectableFields: [],
          schema: { openAPIV3Schema: { type: "object", properties: {}, required: [] } },
        },
      ],
    },
  });
  const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  return requestCases(
    [
      "F2 empty metadata and data",
      "POST",
      configMaps,
      {
        metadata: { name: "e1", labels: {}, annotations: {}, finalizers: [], ownerReferences: [], generateName: "" },
        data: {},
        binaryData: {},
      },
    ],
    [
      "F2 null metadata and data",
      "POST",
      configMaps,
      { metadata: { name: "e2", labels: null, finalizers: null }, data: null, immutable: null },
    ],
    ["F2 null and empty values in a map", "POST", configMaps, { metadata: { name: "e3" }, data: { a: null, b: "" } }],
    [
      "F2 empty lists in a pod template",
      "POST",
      of("apps", "deployments"),
      deployment("e1", { ...spec, initContainers: [] }, { ...container, env: [] }),
    ],
    [
      "F2 E3 empty lists in a pod template, applied",
      "PATCH",
      `${of("apps", "deployments")}/e2?fieldManager=m`,
      deployment("e2", spec, { ...container, env: [{ name: "A", value: "" }], resources: { limits: {} } }),
      APPLY,
    ],
    [
      "F2 empty lists of a network policy",
      "POST",
      of("networking.k8s.io", "networkpolicies"),
      { metadata: { name: "e" }, spec: { podSelector: {}, ingress: [], egress: [{}], policyTypes: [] } },
    ],
    [
      "F2 E3 empty lists of a network policy, applied",
      "PATCH",
      `${of("networking.k8s.io", "networkpolicies")}/f?fieldManager=m`,
      {
        apiVersion: "networking.k8s.io/v1",
        kind: "NetworkPolicy",
        metadata: { name: "f" },
        spec: { podSelector: {}, ingress: [], egress: [{ to: [] }] },
      },
      APPLY,
    ],
    ["F2 an empty list that is always written", "POST", roles, role("a", { rules: [] })],
    ["F2 null for it", "POST", roles, role("b", { rules: null })],
    ["F2 nothing for it", "POST", roles, role("c", {})],
    ["F2 an empty list becomes one with an item", "PUT", `${roles}/a`, role("a", { rules: [rule] })],
    ["F2 a list with an item becomes empty", "PUT", `${roles}/a`, role("a", { rules: [] })],
    ["F2 an empty list by another manager", "PUT", `${roles}/a?fieldManager=z`, role("a", { rules: [] })],
    ["F2 null becomes an empty list", "PUT", `${roles}/b?fieldManager=z`, role("b", { rules: [] })],
    ["F2 an empty list in a patch", "PATCH", `${roles}/c?fieldManager=z`, { rules: [] }, MERGE],
    ["F2 E3 an empty list, applied", "PATCH", `${roles}/c?fieldManager=ap`, role("c", { rules: [] }), APPLY],
    ["F2 E3 null, applied", "PATCH", `${roles}/c?fieldManager=ap`, role("c", { rules: null }), APPLY],
    ["F2 E3 a list with an item, applied", "PATCH", `${roles}/d?fieldManager=ap`, role("d", { rules: [rule] }), APPLY],
    ["F2 E3 no list any more, applied", "PATCH", `${roles}/d?fieldManager=ap`, role("d", {}), APPLY],
    [
      "F2 no subjects",
      "POST",
      of(RBAC, "rolebindings"),
      { metadata: { name: "e" }, subjects: [], roleRef: { apiGroup: RBAC, kind: "Role", name: "x" } },
    ],
    [
      "F2 no secrets of an account",
      "POST",
      core("serviceaccounts"),
      { metadata: { name: "e" }, secrets: [], imagePullSecrets: [], automountServiceAccountToken: null },
    ],
    ["F2 null and empty bytes", "POST", core("secrets"), { metadata: { name: "e" }, data: { a: "", b: null }, stringData: {}, type: "" }],
    [
      "F2 no selector of a service",
      "POST",
      core("services"),
      { metadata: { name: "e" }, spec: { clusterIP: "None", ports: [{ port: 80, name: "" }], selector: {}, externalIPs: [] } },
    ],
    ["F2 no subsets", "POST", core("endpoints"), { metadata: { name: "e" }, subsets: [] }],
    [
      "F2 an empty subset",
      "POST",
      core("endpoints"),
      { metadata: { name: "e4" }, subsets: [{ addresses: [], notReadyAddresses: [], ports: [] }] },
    ],
    [
      "F2 no endpoints",
      "POST",
      of("discovery.k8s.io", "endpointslices"),
      { metadata: { name: "e" }, addressType: "IPv4", endpoints: [], ports: [] },
    ],
    [
      "F2 a budget for all pods",
      "POST",
      of("policy", "poddisruptionbudgets"),
      { metadata: { name: "e" }, spec: { selector: {}, minAvailable: 0 } },
    ],
    [
      "F2 no rules of an ingress",
      "POST",
      of("networking.k8s.io", "ingresses"),
      { metadata: { name: "e" }, spec: { rules: [], tls: [], defaultBackend: { service: { name: "a", port: { number: 1 } } } } },
    ],
    ["F2 no webhooks", "POST", webhooks, { metadata: { name: `e-${runId}` }, webhooks: [] }],
    [
      "F2 no parameters of a storage class",
      "POST",
      "/apis/storage.k8s.io/v1/storageclasses",
      { metadata: { name: `e-${runId}` }, provisioner: "x.y/z", parameters: {}, mountOptions: [], allowedTopologies: [] },
    ],
    ["F2 empty lists of a definition", "POST", CRDS, definition("es")],
    ["F2 E3 empty lists of a definition, applied", "PATCH", `${CRDS}/fs.${runId}.example.com?fieldManager=m`, definition("fs"), APPLY],
    ["F2 nothing merged into what is empty", "PATCH", `${configMaps}/e1`, { data: {}, metadata: { labels: {} } }, MERGE],
    ["F2 what is empty replaced", "PUT", `${configMaps}/e1`, { metadata: { name: "e1", labels: {} }, data: { k: "v" }, binaryData: {} }],
    [
      "F2 E3 empty maps, applied",
      "PATCH",
      `${configMaps}/e9?fieldManager=m`,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "e9", labels: {}, finalizers: [] }, data: {} },
      APPLY,
    ],
    [
      "F2 E3 a null map, applied",
      "PATCH",
      `${configMaps}/e8?fieldManager=m`,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "e8" }, data: null },
      APPLY,
    ],
  );
}
