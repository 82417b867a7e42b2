import { APPLY, type ApiCase, type CaseContext, JSON_PATCH, MERGE, requestCases, STRATEGIC } from "../../case.ts";

const YAML = { "content-type": "application/yaml" };
const PROTOBUF = { "content-type": "application/vnd.kubernetes.protobuf" };

/** Request bodies in every media type; unknown and duplicate fields. */
export function bodies({ widgets, configMaps }: CaseContext): readonly ApiCase[] {
  const map = `${configMaps}/yam`;
  const thing = `${widgets}/yam`;
  const strict = "fieldValidation=Strict";
  const ignore = "fieldValidation=Ignore";
  const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "yam" }, foo: 1 };
  const yaml = (name: string, spec: string) => `apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: ${name}\nspec:\n${spec}`;
  const json = (name: string) =>
    `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"${name}","labels":{"a":"b","a":"c"}},"spec":{"size":1,"size":2,"x":1}}`;
  const bodyOfSize = (name: string, size: string) =>
    `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"${name}"},"spec":{"size":${size}}}`;
  const mixed = '{"u":{"a":1,"a":2},"2":1,"1":1,"metadata":{"name":"m","zz":1,"name":"m"},"data":{"a":"b","a":"c"},"u":2,"data":{}}';
  const mixedYaml = "u: 1\nmetadata:\n  name: m\n  zz: 1\n  name: m\ndata:\n  a: b\n  a: c\nb: 1\n";
  const unknown = Array.from({ length: 120 }, (_, index) => `"u${index}":1`).join();
  return [
    ...requestCases(
      ["W4 YAML", "POST", configMaps, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yam\ndata:\n  a: b\n", YAML],
      ["W4 YAML of a custom resource", "POST", widgets, yaml("yam", "  size: 1\n  foo: 2\n"), YAML],
      ["W4 YAML with a value of the wrong type", "POST", configMaps, "metadata:\n  name: yam2\ndata:\n  a: 1\n", YAML],
      ["W4 YAML that is broken", "POST", configMaps, "apiVersion: v1\n kind: x\n  a: [", YAML],
      ["W4 YAML with a list", "POST", configMaps, "- a\n", YAML],
      ["W4 YAML with nothing", "POST", configMaps, "", YAML],
      ["W4 YAML with two documents", "POST", configMaps, "metadata:\n  name: yam6\n---\nmetadata:\n  name: yam7\n", YAML],
      ["W4 YAML to replace", "PUT", map, "metadata:\n  name: yam\ndata:\n  a: c\n", YAML],
      ["W4 YAML to delete with", "DELETE", `${configMaps}/yam6`, "propagationPolicy: Background\n", YAML],
      ["W4 an answer in YAML", "GET", map, undefined, { accept: "application/yaml" }],
      ["W4 a failure in YAML", "GET", `${configMaps}/nope`, undefined, { accept: "application/yaml" }],
      ["W4 a type of body that is none", "POST", configMaps, "x", { "content-type": "text/plain" }],
      ["W4 a type of body that is none, for a custom resource", "POST", widgets, "x", { "content-type": "text/plain" }],
      [
        "W4 a type of body with a parameter",
        "POST",
        configMaps,
        { metadata: { name: "ct" } },
        { "content-type": "application/json; charset=utf-8" },
      ],
      ["W4 protobuf", "POST", configMaps, protobufMap("pb"), PROTOBUF],
      ["W4 protobuf without a kind", "POST", `${configMaps}?fieldManager=pb`, protobufMap("pb2", false), PROTOBUF],
      ["W4 protobuf that is none", "POST", configMaps, "junk", PROTOBUF],
      ["W4 protobuf with nothing in it", "POST", configMaps, "k8s\0", PROTOBUF],
      ["W4 protobuf to replace", "PUT", `${configMaps}/pb`, protobufMap("pb"), PROTOBUF],
      ["W4 JSON with more behind", "POST", configMaps, '{"metadata":{"name":"tr"}} x'],
      ["W4 JSON that goes too deep", "POST", configMaps, `{"metadata":${"[".repeat(11000)}`],
      ["W4 the largest integer", "POST", widgets, bodyOfSize("big", "9223372036854775807")],
      ["W4 an integer that is larger", "POST", widgets, bodyOfSize("bigger", "9223372036854775808")],
      ["W4 an integer with a fraction of nothing", "POST", widgets, bodyOfSize("fraction", "1.0")],
      ["W4 an integer with an exponent", "POST", widgets, bodyOfSize("exponent", "1e2")],
      ["E5 YAML with a key twice", "POST", configMaps, "metadata:\n  name: yam3\ndata:\n  a: b\n  a: c\n", YAML],
      ["E5 YAML with a key twice, strict", "POST", `${configMaps}?${strict}`, "metadata:\n  name: yam4\ndata:\n  a: b\n  a: c\n", YAML],
      ["E5 YAML with a key twice, ignored", "POST", `${configMaps}?${ignore}`, "metadata:\n  name: yam4\ndata:\n  a: b\n  a: c\n", YAML],
      ["E5 YAML with an unknown field", "POST", configMaps, "metadata:\n  name: yam5\nfoo: 1\n", YAML],
      ["E5 YAML with an unknown field, strict", "POST", `${configMaps}?${strict}`, "metadata:\n  name: yam8\nfoo: 1\n", YAML],
      ["E5 a custom resource with a key twice", "POST", widgets, yaml("yam2", "  size: 1\n  size: 2\n  foo: 1\n"), YAML],
      [
        "E5 a custom resource with a key twice, strict",
        "POST",
        `${widgets}?${strict}`,
        yaml("yam1", "  size: 1\n  size: 2\n  foo: 1\n"),
        YAML,
      ],
      ["E5 JSON with a field twice", "POST", configMaps, '{"metadata":{"name":"j1"},"data":{"a":"b","a":"c"}}'],
      [
        "E5 JSON with fields twice, strict",
        "POST",
        `${configMaps}?${strict}`,
        '{"metadata":{"name":"j2"},"data":{"a":"b","a":"c"},"data":{}}',
      ],
      ["E5 unknown fields and fields twice in turns, strict", "POST", `${configMaps}?${strict}`, mixed],
      [
        "E5 unknown fields and fields twice in turns, ignored",
        "POST",
        `${configMaps}?${ignore}&dryRun=All`,
        mixed.replace(',"data":{}', ""),
      ],
      [
        "E5 unknown fields and fields twice in turns",
        "PUT",
        `${map}?dryRun=All`,
        mixed.replaceAll('"m"', '"yam"').replace(',"data":{}', ""),
      ],
      ["E5 unknown fields and fields twice in turns in YAML, strict", "POST", `${configMaps}?${strict}`, mixedYaml, YAML],
      ["E5 more unknown fields than are reported, strict", "POST", `${configMaps}?${strict}`, `{"metadata":{"name":"m"},${unknown}}`],
      ["E5 more unknown fields of a patch than are reported, strict", "PATCH", `${map}?${strict}`, `{${unknown}}`, MERGE],
      ["E5 more unknown fields of a strategic patch than are reported, strict", "PATCH", `${map}?${strict}`, `{${unknown}}`, STRATEGIC],
      ["E5 a custom resource with fields twice", "POST", widgets, json("j4")],
      ["E5 a custom resource with fields twice, strict", "POST", `${widgets}?${strict}`, json("j2")],
      ["E5 a custom resource with fields twice, ignored", "POST", `${widgets}?${ignore}`, json("j3")],
      ["E5 fields in other letters", "POST", `${configMaps}?${strict}`, { metadata: { Name: "x" }, Data: {} }],
      ["E5 a bad fieldValidation of a replacement", "PUT", `${map}?fieldValidation=Foo`, { metadata: { name: "yam" } }],
      ["E5 a bad fieldValidation of a patch", "PATCH", `${map}?fieldValidation=Foo`, {}, MERGE],
      ["E5 a patch with unknown fields, strict", "PATCH", `${map}?${strict}`, { foo: 1, metadata: { foo: 2 } }, MERGE],
      ["E5 a patch with an unknown field, ignored", "PATCH", `${map}?${ignore}`, { foo: 1 }, MERGE],
      ["E5 a patch with an unknown field", "PATCH", map, { foo: 1 }, MERGE],
      ["E5 a patch with a field twice", "PATCH", map, '{"data":{"a":"b","a":"c"}}', MERGE],
      ["E5 a patch with a field twice, strict", "PATCH", `${map}?${strict}`, '{"data":{"a":"b","a":"c"}}', MERGE],
      ["E5 a patch of a custom resource with a field twice, strict", "PATCH", `${thing}?${strict}`, '{"spec":{"size":1,"size":4}}', MERGE],
      ["E5 a strategic patch with a field twice, strict", "PATCH", `${map}?${strict}`, '{"data":{"a":"b","a":"c"},"foo":1}', STRATEGIC],
      ["E5 a JSON patch that adds an unknown field", "PATCH", map, [{ op: "add", path: "/foo", value: 1 }], JSON_PATCH],
      [
        "E5 a JSON patch that adds an unknown field, strict",
        "PATCH",
        `${map}?${strict}`,
        [{ op: "add", path: "/foo", value: 1 }],
        JSON_PATCH,
      ],
      ["E5 an unknown field, applied", "PATCH", `${map}?fieldManager=m`, config, APPLY],
      ["E5 an unknown field, applied strictly", "PATCH", `${map}?fieldManager=m&${strict}`, config, APPLY],
      ["E5 an unknown field, applied and ignored", "PATCH", `${map}?fieldManager=m&${ignore}`, config, APPLY],
    ),
  ];
}

/** A ConfigMap in protobuf as Go clients encode it: magic bytes, an envelope with the kind, the message. */
function protobufMap(name: string, kind = true): Uint8Array {
  const field = (number: number, bytes: Uint8Array | string) => {
    const content = Buffer.from(bytes as Uint8Array);
    return Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
  };
  const type = kind ? [field(1, Buffer.concat([field(1, "v1"), field(2, "ConfigMap")]))] : [];
  const data = field(2, Buffer.concat([field(1, "a"), field(2, "b")]));
  const raw = Buffer.concat([field(1, field(1, name)), data]);
  return Buffer.concat([Buffer.from("k8s\0"), ...type, field(2, raw)]);
}
