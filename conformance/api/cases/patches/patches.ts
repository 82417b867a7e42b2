import { APPLY, type ApiCase, type CaseContext, JSON_PATCH, MERGE, requestCases, STRATEGIC, widget } from "../../case.ts";

/** Patches of every type, and server-side apply. */
export function patches({ widgets, configMaps }: CaseContext): readonly ApiCase[] {
  const at = `${widgets}/p`;
  const map = `${configMaps}/p`;
  const applyPath = (name: string, query = "fieldManager=m") => `${widgets}/${name}?${query}`;
  const yaml = (spec: string) => `apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: yaml\nspec:\n${spec}`;
  return [
    ...requestCases(
      ["A15 a widget", "POST", widgets, widget("p", { spec: { size: 1 } })],
      ["A15 a config map", "POST", configMaps, { metadata: { name: "p" }, data: { k: "v" } }],
      ["A15 merge", "PATCH", at, { spec: { color: "blue" } }, MERGE],
      ["A11 merge with a stale resourceVersion", "PATCH", at, { metadata: { resourceVersion: "1" }, spec: { color: "green" } }, MERGE],
      ["A9 merge another name", "PATCH", at, { metadata: { name: "zz" } }, MERGE],
      ["E5 merge an unknown field", "PATCH", at, { spec: { foo: "green" } }, MERGE],
      ["E5 merge an unknown field, strict", "PATCH", `${at}?fieldValidation=Strict`, { spec: { foo: "green" } }, MERGE],
      ["F3 merge a value of the wrong type", "PATCH", at, { spec: { size: "green" } }, MERGE],
      ["E1 merge broken JSON", "PATCH", at, "{x", MERGE],
      ["E1 merge a list", "PATCH", at, "[]", MERGE],
      ["E1 merge nothing", "PATCH", map, "", MERGE],
      ["E1 merge null", "PATCH", map, "null", MERGE],
      ["A1 merge into what is missing", "PATCH", `${widgets}/nope`, { spec: {} }, MERGE],
      ["A3 merge into a collection", "PATCH", configMaps, {}, MERGE],
      ["A3 merge into a collection of custom resources", "PATCH", widgets, {}, MERGE],
      ["E1 JSON patch", "PATCH", at, [{ op: "add", path: "/spec/size", value: 5 }], JSON_PATCH],
      ["E1 JSON patch whose test fails", "PATCH", at, [{ op: "test", path: "/spec/size", value: 6 }], JSON_PATCH],
      ["E1 JSON patch of a missing field", "PATCH", at, [{ op: "replace", path: "/nope/size", value: 6 }], JSON_PATCH],
      ["E1 JSON patch that is no list", "PATCH", at, { a: 1 }, JSON_PATCH],
      ["E1 JSON patch that is null", "PATCH", map, "null", JSON_PATCH],
      ["E1 JSON patch of an unknown operation", "PATCH", map, [{ op: "frob", path: "/data" }], JSON_PATCH],
      ["E1 JSON patch to a number", "PATCH", map, [{ op: "replace", path: "", value: 5 }], JSON_PATCH],
      ["E1 JSON patch without metadata", "PATCH", map, [{ op: "remove", path: "/metadata" }], JSON_PATCH],
      [
        "E5 JSON patch with a field twice, strict",
        "PATCH",
        `${map}?fieldValidation=Strict`,
        '[{"op":"add","op":"add","path":"/data","value":{}}]',
        JSON_PATCH,
      ],
      [
        "E5 JSON patch with an unknown field, strict",
        "PATCH",
        `${map}?fieldValidation=Strict`,
        '[{"op":"add","foo":1,"path":"/data","value":{}}]',
        JSON_PATCH,
      ],
      ["E2 strategic merge", "PATCH", map, { data: { z: "1" } }, STRATEGIC],
      ["E1 strategic merge of a custom resource", "PATCH", at, { spec: {} }, STRATEGIC],
      ["E2 strategic merge of null", "PATCH", map, "null", STRATEGIC],
      ["E2 strategic merge of a list", "PATCH", map, "[]", STRATEGIC],
      ["E5 strategic merge of an unknown field", "PATCH", map, { foo: 1 }, STRATEGIC],
      ["E1 a patch of no known type", "PATCH", at, {}, { "content-type": "application/json" }],
      ["E1 a patch of a built-in object of no known type", "PATCH", map, {}, { "content-type": "application/json" }],
      ["E3 force without apply", "PATCH", `${at}?force=true`, {}, MERGE],
      ["E3 apply creates", "PATCH", applyPath("ap"), widget("ap", { spec: { size: 1 } }), APPLY],
      ["E3 apply without a manager", "PATCH", `${widgets}/ap`, widget("ap"), APPLY],
      ["E3 apply against an owner", "PATCH", applyPath("ap", "fieldManager=n"), widget("ap", { spec: { size: 2 } }), APPLY],
      [
        "E3 apply by force",
        "PATCH",
        applyPath("ap", "fieldManager=n&force=true"),
        widget("ap", { spec: { size: 2, color: "red" } }),
        APPLY,
      ],
      ["E3 apply managedFields", "PATCH", applyPath("ap"), widget("ap", { metadata: { managedFields: [] } }), APPLY],
      ["E5 apply an unknown field", "PATCH", applyPath("ap"), widget("ap", { spec: { nope: 1 } }), APPLY],
      ["E3 apply another version", "PATCH", applyPath("ap"), { ...widget("ap"), apiVersion: "example.com/v2" }, APPLY],
      ["E3 apply another kind", "PATCH", applyPath("ap"), { ...widget("ap"), kind: "Foo" }, APPLY],
      ["E3 apply another name", "PATCH", applyPath("ap"), widget("zz"), APPLY],
      ["E3 apply without a name", "PATCH", applyPath("ap"), widget(""), APPLY],
      ["E3 apply without apiVersion", "PATCH", applyPath("ap"), { kind: "Widget", metadata: { name: "ap" } }, APPLY],
      ["E3 apply with a stale resourceVersion", "PATCH", applyPath("ap"), widget("ap", { metadata: { resourceVersion: "1" } }), APPLY],
      [
        "E3 apply what is missing, with a resourceVersion",
        "PATCH",
        applyPath("rv"),
        widget("rv", { metadata: { resourceVersion: "5" } }),
        APPLY,
      ],
      ["E3 apply what is missing, with a uid", "PATCH", applyPath("uid"), widget("uid", { metadata: { uid: "xx" } }), APPLY],
      ["E3 apply status", "PATCH", `${widgets}/ap/status?fieldManager=st`, widget("ap", { status: { phase: "A" } }), APPLY],
      [
        "E3 apply status of what is missing",
        "PATCH",
        `${widgets}/none/status?fieldManager=st`,
        widget("none", { status: { phase: "A" } }),
        APPLY,
      ],
      ["E3 apply an invalid value", "PATCH", applyPath("ap", "fieldManager=n"), widget("ap", { spec: { size: -2 } }), APPLY],
      ["E3 apply YAML", "PATCH", applyPath("yaml"), yaml("  size: 3\n"), APPLY],
      ["E5 apply YAML with a key twice", "PATCH", applyPath("yaml"), yaml("  size: 3\n  size: 3\n"), APPLY],
      [
        "E5 apply YAML with a key twice, strict",
        "PATCH",
        applyPath("yaml", "fieldManager=m&fieldValidation=Strict"),
        yaml("  size: 3\n  size: 3\n"),
        APPLY,
      ],
      ["E3 apply a list", "PATCH", applyPath("ap"), "[]", APPLY],
      ["E3 apply a string", "PATCH", applyPath("ap"), "foo", APPLY],
      ["E3 apply nothing", "PATCH", applyPath("ap"), "", APPLY],
      [
        "E4 apply a config map in a dry run",
        "PATCH",
        `${configMaps}/dry?fieldManager=m&dryRun=All`,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "dry" } },
        APPLY,
      ],
    ),
    [
      "A12 apply the same again",
      async (target) => {
        const config = widget("again", { spec: { size: 1 } });
        const first = await target.send("PATCH", applyPath("again"), config, APPLY);
        const second = await target.send("PATCH", applyPath("again"), config, APPLY);
        return [first.status, second.status, first.body.metadata.resourceVersion === second.body.metadata.resourceVersion];
      },
    ],
  ];
}
