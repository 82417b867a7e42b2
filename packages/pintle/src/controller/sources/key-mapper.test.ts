import { describe, expect, test } from "vitest";
import { Deployment } from "../../kinds/generated/apps/v1.ts";
import { Namespace, Node, Pod } from "../../kinds/generated/core/v1.ts";
import type { KindInfo } from "../../kinds/index.ts";
import { createControllerOwnerMapper, createKeyMapper } from "./key-mapper.ts";

const view = { byOwner: () => [], addIndex() {}, byIndex: () => [], get: () => undefined, isSynced: true } as never;
const sourceContext = (primary: KindInfo, watched: KindInfo) => ({
  name: "x",
  primary: { kind: primary, view },
  watched: { kind: watched, view },
});
const owner = (apiVersion: string, kind: string, name: string, controller = true) => ({ apiVersion, kind, name, uid: name, controller });
const pod = (more: object, namespace: string | undefined = "d") =>
  ({ apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace, ...more } }) as never;

describe("RT-20 keys of an object", () => {
  test("RT-20 the key of a namespaced owner has the object's namespace, that of a cluster-scoped owner none", () => {
    const owned = { ownerReferences: [owner("apps/v1", "Deployment", "web"), owner("v1", "Node", "n1")] };
    expect(createControllerOwnerMapper(sourceContext(Deployment, Pod)).mapToKeys(pod(owned))).toEqual(["d/web"]);
    expect(createControllerOwnerMapper(sourceContext(Node, Pod)).mapToKeys(pod(owned))).toEqual(["n1"]);
    expect(createControllerOwnerMapper(sourceContext(Node, Namespace)).mapToKeys(pod(owned, undefined))).toEqual(["n1"]);
  });

  test("RT-20 an owner reference matches by group and kind, in any version", () => {
    const keysFor = (apiVersion: string, kind: string) =>
      createControllerOwnerMapper(sourceContext(Deployment, Pod)).mapToKeys(pod({ ownerReferences: [owner(apiVersion, kind, "web")] }));
    expect(keysFor("apps/v1", "Deployment")).toEqual(["d/web"]);
    expect(keysFor("apps/v1beta2", "Deployment")).toEqual(["d/web"]);
    expect(keysFor("apps.example.com/v1", "Deployment")).toEqual([]);
    expect(keysFor("v1", "Deployment")).toEqual([]);
    expect(keysFor("apps/v1", "ReplicaSet")).toEqual([]);
  });

  test("RT-20 `owns` maps to the controlling owner, `by: owner` to every owner", () => {
    const owned = { ownerReferences: [owner("apps/v1", "Deployment", "boss"), owner("apps/v1", "Deployment", "friend", false)] };
    expect(createControllerOwnerMapper(sourceContext(Deployment, Pod)).mapToKeys(pod(owned))).toEqual(["d/boss"]);
    expect(createKeyMapper("owner", sourceContext(Deployment, Pod)).mapToKeys(pod(owned))).toEqual(["d/boss", "d/friend"]);
  });

  test("RT-20 labels, annotations and functions map to objects in the same or another namespace", () => {
    const by = createKeyMapper({ label: "for" }, sourceContext(Deployment, Pod));
    expect([by.mapToKeys(pod({ labels: { for: "web" } })), by.mapToKeys(pod({ labels: { for: "" } })), by.mapToKeys(pod({}))]).toEqual([
      ["d/web"],
      [],
      [],
    ]);
    const noted = createKeyMapper({ annotation: "for" }, sourceContext(Deployment, Pod));
    expect(noted.mapToKeys(pod({ annotations: { for: "other/web" } }))).toEqual(["other/web"]);
    const mapped = createKeyMapper(() => [{ name: "a" }, { name: "b", namespace: "e" }], sourceContext(Deployment, Pod));
    expect(mapped.mapToKeys(pod({}))).toEqual(["d/a", "e/b"]);
    expect(createKeyMapper(() => [{ name: "n", namespace: "ignored" }], sourceContext(Node, Pod)).mapToKeys(pod({}))).toEqual(["n"]);
  });

  test("RT-19 a map function cannot change its argument", () => {
    const mapped = createKeyMapper(
      (seen: any) => {
        seen.metadata.labels.for = "me";
        return [];
      },
      sourceContext(Deployment, Pod),
    );
    expect(() => mapped.mapToKeys(pod({ labels: { for: "web" } }))).toThrow(TypeError);
  });
});
