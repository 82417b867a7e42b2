import { type Ground, MERGE, requests, type Step, widget } from "../step.ts";

/** Creating, reading and replacing objects. */
export function objects({ widgets, configMaps, namespace }: Ground): readonly Step[] {
  const owner = { apiVersion: "v1", kind: "Pod", name: "x", uid: "u" };
  const lease = (name: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`;
  return [
    ...requests(
      ["get a missing custom resource", "GET", `${widgets}/nope`],
      ["get a missing built-in object", "GET", `${configMaps}/nope`],
      ["create", "POST", widgets, widget("a", { spec: { size: 1 } })],
      ["create again", "POST", widgets, widget("a", { spec: { size: 1 } })],
      ["create a built-in object", "POST", configMaps, { metadata: { name: "a", labels: { x: "y" } }, data: { k: "v" } }],
      ["create with a resourceVersion", "POST", configMaps, { metadata: { name: "b", resourceVersion: "5" } }],
      [
        "create with what the server decides",
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
      ["create without a name", "POST", widgets, widget("")],
      ["create with a bad name", "POST", widgets, widget("A_b")],
      ["create with a bad label", "POST", widgets, widget("c", { metadata: { labels: { "a b": "c d" } } })],
      ["create with a bad finalizer", "POST", widgets, widget("c", { metadata: { finalizers: ["a b"] } })],
      ["create with a finalizer of nobody", "POST", widgets, widget("fin1", { metadata: { finalizers: ["foo"] } })],
      ["create with a finalizer of a domain", "POST", widgets, widget("fin2", { metadata: { finalizers: ["foo.bar"] } })],
      ["create with another namespace", "POST", widgets, widget("c", { metadata: { namespace: "other" } })],
      ["create in a missing namespace", "POST", "/apis/example.com/v1/namespaces/nope/widgets", widget("c")],
      ["create a built-in object in a missing namespace", "POST", "/api/v1/namespaces/nope/configmaps", { metadata: { name: "c" } }],
      ["create without a namespace", "POST", "/apis/example.com/v1/widgets", widget("c")],
      ["create a built-in object without a namespace", "POST", "/api/v1/configmaps", { metadata: { name: "c" } }],
      ["create another kind", "POST", widgets, { ...widget("c"), kind: "Foo" }],
      ["create another built-in kind", "POST", configMaps, { kind: "Pod", apiVersion: "v1", metadata: { name: "c" } }],
      ["create another version", "POST", widgets, { ...widget("c"), apiVersion: "example.com/v2" }],
      ["create another version of a built-in kind", "POST", configMaps, { kind: "ConfigMap", apiVersion: "v2", metadata: { name: "c" } }],
      ["create a kind of another group", "POST", configMaps, { kind: "Deployment", apiVersion: "apps/v1", metadata: { name: "c" } }],
      ["create without kind", "POST", widgets, { metadata: { name: "c" } }],
      ["create without apiVersion", "POST", widgets, { kind: "Widget", metadata: { name: "c" } }],
      ["create from broken JSON", "POST", widgets, "{foo"],
      ["create a built-in object from broken JSON", "POST", configMaps, "{foo"],
      ["create from nothing", "POST", widgets, ""],
      ["create from a list", "POST", widgets, "[1]"],
      ["create from a string", "POST", configMaps, '"x"'],
      ["create from text", "POST", widgets, "x", { "content-type": "text/plain" }],
      ["create with labels that are no text", "POST", widgets, widget("c", { metadata: { labels: { a: 1 } } })],
      ["an unknown field warns", "POST", widgets, { ...widget("unknown", { spec: { size: 1, foo: 2 } }), bar: 1 }],
      [
        "an unknown field is refused when strict",
        "POST",
        `${widgets}?fieldValidation=Strict`,
        { ...widget("c", { spec: { foo: 2 } }), bar: 1 },
      ],
      [
        "a field twice is refused when strict",
        "POST",
        `${widgets}?fieldValidation=Strict`,
        '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"c"},"spec":{"size":1,"size":2,"foo":1}}',
      ],
      ["an unknown field is ignored when told so", "POST", `${widgets}?fieldValidation=Ignore`, widget("ignored", { spec: { foo: 2 } })],
      ["an unknown field of a built-in kind", "POST", `${configMaps}?fieldValidation=Strict`, { metadata: { name: "c" }, foo: 1 }],
      ["a value of the wrong type in a built-in kind", "POST", configMaps, { metadata: { name: "c" }, data: { a: 1 } }],
      ["a bad fieldValidation", "POST", `${widgets}?fieldValidation=Foo`, widget("c")],
      ["a bad dryRun", "POST", `${widgets}?dryRun=Foo`, widget("c")],
      ["a dry run", "POST", `${widgets}?dryRun=All`, widget("dry", { spec: { size: 3 } })],
      ["a dry run of what exists", "POST", `${widgets}?dryRun=All`, widget("a")],
      ["an invalid value", "POST", widgets, widget("c", { spec: { size: -1 } })],
      ["null where there is a default", "POST", widgets, widget("nulls", { spec: { color: null, size: null } })],
      ["an owner twice", "POST", configMaps, { metadata: { name: "own", ownerReferences: [owner, owner] } }],
      [
        "owners that cannot be",
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
      ["name and generateName", "POST", configMaps, { metadata: { name: "both", generateName: "x-" } }],
      ["replace with a stale resourceVersion", "PUT", `${widgets}/a`, widget("a", { metadata: { resourceVersion: "1" } })],
      ["replace without resourceVersion", "PUT", `${widgets}/a`, widget("a")],
      ["replace a built-in object without resourceVersion", "PUT", `${configMaps}/a`, { metadata: { name: "a" }, data: { k: "v2" } }],
      ["replace with another name", "PUT", `${widgets}/a`, widget("b")],
      ["replace without a name", "PUT", `${widgets}/a`, widget("")],
      ["replace with another namespace", "PUT", `${widgets}/a`, widget("a", { metadata: { namespace: "zzz" } })],
      ["replace what is missing", "PUT", `${widgets}/nope`, widget("nope", { metadata: { resourceVersion: "1" } })],
      ["replace with another uid", "PUT", `${configMaps}/a`, { metadata: { name: "a", uid: "zzz" } }],
      ["replace with a resourceVersion that is none", "PUT", `${configMaps}/a`, { metadata: { name: "a", resourceVersion: "abc" } }],
      ["replace by another kind", "PUT", `${configMaps}/a`, { kind: "Pod", apiVersion: "v1", metadata: { name: "a" } }],
      ["replace in a dry run", "PUT", `${configMaps}/a?dryRun=All`, { metadata: { name: "a" }, data: { a: "b" } }],
      ["replace a missing lease", "PUT", lease("a"), { metadata: { name: "a" }, spec: { holderIdentity: "x" } }],
      [
        "replace a missing lease with a resourceVersion",
        "PUT",
        lease("b"),
        { metadata: { name: "b", resourceVersion: "5" }, spec: { holderIdentity: "x" } },
      ],
      ["replace a lease without resourceVersion", "PUT", lease("a"), { metadata: { name: "a" }, spec: { holderIdentity: "y" } }],
      ["replace a collection", "PUT", configMaps, {}],
      ["replace a collection of custom resources", "PUT", widgets, {}],
      ["create under a name", "POST", `${configMaps}/named`, { metadata: { name: "named" } }],
      ["get with a resourceVersion that is none", "GET", `${configMaps}/a?resourceVersion=abc`],
      ["get with a resourceVersion of the future", "GET", `${configMaps}/a?resourceVersion=99999999`],
      ["get for export", "GET", `${widgets}/a?export=true`],
      ["HEAD", "HEAD", `${configMaps}/a`],
    ),
    [
      "generateName",
      async (target) => {
        const { status, body } = await target.send("POST", configMaps, { metadata: { generateName: "gen-" } });
        return [status, /^gen-[a-z0-9]{5}$/.test(body.metadata.name)];
      },
    ],
    [
      "replace",
      async (target) => target.send("PUT", `${widgets}/a`, { ...(await live(target)), spec: { size: 2 }, status: { phase: "x" } }),
    ],
    [
      "replace with the same",
      async (target) => {
        const before = await live(target);
        const { status, body } = await target.send("PUT", `${widgets}/a`, before);
        return [status, body.metadata.resourceVersion === before.metadata.resourceVersion];
      },
    ],
    [
      "replace labels",
      async (target) => {
        const before = await live(target);
        return target.send("PUT", `${widgets}/a`, { ...before, metadata: { ...before.metadata, labels: { l: "1" } } });
      },
    ],
    ...requests(
      ["change the uid", "PATCH", `${widgets}/a`, { metadata: { uid: "zz" } }, MERGE],
      ["change the creationTimestamp", "PATCH", `${widgets}/a`, { metadata: { creationTimestamp: "2020-01-01T00:00:00Z" } }, MERGE],
      ["change the generation", "PATCH", `${widgets}/a`, { metadata: { generation: 77 } }, MERGE],
      ["change the namespace", "PATCH", `${widgets}/a`, { metadata: { namespace: "zz" } }, MERGE],
      ["set a deletionTimestamp", "PATCH", `${widgets}/a`, { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } }, MERGE],
      ["change the kind", "PATCH", `${widgets}/a`, { kind: "Foo" }, MERGE],
      ["forget who owns what", "PATCH", `${widgets}/a`, { metadata: { managedFields: [{}] } }, MERGE],
    ),
  ];

  async function live(target: Parameters<Step[1]>[0]) {
    return (await target.send("GET", `${widgets}/a`)).body;
  }
}
