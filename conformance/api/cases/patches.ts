import { APPLY, type Ground, JSON_PATCH, MERGE, requests, STRATEGIC, type Step, widget } from "../step.ts";

/** Patches of every type, and server-side apply. */
export function patches({ widgets, configMaps }: Ground): readonly Step[] {
  const at = `${widgets}/p`;
  const map = `${configMaps}/p`;
  const applied = (name: string, query = "fieldManager=m") => `${widgets}/${name}?${query}`;
  const yaml = (spec: string) => `apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: yaml\nspec:\n${spec}`;
  return [
    ...requests(
      ["a widget", "POST", widgets, widget("p", { spec: { size: 1 } })],
      ["a config map", "POST", configMaps, { metadata: { name: "p" }, data: { k: "v" } }],
      ["merge", "PATCH", at, { spec: { color: "blue" } }, MERGE],
      ["merge with a stale resourceVersion", "PATCH", at, { metadata: { resourceVersion: "1" }, spec: { color: "green" } }, MERGE],
      ["merge another name", "PATCH", at, { metadata: { name: "zz" } }, MERGE],
      ["merge an unknown field", "PATCH", at, { spec: { foo: "green" } }, MERGE],
      ["merge an unknown field, strict", "PATCH", `${at}?fieldValidation=Strict`, { spec: { foo: "green" } }, MERGE],
      ["merge a value of the wrong type", "PATCH", at, { spec: { size: "green" } }, MERGE],
      ["merge broken JSON", "PATCH", at, "{x", MERGE],
      ["merge a list", "PATCH", at, "[]", MERGE],
      ["merge nothing", "PATCH", map, "", MERGE],
      ["merge null", "PATCH", map, "null", MERGE],
      ["merge into what is missing", "PATCH", `${widgets}/nope`, { spec: {} }, MERGE],
      ["merge into a collection", "PATCH", configMaps, {}, MERGE],
      ["merge into a collection of custom resources", "PATCH", widgets, {}, MERGE],
      ["JSON patch", "PATCH", at, [{ op: "add", path: "/spec/size", value: 5 }], JSON_PATCH],
      ["JSON patch whose test fails", "PATCH", at, [{ op: "test", path: "/spec/size", value: 6 }], JSON_PATCH],
      ["JSON patch of a missing field", "PATCH", at, [{ op: "replace", path: "/nope/size", value: 6 }], JSON_PATCH],
      ["JSON patch that is no list", "PATCH", at, { a: 1 }, JSON_PATCH],
      ["JSON patch that is null", "PATCH", map, "null", JSON_PATCH],
      ["JSON patch of an unknown operation", "PATCH", map, [{ op: "frob", path: "/data" }], JSON_PATCH],
      ["JSON patch to a number", "PATCH", map, [{ op: "replace", path: "", value: 5 }], JSON_PATCH],
      ["JSON patch without metadata", "PATCH", map, [{ op: "remove", path: "/metadata" }], JSON_PATCH],
      [
        "JSON patch with a field twice, strict",
        "PATCH",
        `${map}?fieldValidation=Strict`,
        '[{"op":"add","op":"add","path":"/data","value":{}}]',
        JSON_PATCH,
      ],
      [
        "JSON patch with an unknown field, strict",
        "PATCH",
        `${map}?fieldValidation=Strict`,
        '[{"op":"add","foo":1,"path":"/data","value":{}}]',
        JSON_PATCH,
      ],
      ["strategic merge", "PATCH", map, { data: { z: "1" } }, STRATEGIC],
      ["strategic merge of a custom resource", "PATCH", at, { spec: {} }, STRATEGIC],
      ["strategic merge of null", "PATCH", map, "null", STRATEGIC],
      ["strategic merge of a list", "PATCH", map, "[]", STRATEGIC],
      ["strategic merge of an unknown field", "PATCH", map, { foo: 1 }, STRATEGIC],
      ["a patch of no known type", "PATCH", at, {}, { "content-type": "application/json" }],
      ["a patch of a built-in object of no known type", "PATCH", map, {}, { "content-type": "application/json" }],
      ["force without apply", "PATCH", `${at}?force=true`, {}, MERGE],
      ["apply creates", "PATCH", applied("ap"), widget("ap", { spec: { size: 1 } }), APPLY],
      ["apply without a manager", "PATCH", `${widgets}/ap`, widget("ap"), APPLY],
      ["apply against an owner", "PATCH", applied("ap", "fieldManager=n"), widget("ap", { spec: { size: 2 } }), APPLY],
      ["apply by force", "PATCH", applied("ap", "fieldManager=n&force=true"), widget("ap", { spec: { size: 2, color: "red" } }), APPLY],
      ["apply managedFields", "PATCH", applied("ap"), widget("ap", { metadata: { managedFields: [] } }), APPLY],
      ["apply an unknown field", "PATCH", applied("ap"), widget("ap", { spec: { nope: 1 } }), APPLY],
      ["apply another version", "PATCH", applied("ap"), { ...widget("ap"), apiVersion: "example.com/v2" }, APPLY],
      ["apply another kind", "PATCH", applied("ap"), { ...widget("ap"), kind: "Foo" }, APPLY],
      ["apply another name", "PATCH", applied("ap"), widget("zz"), APPLY],
      ["apply without a name", "PATCH", applied("ap"), widget(""), APPLY],
      ["apply without apiVersion", "PATCH", applied("ap"), { kind: "Widget", metadata: { name: "ap" } }, APPLY],
      ["apply with a stale resourceVersion", "PATCH", applied("ap"), widget("ap", { metadata: { resourceVersion: "1" } }), APPLY],
      [
        "apply what is missing, with a resourceVersion",
        "PATCH",
        applied("rv"),
        widget("rv", { metadata: { resourceVersion: "5" } }),
        APPLY,
      ],
      ["apply what is missing, with a uid", "PATCH", applied("uid"), widget("uid", { metadata: { uid: "xx" } }), APPLY],
      ["apply status", "PATCH", `${widgets}/ap/status?fieldManager=st`, widget("ap", { status: { phase: "A" } }), APPLY],
      [
        "apply status of what is missing",
        "PATCH",
        `${widgets}/none/status?fieldManager=st`,
        widget("none", { status: { phase: "A" } }),
        APPLY,
      ],
      ["apply an invalid value", "PATCH", applied("ap", "fieldManager=n"), widget("ap", { spec: { size: -2 } }), APPLY],
      ["apply YAML", "PATCH", applied("yaml"), yaml("  size: 3\n"), APPLY],
      ["apply YAML with a key twice", "PATCH", applied("yaml"), yaml("  size: 3\n  size: 3\n"), APPLY],
      [
        "apply YAML with a key twice, strict",
        "PATCH",
        applied("yaml", "fieldManager=m&fieldValidation=Strict"),
        yaml("  size: 3\n  size: 3\n"),
        APPLY,
      ],
      ["apply a list", "PATCH", applied("ap"), "[]", APPLY],
      ["apply a string", "PATCH", applied("ap"), "foo", APPLY],
      ["apply nothing", "PATCH", applied("ap"), "", APPLY],
      [
        "apply a config map in a dry run",
        "PATCH",
        `${configMaps}/dry?fieldManager=m&dryRun=All`,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "dry" } },
        APPLY,
      ],
    ),
    [
      "apply the same again",
      async (target) => {
        const config = widget("again", { spec: { size: 1 } });
        const first = await target.send("PATCH", applied("again"), config, APPLY);
        const second = await target.send("PATCH", applied("again"), config, APPLY);
        return [first.status, second.status, first.body.metadata.resourceVersion === second.body.metadata.resourceVersion];
      },
    ],
  ];
}
