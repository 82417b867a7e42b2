/** A policy with every kind of rule. The first rule that matches decides. */
export const POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  rules: [
    { level: "None", nonResourceURLs: ["/healthz*", "/livez"] },
    { level: "None", users: ["carol@example.com"] },
    { level: "None", resources: [{ group: "", resources: ["configmaps"], resourceNames: ["unlogged"] }] },
    { level: "Metadata", resources: [{ group: "", resources: ["secrets", "*/token"] }] },
    { level: "Metadata", namespaces: ["quiet"], omitStages: ["RequestReceived"] },
    { level: "Request", userGroups: ["requesters"] },
    { level: "Request", verbs: ["deletecollection"] },
    { level: "RequestResponse", resources: [{ group: "apps" }, { group: "", resources: ["pods/*"] }], omitManagedFields: true },
    { level: "RequestResponse", omitStages: ["ResponseStarted"], verbs: ["list"] },
    { level: "RequestResponse" },
  ],
} as const;
