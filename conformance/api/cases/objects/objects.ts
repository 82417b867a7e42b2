import { type ApiCase, type CaseContext, MERGE, requestCases, widget } from "../../case.ts";

/** Creating, reading and replacing objects. */
export function objects({ widgets, configMaps, namespace }: CaseContext): readonly ApiCase[] {
  const owner = { apiVersion: "v1", kind: "Pod", name: "x", uid: "u" };
  const lease = (name: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`;
  return [
    ...requestCases(
      ["A1 get a missing custom resource", "GET", `${widgets}/nope`],
      ["A1 get a missing built-in object", "GET", `${configMaps}/nope`],
      ["A7 create", "POST", widgets, widget("a", { spec: { size: 1 } })],
      ["A4 create again", "POST", widgets, widget("a", { spec: { size: 1 } })],
      ["A7 create a built-in object", "POST", configMaps, { metadata: { name: "a", labels: { x: "y" } }, data: { k: "v" } }],
      ["A5 create an invalid object with a resourceVersion", "POST", configMaps, { metadata: { name: "_", resourceVersion: "5" } }],
      ["A5 create with a resourceVersion that is no number", "POST", configMaps, { metadata: { name: "b0", resourceVersion: "x" } }],
      [
        "A5 create with a resourceVersion beyond 64 bits",
        "POST",
        configMaps,
        { metadata: { name: "b1", resourceVersion: "99999999999999999999" } },
      ],
      ["A5 create with a resourceVersion", "POST", configMaps, { metadata: { name: "b", resourceVersion: "5" } }],
      [
        "A7 create with what the server decides",
        "POST",
        widgets,
        widget("wiped", {
          metadata: {
            uid: "x",
            creationTimestamp: "2020-01-01T00:00:00Z",
            deletionTimestamp: "2020-01-01T00:00:00Z",
            generation: 7,
            selfLink: "foo",
          },
        }),
      ],
      ["A0 create without a name", "POST", widgets, widget("")],
      ["A0 create with a bad name", "POST", widgets, widget("A_b")],
      ["A0 create with a bad label", "POST", widgets, widget("c", { metadata: { labels: { "a b": "c d" } } })],
      ["A0 create with a bad finalizer", "POST", widgets, widget("c", { metadata: { finalizers: ["a b"] } })],
      ["A0 create with a finalizer without a domain", "POST", widgets, widget("fin1", { metadata: { finalizers: ["foo"] } })],
      ["A0 create with a finalizer of a domain", "POST", widgets, widget("fin2", { metadata: { finalizers: ["foo.bar"] } })],
      ["A9 create with another namespace", "POST", widgets, widget("c", { metadata: { namespace: "other" } })],
      ["G5 create in a missing namespace", "POST", "/apis/example.com/v1/namespaces/nope/widgets", widget("c")],
      ["G5 create a built-in object in a missing namespace", "POST", "/api/v1/namespaces/nope/configmaps", { metadata: { name: "c" } }],
      ["A2 create without a namespace", "POST", "/apis/example.com/v1/widgets", widget("c")],
      ["A3 create a built-in object without a namespace", "POST", "/api/v1/configmaps", { metadata: { name: "c" } }],
      ["F2 create another kind", "POST", widgets, { ...widget("c"), kind: "Foo" }],
      ["F2 create another built-in kind", "POST", configMaps, { kind: "Pod", apiVersion: "v1", metadata: { name: "c" } }],
      ["F2 create another version", "POST", widgets, { ...widget("c"), apiVersion: "example.com/v2" }],
      [
        "F2 create another version of a built-in kind",
        "POST",
        configMaps,
        { kind: "ConfigMap", apiVersion: "v2", metadata: { name: "c" } },
      ],
      ["F2 create a kind of another group", "POST", configMaps, { kind: "Deployment", apiVersion: "apps/v1", metadata: { name: "c" } }],
      ["F2 create without kind", "POST", widgets, { metadata: { name: "c" } }],
      ["F2 create without apiVersion", "POST", widgets, { kind: "Widget", metadata: { name: "c" } }],
      ["F2 create from broken JSON", "POST", widgets, "{foo"],
      ["F2 create a built-in object from broken JSON", "POST", configMaps, "{foo"],
      ["F2 create from nothing", "POST", widgets, ""],
      ["F2 create from a list", "POST", widgets, "[1]"],
      ["F2 create from a string", "POST", configMaps, '"x"'],
      ["F2 create from text", "POST", widgets, "x", { "content-type": "text/plain" }],
      ["F2 create with labels that are no text", "POST", widgets, widget("c", { metadata: { labels: { a: 1 } } })],
      ["E5 an unknown field warns", "POST", widgets, { ...widget("unknown", { spec: { size: 1, foo: 2 } }), bar: 1 }],
      [
        "E5 an unknown field is refused when strict",
        "POST",
        `${widgets}?fieldValidation=Strict`,
        { ...widget("c", { spec: { foo: 2 } }), bar: 1 },
      ],
      [
        "E5 a field twice is refused when strict",
        "POST",
        `${widgets}?fieldValidation=Strict`,
        '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"c"},"spec":{"size":1,"size":2,"foo":1}}',
      ],
      [
        "E5 an unknown field is ignored with fieldValidation=Ignore",
        "POST",
        `${widgets}?fieldValidation=Ignore`,
        widget("ignored", { spec: { foo: 2 } }),
      ],
      ["E5 an unknown field of a built-in kind", "POST", `${configMaps}?fieldValidation=Strict`, { metadata: { name: "c" }, foo: 1 }],
      ["F2 a value of the wrong type in a built-in kind", "POST", configMaps, { metadata: { name: "c" }, data: { a: 1 } }],
      ["E5 a bad fieldValidation", "POST", `${widgets}?fieldValidation=Foo`, widget("c")],
      ["E4 a bad dryRun", "POST", `${widgets}?dryRun=Foo`, widget("c")],
      ["E4 a dry run", "POST", `${widgets}?dryRun=All`, widget("dry", { spec: { size: 3 } })],
      ["E4 a dry run of what exists", "POST", `${widgets}?dryRun=All`, widget("a")],
      ["F3 an invalid value", "POST", widgets, widget("c", { spec: { size: -1 } })],
      ["F2 null where there is a default", "POST", widgets, widget("nulls", { spec: { color: null, size: null } })],
      ["A16 an owner twice", "POST", configMaps, { metadata: { name: "own", ownerReferences: [owner, owner] } }],
      [
        "A16 owners that cannot be",
        "POST",
        configMaps,
        {
          metadata: {
            name: "c",
            ownerReferences: [
              { ...owner, uid: "" },
              { ...owner, kind: "Event" },
            ],
          },
        },
      ],
      ["A0 name and generateName", "POST", configMaps, { metadata: { name: "both", generateName: "x-" } }],
      ["A8 replace with a stale resourceVersion", "PUT", `${widgets}/a`, widget("a", { metadata: { resourceVersion: "1" } })],
      ["A8 replace without resourceVersion", "PUT", `${widgets}/a`, widget("a")],
      ["A8 replace a built-in object without resourceVersion", "PUT", `${configMaps}/a`, { metadata: { name: "a" }, data: { k: "v2" } }],
      ["A9 replace with another name", "PUT", `${widgets}/a`, widget("b")],
      ["A9 replace without a name", "PUT", `${widgets}/a`, widget("")],
      ["A9 replace with another namespace", "PUT", `${widgets}/a`, widget("a", { metadata: { namespace: "zzz" } })],
      ["A10 replace what is missing", "PUT", `${widgets}/nope`, widget("nope", { metadata: { resourceVersion: "1" } })],
      ["A9 replace with another uid", "PUT", `${configMaps}/a`, { metadata: { name: "a", uid: "zzz" } }],
      ["A8 replace with a resourceVersion that is none", "PUT", `${configMaps}/a`, { metadata: { name: "a", resourceVersion: "abc" } }],
      ["A9 replace by another kind", "PUT", `${configMaps}/a`, { kind: "Pod", apiVersion: "v1", metadata: { name: "a" } }],
      ["E4 replace in a dry run", "PUT", `${configMaps}/a?dryRun=All`, { metadata: { name: "a" }, data: { a: "b" } }],
      ["A10 replace a missing lease", "PUT", lease("a"), { metadata: { name: "a" }, spec: { holderIdentity: "x" } }],
      [
        "A10 replace a missing lease with a resourceVersion",
        "PUT",
        lease("b"),
        { metadata: { name: "b", resourceVersion: "5" }, spec: { holderIdentity: "x" } },
      ],
      ["A8 replace a lease without resourceVersion", "PUT", lease("a"), { metadata: { name: "a" }, spec: { holderIdentity: "y" } }],
      ["A3 replace a collection", "PUT", configMaps, {}],
      ["A3 replace a collection of custom resources", "PUT", widgets, {}],
      ["A3 create under a name", "POST", `${configMaps}/named`, { metadata: { name: "named" } }],
      ["D1 get with a resourceVersion that is none", "GET", `${configMaps}/a?resourceVersion=abc`],
      ["D1 get with a resourceVersion of the future", "GET", `${configMaps}/a?resourceVersion=99999999`],
      ["A0 get with export", "GET", `${widgets}/a?export=true`],
      ["A3 HEAD", "HEAD", `${configMaps}/a`],
    ),
    [
      "A6 generateName",
      async (target) => {
        const { status, body } = await target.send("POST", configMaps, { metadata: { generateName: "gen-" } });
        return [status, /^gen-[a-z0-9]{5}$/.test(body.metadata.name)];
      },
    ],
    [
      "A15 replace",
      async (target) => target.send("PUT", `${widgets}/a`, { ...(await live(target)), spec: { size: 2 }, status: { phase: "x" } }),
    ],
    [
      "A12 replace with the same",
      async (target) => {
        const before = await live(target);
        const { status, body } = await target.send("PUT", `${widgets}/a`, before);
        return [status, body.metadata.resourceVersion === before.metadata.resourceVersion];
      },
    ],
    [
      "A15 replace labels",
      async (target) => {
        const before = await live(target);
        return target.send("PUT", `${widgets}/a`, { ...before, metadata: { ...before.metadata, labels: { l: "1" } } });
      },
    ],
    ...requestCases(
      ["A13 change the uid", "PATCH", `${widgets}/a`, { metadata: { uid: "zz" } }, MERGE],
      ["A13 change the creationTimestamp", "PATCH", `${widgets}/a`, { metadata: { creationTimestamp: "2020-01-01T00:00:00Z" } }, MERGE],
      ["A13 change the generation", "PATCH", `${widgets}/a`, { metadata: { generation: 77 } }, MERGE],
      ["A13 change the namespace", "PATCH", `${widgets}/a`, { metadata: { namespace: "zz" } }, MERGE],
      ["A13 set a deletionTimestamp", "PATCH", `${widgets}/a`, { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } }, MERGE],
      ["A13 change the kind", "PATCH", `${widgets}/a`, { kind: "Foo" }, MERGE],
      ["E3 reset managedFields", "PATCH", `${widgets}/a`, { metadata: { managedFields: [{}] } }, MERGE],
    ),
  ];

  async function live(target: Parameters<ApiCase[1]>[0]) {
    return (await target.send("GET", `${widgets}/a`)).body;
  }
}
