import type { JsonObject } from "pintle/kinds";
import type { ScenarioStep } from "./scenario.ts";

const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const MERGE = "application/merge-patch+json";
/** CSR for user jane in group dev. */
const REQUEST = [
  "-----BEGIN CERTIFICATE REQUEST-----",
  "MIHXMH8CAQAwHTEMMAoGA1UECgwDZGV2MQ0wCwYDVQQDDARqYW5lMFkwEwYHKoZI",
  "zj0CAQYIKoZIzj0DAQcDQgAEX+k2ToII47aBPoy3CvQEPIG+o2Nd92TrZR+SD8Cr",
  "mLAmLDQQGrPszjSsLmch7KCdHeb0yKGluwdcmEKMlYywZqAAMAoGCCqGSM49BAMC",
  "A0gAMEUCIQCWgYLs8+tR4whrpMmka+KB1EBzbenKnjHoIjsC8WAGVAIgGVwW05Cl",
  "/jRtTPup9kC55NDO5oFBHJYrNVaFyhTt5+8=",
  "-----END CERTIFICATE REQUEST-----",
  "",
].join("\n");

const condition = (type: string) => ({
  conditions: [{ type, status: "True", reason: "Test", lastUpdateTime: null, lastTransitionTime: null }],
});
const writes = (title: string): readonly ScenarioStep[] =>
  (
    [
      ["approves", "approval", { status: condition("Approved") }],
      ["touches the approval", "approval", {}],
      ["fails it", "status", { status: condition("Failed") }],
      ["labels it", "status", { metadata: { labels: { a: "b" } } }],
    ] as const
  ).map(([name, part, body]) => ({
    step: `${title}: eve ${name}`,
    as: "token-eve",
    method: "PATCH",
    path: `${REQUESTS}/jane/${part}?dryRun=All`,
    type: MERGE,
    body: body as JsonObject,
    show: "refusal" as const,
  }));

const grantStep = (step: string, more: readonly object[]): ScenarioStep => ({
  step,
  method: "PUT",
  path: `${RBAC}/clusterroles/certificates`,
  show: "code",
  body: {
    metadata: { name: "certificates" },
    rules: [
      {
        apiGroups: ["certificates.k8s.io"],
        resources: ["certificatesigningrequests/approval", "certificatesigningrequests/status"],
        verbs: ["patch"],
      },
      ...more,
    ],
  } as JsonObject,
});
const signer = (name: string, ...verbs: string[]) => ({
  apiGroups: ["certificates.k8s.io"],
  resources: ["signers"],
  resourceNames: [name],
  verbs,
});

export const certificates: readonly ScenarioStep[] = [
  {
    step: "a request",
    path: REQUESTS,
    show: "code",
    body: {
      metadata: { name: "jane" },
      spec: { signerName: "example.com/signer", usages: ["client auth"], request: Buffer.from(REQUEST).toString("base64") },
    },
  },
  {
    step: "eve is bound",
    path: `${RBAC}/clusterrolebindings`,
    show: "code",
    body: {
      metadata: { name: "certificates" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "certificates" },
      subjects: [{ kind: "User", name: "eve" }],
    },
  },
  grantStep("eve may write", []),
  ...writes("of no signer"),
  grantStep("eve may approve for the signer", [signer("example.com/signer", "approve")]),
  ...writes("approves for the signer"),
  grantStep("eve may sign for the domain", [signer("example.com/*", "sign")]),
  ...writes("signs for the domain"),
];
