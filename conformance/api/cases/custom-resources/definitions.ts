import { type ApiCase, type CaseContext, MERGE, requestCases } from "../../case.ts";
import { waitForNotFound, waitUntil } from "../../wait.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const APPROVED = "api-approved.kubernetes.io";
const URL_OF_APPROVAL = "https://github.com/kubernetes/kubernetes/pull/1";

/** Validation of CustomResourceDefinitions, and API approval of groups below k8s.io. */
export function definitions({ runId }: CaseContext): readonly ApiCase[] {
  const ours = `d.${runId}.example.com`;
  const theirs = `d${runId}.k8s.io`;
  const version = (name: string, more: object = {}) => ({
    name,
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object" } },
    ...more,
  });
  const crd = (plural: string, group: string, { metadata = {}, spec = {} }: { metadata?: object; spec?: object } = {}) => ({
    metadata: { name: `${plural}.${group}`, ...metadata },
    spec: { group, scope: "Namespaced", names: { plural, kind: plural.toUpperCase() }, versions: [version("v1")], ...spec },
  });
  const refusedDefinition = (title: string, spec: object) => [`F1 ${title}`, "POST", CRDS, crd("bads", ours, { spec })] as const;
  const schema = (openAPIV3Schema: object) => ({ versions: [version("v1", { schema: { openAPIV3Schema } })] });
  const withApproval = (text: string | null) => ({ metadata: { annotations: { [APPROVED]: text } } });
  /** The conditions are sorted: their order depends on which controller was first. */
  const conditionsCase = (title: string, path: string, reason: string): ApiCase => [
    title,
    async (target) => {
      const settled = (body: any) =>
        body.status.conditions?.some((each: any) => each.reason === reason) &&
        body.status.conditions.some((each: any) => each.type === "Established" && each.status === "True");
      const { body } = await waitUntil(target, path, settled);
      return [
        body.status.conditions.map((each: any) => [each.type, each.status, each.reason, each.message].join(" ")).sort(),
        body.status.acceptedNames,
      ];
    },
  ];
  return [
    ...requestCases(
      ["F1 a group of Kubernetes without approval", "POST", CRDS, crd("gs", theirs)],
      ["F1 a group of Kubernetes with something else", "POST", CRDS, crd("gs", theirs, withApproval("foo"))],
      ["F1 a group of Kubernetes with approval", "POST", CRDS, crd("gs", theirs, withApproval(URL_OF_APPROVAL))],
      ["F1 a group of Kubernetes, experimental", "POST", CRDS, crd("hs", theirs, withApproval("unapproved, experimental-only"))],
    ),
    conditionsCase("F1 what approval becomes", `${CRDS}/gs.${theirs}`, "ApprovedAnnotation"),
    conditionsCase("F1 what an experiment becomes", `${CRDS}/hs.${theirs}`, "UnapprovedAnnotation"),
    ...requestCases(["F1 approval is withdrawn", "PATCH", `${CRDS}/gs.${theirs}`, withApproval(null), MERGE]),
    [
      "F1 an experiment is approved",
      async (target) => (await target.send("PATCH", `${CRDS}/hs.${theirs}`, withApproval(URL_OF_APPROVAL), MERGE)).status,
    ],
    conditionsCase("F1 what becomes of it", `${CRDS}/hs.${theirs}`, "ApprovedAnnotation"),
    ...requestCases(
      refusedDefinition("fields that are not known are kept", { preserveUnknownFields: true }),
      refusedDefinition(
        "a schema without types",
        schema({ type: "object", properties: { spec: { properties: { a: { type: "string" } } } } }),
      ),
      refusedDefinition("a schema of a list", schema({ type: "array", items: { type: "string" } })),
      refusedDefinition("no schema", { versions: [version("v1", { schema: undefined })] }),
      refusedDefinition("two versions to store", { versions: [version("v1"), version("v2")] }),
      refusedDefinition("no version to store", { versions: [version("v1", { storage: false })] }),
      refusedDefinition("no versions", { versions: [] }),
      refusedDefinition("a version twice", { versions: [version("v1"), version("v1", { storage: false })] }),
      refusedDefinition("a version that is none", { versions: [version("V-1")] }),
      refusedDefinition("a scope that is none", { scope: "Galaxy" }),
      refusedDefinition("no kind", { names: { plural: "bads" } }),
      refusedDefinition("a plural in capitals", { names: { plural: "Bads", kind: "Bad" } }),
      refusedDefinition("a short name in capitals", { names: { plural: "bads", kind: "Bad", shortNames: ["B"] } }),
      refusedDefinition("a conversion that is none", { conversion: { strategy: "Magic" } }),
      refusedDefinition("a conversion without a webhook", { conversion: { strategy: "Webhook" } }),
      refusedDefinition("a scale without paths", { versions: [version("v1", { subresources: { scale: {} } })] }),
      refusedDefinition("a column without a path", {
        versions: [version("v1", { additionalPrinterColumns: [{ name: "A", type: "string" }] })],
      }),
      refusedDefinition("a column of no type", {
        versions: [version("v1", { additionalPrinterColumns: [{ name: "A", type: "foo", jsonPath: ".a" }] })],
      }),
      refusedDefinition("a rule that cannot be read", schema({ type: "object", "x-kubernetes-validations": [{ rule: "self." }] })),
      refusedDefinition("a rule that is no condition", schema({ type: "object", "x-kubernetes-validations": [{ rule: "1" }] })),
      refusedDefinition("a default of another type", schema({ type: "object", properties: { a: { type: "integer", default: "x" } } })),
      refusedDefinition("an invalid pattern", schema({ type: "object", properties: { a: { type: "string", pattern: "(" } } })),
      refusedDefinition(
        "a list of maps without keys",
        schema({ type: "object", properties: { a: { type: "array", "x-kubernetes-list-type": "map", items: { type: "object" } } } }),
      ),
      [
        "F1 a status by hand",
        "POST",
        CRDS,
        { ...crd("ks", ours), status: { storedVersions: ["v0"], acceptedNames: { plural: "x", kind: "Y" }, conditions: null } },
      ],
    ),
    conditionsCase("F1 what becomes of a status by hand", `${CRDS}/ks.${ours}`, "InitialNamesAccepted"),
    ...requestCases(
      ["F1 another kind by a patch", "PATCH", `${CRDS}/ks.${ours}`, { spec: { names: { kind: "Other" } } }, MERGE],
      ["F1 another group by a patch", "PATCH", `${CRDS}/ks.${ours}`, { spec: { group: "other.example.com" } }, MERGE],
      ["C7 one without objects goes", "DELETE", `${CRDS}/ks.${ours}`],
    ),
    ...requestCases([
      "F1 C7 one that serves no version",
      "POST",
      CRDS,
      crd("us", ours, { spec: { versions: [version("v1", { served: false })] } }),
    ]),
    conditionsCase("F1 what becomes of one that serves no version", `${CRDS}/us.${ours}`, "InitialNamesAccepted"),
    ["C7 one that serves no version goes", async (target) => (await target.send("DELETE", `${CRDS}/us.${ours}`)).status],
    ["C7 and is gone, though it serves nothing", async (target) => waitForNotFound(target, `${CRDS}/us.${ours}`)],
    ["C7 and is gone", async (target) => waitForNotFound(target, `${CRDS}/ks.${ours}`)],
  ];
}
