import { APPLY, type ApiCase, type CaseContext, JSON_PATCH, MERGE, requestCases, STRATEGIC, widget } from "../../case.ts";

/** managedFields that clients write, omit and reset, and their effect on apply. */
export function managedFields({ widgets, configMaps, namespace }: CaseContext): readonly ApiCase[] {
  const map = (name: string, more: object = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, ...more });
  const entry = (apiVersion: string, fieldsV1: object, more: object = {}) => ({
    manager: "x",
    operation: "Update",
    apiVersion,
    time: "2020-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1,
    ...more,
  });
  const size = { "f:spec": { "f:size": {} } };
  const withManagedFields = (managedFields: unknown) => ({ metadata: { managedFields } });
  const status = `/apis/apps/v1/namespaces/${namespace}/deployments/e1/status`;
  const autoscalers = (version: string) => `/apis/autoscaling/${version}/namespaces/${namespace}/horizontalpodautoscalers`;
  const autoscaler = (version: string, more: object = {}) => ({
    apiVersion: `autoscaling/${version}`,
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "h" },
    spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "x", apiVersion: "apps/v1" } },
    ...more,
  });
  return [
    ...requestCases(
      ["E3 a config map to own", "POST", configMaps, map("own", { data: { a: "b" } })],
      ["E3 replaced with no owners", "PUT", `${configMaps}/own`, { metadata: { name: "own", managedFields: [] }, data: { a: "c" } }],
      [
        "E3 replaced without a word on owners",
        "PUT",
        `${configMaps}/own`,
        { metadata: { name: "own", managedFields: null }, data: { a: "d" } },
      ],
      ["E3 applied to an object without owners", "PATCH", `${configMaps}/own?fieldManager=m`, map("own", { data: { a: "e" } }), APPLY],
      ["E3 owners reset by a merge patch", "PATCH", `${configMaps}/own`, withManagedFields([]), MERGE],
      ["E3 another config map", "POST", configMaps, map("own2", { data: { a: "b" } })],
      ["E3 owners reset together with data", "PATCH", `${configMaps}/own2`, { ...withManagedFields([]), data: { x: "1" } }, MERGE],
      ["E3 data after a reset", "PATCH", `${configMaps}/own2`, { data: { x: "2" } }, MERGE],
      ["E3 a third", "POST", configMaps, map("own3", { data: { a: "b" } })],
      [
        "E3 owners reset by a JSON patch",
        "PATCH",
        `${configMaps}/own3`,
        [{ op: "replace", path: "/metadata/managedFields", value: [{}] }],
        JSON_PATCH,
      ],
      ["E3 a fourth", "POST", configMaps, map("own4", { data: { a: "b" } })],
      ["E3 owners reset by a strategic patch", "PATCH", `${configMaps}/own4`, withManagedFields([]), STRATEGIC],
      ["E3 created with no owners", "POST", configMaps, { metadata: { name: "own5", managedFields: [] }, data: { a: "b" } }],
      [
        "E3 created with another owner",
        "POST",
        configMaps,
        { metadata: { name: "own6", managedFields: [entry("v1", { "f:data": {} })] }, data: { a: "b" } },
      ],
      ["E3 a widget to own", "POST", widgets, widget("own", { spec: { size: 1 } })],
      [
        "E3 an operation that is none",
        "PATCH",
        `${widgets}/own`,
        withManagedFields([entry("example.com/v1", {}, { operation: "Foo" })]),
        MERGE,
      ],
      [
        "E3 a type of fields that is none",
        "PATCH",
        `${widgets}/own`,
        withManagedFields([entry("example.com/v1", {}, { fieldsType: "Foo" })]),
        MERGE,
      ],
      ["E3 fields that are none", "PATCH", `${widgets}/own`, withManagedFields([entry("example.com/v1", { x: 1 })]), MERGE],
      ["E3 an owner by hand", "PATCH", `${widgets}/own`, withManagedFields([entry("example.com/v1", size)]), MERGE],
      ["E3 owners of a widget reset", "PATCH", `${widgets}/own`, withManagedFields([{}]), MERGE],
      [
        "E3 B1 owners through status are not for clients",
        "PATCH",
        `${widgets}/own/status`,
        { ...withManagedFields([entry("example.com/v1", size)]), status: { phase: "A" } },
        MERGE,
      ],
      [
        "E3 B1 owners of a deployment through status",
        "PATCH",
        status,
        { ...withManagedFields([entry("apps/v1", { "f:spec": {} })]), status: { replicas: 3 } },
        MERGE,
      ],
      ["E3 B1 owners of a deployment reset through status", "PATCH", status, { ...withManagedFields([]), status: { replicas: 4 } }, MERGE],
      [
        "E3 B1 status of a deployment, applied with a spec",
        "PATCH",
        `${status}?fieldManager=st`,
        {
          apiVersion: "apps/v1",
          kind: "Deployment",
          metadata: { name: "e1", labels: { x: "y" } },
          spec: { replicas: 9 },
          status: { replicas: 4, readyReplicas: 2 },
        },
        APPLY,
      ],
      ["E3 F7 an autoscaler of v1", "PATCH", `${autoscalers("v1")}/h?fieldManager=one`, autoscaler("v1"), APPLY],
      ["E3 F7 the same of v2", "PATCH", `${autoscalers("v2")}/h?fieldManager=two`, autoscaler("v2"), APPLY],
      [
        "E3 F7 its status in v2",
        "PATCH",
        `${autoscalers("v2")}/h/status?fieldManager=st`,
        autoscaler("v2", { status: { desiredReplicas: 2, currentMetrics: null } }),
        APPLY,
      ],
      ["E3 the widget by two", "PATCH", `${widgets}/two?fieldManager=a`, widget("two", { spec: { size: 1, color: "blue" } }), APPLY],
      ["E3 the same value is owned by both", "PATCH", `${widgets}/two?fieldManager=b`, widget("two", { spec: { size: 1 } }), APPLY],
      ["E3 one manager gives up the field", "PATCH", `${widgets}/two?fieldManager=a`, widget("two", { spec: { color: "blue" } }), APPLY],
      ["E3 the other manager gives up the field", "PATCH", `${widgets}/two?fieldManager=b`, widget("two"), APPLY],
      [
        "E3 several conflicts",
        "PATCH",
        `${widgets}/two?fieldManager=c`,
        widget("two", { metadata: { labels: { a: "b" } }, spec: { color: "green" } }),
        APPLY,
      ],
      ["E3 a manager's name that is too long", "PATCH", `${widgets}/two?fieldManager=${"x".repeat(129)}`, widget("two"), APPLY],
      ["E3 a manager's name that cannot be printed", "PATCH", `${widgets}/two?fieldManager=a%01b`, widget("two"), APPLY],
      ["E3 force that is no word", "PATCH", `${widgets}/two?fieldManager=c&force=perhaps`, widget("two"), APPLY],
    ),
    [
      "E3 F7 against owners in two versions",
      async (target) => {
        const spec = { ...autoscaler("v2").spec, maxReplicas: 5 };
        const { status, body } = await target.send("PATCH", `${autoscalers("v2")}/h?fieldManager=three`, autoscaler("v2", { spec }), APPLY);
        // The order of the entries is not deterministic.
        return [status, body.reason, body.details.causes.map((cause: any) => JSON.stringify(cause)).sort()];
      },
    ],
  ];
}
