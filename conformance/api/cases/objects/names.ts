import { type ApiCase, type CaseContext, MERGE, requestCases, widget } from "../../case.ts";

const LONG = "x".repeat(254);

/** Validation of names, labels and annotations; generated names. */
export function names({ widgets, configMaps, namespace }: CaseContext): readonly ApiCase[] {
  const withLabels = (labels: object) => ({ metadata: { name: "labelled", labels } });
  const withAnnotations = (annotations: object) => ({ metadata: { name: "noted", annotations } });
  const owner = { apiVersion: "v1", kind: "Pod", name: "x", uid: "u" };
  const ruler = { ...owner, controller: true };
  const dry = `${configMaps}?dryRun=All`;
  return [
    ...requestCases(
      ["A0 a name that is too long", "POST", configMaps, { metadata: { name: LONG } }],
      ["A0 a name with a slash", "POST", configMaps, { metadata: { name: "a/b" } }],
      ["A0 a name in capitals", "POST", widgets, widget("Big")],
      ["A0 a name that ends in a dash", "POST", widgets, widget("a-")],
      ["A0 a namespace with a dot", "POST", "/api/v1/namespaces", { metadata: { name: "a.b" } }],
      ["A0 a namespace that is too long", "POST", "/api/v1/namespaces", { metadata: { name: "x".repeat(64) } }],
      ["A0 a service that begins with a digit", "POST", `/api/v1/namespaces/${namespace}/services`, service("1a")],
      ["A0 a service that is too long", "POST", `/api/v1/namespaces/${namespace}/services`, service("x".repeat(64))],
      ["A0 a role with a colon", "POST", roles(namespace), { metadata: { name: "a:b" } }],
      ["A0 a role named ..", "POST", roles(namespace), { metadata: { name: ".." } }],
      ["A0 a role with a percent sign", "POST", roles(namespace), { metadata: { name: "a%b" } }],
      ["A0 a label key without a name", "POST", configMaps, withLabels({ "example.com/": "a" })],
      ["A0 a label key without a prefix", "POST", configMaps, withLabels({ "/a": "a" })],
      ["A0 a label key with two slashes", "POST", configMaps, withLabels({ "a/b/c": "a" })],
      ["A0 a label key that is too long", "POST", configMaps, withLabels({ ["x".repeat(64)]: "a" })],
      ["A0 a label key whose prefix is too long", "POST", configMaps, withLabels({ [`${LONG}/a`]: "a" })],
      ["A0 a label key whose prefix is none", "POST", configMaps, withLabels({ "Big/a": "a" })],
      ["A0 a label value that is too long", "POST", configMaps, withLabels({ a: "x".repeat(64) })],
      ["A0 a label value with a space", "POST", widgets, widget("labelled", withLabels({ a: "x y" }))],
      ["A0 an annotation in capitals", "POST", dry, withAnnotations({ "Example.com/A": "a" })],
      ["A0 an annotation key of nothing", "POST", configMaps, withAnnotations({ "": "a" })],
      ["A0 annotations that are too long", "POST", configMaps, withAnnotations({ a: "x".repeat(256 * 1024) })],
      ["A0 several things wrong", "POST", configMaps, { metadata: { name: "A_", labels: { "-": "-" }, finalizers: ["-"] } }],
      [
        "A0 finalizers that exclude each other",
        "POST",
        widgets,
        widget("both", { metadata: { finalizers: ["orphan", "foregroundDeletion"] } }),
      ],
      ["A6 generateName in capitals", "POST", configMaps, { metadata: { generateName: "Gen-" } }],
      ["A6 generateName of custom resources", "POST", widgets, { ...widget("x"), metadata: { generateName: "gen-" } }],
      ["A6 generateName in a dry run", "POST", dry, { metadata: { generateName: "gen-" } }],
      ["A16 a widget with an owner", "POST", widgets, widget("owned", { metadata: { ownerReferences: [owner] } })],
      [
        "A16 its owner twice",
        "PATCH",
        `${widgets}/owned`,
        { metadata: { ownerReferences: [owner, owner, { ...owner, uid: "v" }] } },
        MERGE,
      ],
      ["A16 two controllers", "PATCH", `${widgets}/owned`, { metadata: { ownerReferences: [ruler, { ...ruler, uid: "v" }] } }, MERGE],
      ["A6 generateName of nothing", "POST", configMaps, { metadata: { generateName: "" } }],
    ),
    [
      "A6 a long generateName is cut",
      async (target) => {
        const { status, body } = await target.send("POST", dry, { metadata: { generateName: "x".repeat(80) } });
        return [
          status,
          body.metadata.name.length,
          /^x{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/.test(body.metadata.name),
          body.metadata.generateName,
        ];
      },
    ],
  ];
}

const roles = (namespace: string) => `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`;
const service = (name: string) => ({ metadata: { name }, spec: { clusterIP: "None", ports: [{ port: 80 }] } });
