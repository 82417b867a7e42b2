import { type Ground, MERGE, requests, type Step } from "../step.ts";
import { gone, until } from "../until.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const APPROVED = "api-approved.kubernetes.io";
const URL_OF_APPROVAL = "https://github.com/kubernetes/kubernetes/pull/1";

/** What a definition may be, and what becomes of those of the Kubernetes project's own groups. */
export function definitions({ word }: Ground): readonly Step[] {
  const ours = `d.${word}.example.com`;
  const theirs = `d${word}.k8s.io`;
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
  const bad = (title: string, spec: object) => [`F1 ${title}`, "POST", CRDS, crd("bads", ours, { spec })] as const;
  const schema = (openAPIV3Schema: object) => ({ versions: [version("v1", { schema: { openAPIV3Schema } })] });
  const annotated = (text: string | null) => ({ metadata: { annotations: { [APPROVED]: text } } });
  /** Which controller was first is up to chance. */
  const conditions = (title: string, path: string, reason: string): Step => [
    title,
    async (target) => {
      const settled = (body: any) =>
        body.status.conditions?.some((each: any) => each.reason === reason) &&
        body.status.conditions.some((each: any) => each.type === "Established" && each.status === "True");
      const { body } = await until(target, path, settled);
      return [
        body.status.conditions.map((each: any) => [each.type, each.status, each.reason, each.message].join(" ")).sort(),
        body.status.acceptedNames,
      ];
    },
  ];
  return [
    ...requests(
      ["F1 a group of Kubernetes without approval", "POST", CRDS, crd("gs", theirs)],
      ["F1 a group of Kubernetes with something else", "POST", CRDS, crd("gs", theirs, annotated("foo"))],
      ["F1 a group of Kubernetes with approval", "POST", CRDS, crd("gs", theirs, annotated(URL_OF_APPROVAL))],
      ["F1 a group of Kubernetes, experimental", "POST", CRDS, crd("hs", theirs, annotated("unapproved, experimental-only"))],
    ),
    conditions("F1 what approval becomes", `${CRDS}/gs.${theirs}`, "ApprovedAnnotation"),
    conditions("F1 what an experiment becomes", `${CRDS}/hs.${theirs}`, "UnapprovedAnnotation"),
    ...requests(["F1 approval is withdrawn", "PATCH", `${CRDS}/gs.${theirs}`, annotated(null), MERGE]),
    [
      "F1 an experiment is approved",
      async (target) => (await target.send("PATCH", `${CRDS}/hs.${theirs}`, annotated(URL_OF_APPROVAL), MERGE)).status,
    ],
    conditions("F1 what becomes of it", `${CRDS}/hs.${theirs}`, "ApprovedAnnotation"),
    ...requests(
      bad("fields that are not known are kept", { preserveUnknownFields: true }),
      bad("a schema without types", schema({ type: "object", properties: { spec: { properties: { a: { type: "string" } } } } })),
      bad("a schema of a list", schema({ type: "array", items: { type: "string" } })),
      bad("no schema", { versions: [version("v1", { schema: undefined })] }),
      bad("two versions to store", { versions: [version("v1"), version("v2")] }),
      bad("no version to store", { versions: [version("v1", { storage: false })] }),
      bad("no versions", { versions: [] }),
      bad("a version twice", { versions: [version("v1"), version("v1", { storage: false })] }),
      bad("a version that is none", { versions: [version("V-1")] }),
      bad("a scope that is none", { scope: "Galaxy" }),
      bad("no kind", { names: { plural: "bads" } }),
      bad("a plural in capitals", { names: { plural: "Bads", kind: "Bad" } }),
      bad("a short name in capitals", { names: { plural: "bads", kind: "Bad", shortNames: ["B"] } }),
      bad("a conversion that is none", { conversion: { strategy: "Magic" } }),
      bad("a conversion without a webhook", { conversion: { strategy: "Webhook" } }),
      bad("a scale without paths", { versions: [version("v1", { subresources: { scale: {} } })] }),
      bad("a column without a path", { versions: [version("v1", { additionalPrinterColumns: [{ name: "A", type: "string" }] })] }),
      bad("a column of no type", { versions: [version("v1", { additionalPrinterColumns: [{ name: "A", type: "foo", jsonPath: ".a" }] })] }),
      bad("a rule that cannot be read", schema({ type: "object", "x-kubernetes-validations": [{ rule: "self." }] })),
      bad("a rule that is no condition", schema({ type: "object", "x-kubernetes-validations": [{ rule: "1" }] })),
      bad("a default of another type", schema({ type: "object", properties: { a: { type: "integer", default: "x" } } })),
      bad("a pattern that is none", schema({ type: "object", properties: { a: { type: "string", pattern: "(" } } })),
      bad(
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
    conditions("F1 what becomes of a status by hand", `${CRDS}/ks.${ours}`, "InitialNamesAccepted"),
    ...requests(
      ["F1 another kind by a patch", "PATCH", `${CRDS}/ks.${ours}`, { spec: { names: { kind: "Other" } } }, MERGE],
      ["F1 another group by a patch", "PATCH", `${CRDS}/ks.${ours}`, { spec: { group: "other.example.com" } }, MERGE],
      ["C7 one without objects goes", "DELETE", `${CRDS}/ks.${ours}`],
    ),
    ["C7 and is gone", async (target) => gone(target, `${CRDS}/ks.${ours}`)],
  ];
}
