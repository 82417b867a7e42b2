import { describe, expect, test } from "vitest";
import { Deployment } from "../kinds/generated/apps/v1.ts";
import { Namespace, Node, Pod } from "../kinds/generated/core/v1.ts";
import type { KindFacts } from "../kinds/index.ts";
import { ownedTrigger, trigger } from "./trigger.ts";

const view = { owned: () => [], index() {}, by: () => [], get: () => undefined, isSynced: true } as never;
const between = (primary: KindFacts, watched: KindFacts) => ({
  name: "x",
  primary: { kind: primary, view },
  watched: { kind: watched, view },
});
const owner = (apiVersion: string, kind: string, name: string, controller = true) => ({ apiVersion, kind, name, uid: name, controller });
const pod = (more: object, namespace: string | undefined = "d") =>
  ({ apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace, ...more } }) as never;

describe("c-r 7.20 whom an object wakes", () => {
  test("c-r 7.20 a namespaced owner is in the object's namespace, a cluster-scoped one in none", () => {
    const owned = { ownerReferences: [owner("apps/v1", "Deployment", "web"), owner("v1", "Node", "n1")] };
    expect(ownedTrigger(between(Deployment, Pod)).wakes(pod(owned))).toEqual(["d/web"]);
    expect(ownedTrigger(between(Node, Pod)).wakes(pod(owned))).toEqual(["n1"]);
    expect(ownedTrigger(between(Node, Namespace)).wakes(pod(owned, undefined))).toEqual(["n1"]);
  });

  test("c-r 7.20 group and kind must match, the version need not", () => {
    const wakes = (apiVersion: string, kind: string) =>
      ownedTrigger(between(Deployment, Pod)).wakes(pod({ ownerReferences: [owner(apiVersion, kind, "web")] }));
    expect(wakes("apps/v1", "Deployment")).toEqual(["d/web"]);
    expect(wakes("apps/v1beta2", "Deployment")).toEqual(["d/web"]);
    expect(wakes("apps.example.com/v1", "Deployment")).toEqual([]);
    expect(wakes("v1", "Deployment")).toEqual([]);
    expect(wakes("apps/v1", "ReplicaSet")).toEqual([]);
  });

  test("c-r 7.20 `owns` follows the controller alone, `by: owner` every owner", () => {
    const owned = { ownerReferences: [owner("apps/v1", "Deployment", "boss"), owner("apps/v1", "Deployment", "friend", false)] };
    expect(ownedTrigger(between(Deployment, Pod)).wakes(pod(owned))).toEqual(["d/boss"]);
    expect(trigger("owner", between(Deployment, Pod)).wakes(pod(owned))).toEqual(["d/boss", "d/friend"]);
  });

  test("c-r 7.20 labels, annotations and functions name owners here or in another namespace", () => {
    const by = trigger({ label: "for" }, between(Deployment, Pod));
    expect([by.wakes(pod({ labels: { for: "web" } })), by.wakes(pod({ labels: { for: "" } })), by.wakes(pod({}))]).toEqual([
      ["d/web"],
      [],
      [],
    ]);
    const noted = trigger({ annotation: "for" }, between(Deployment, Pod));
    expect(noted.wakes(pod({ annotations: { for: "other/web" } }))).toEqual(["other/web"]);
    const mapped = trigger(() => [{ name: "a" }, { name: "b", namespace: "e" }], between(Deployment, Pod));
    expect(mapped.wakes(pod({}))).toEqual(["d/a", "e/b"]);
    expect(trigger(() => [{ name: "n", namespace: "ignored" }], between(Node, Pod)).wakes(pod({}))).toEqual(["n"]);
  });

  test("c-r 7.19 a function that maps cannot change what it is given", () => {
    const mapped = trigger(
      (seen: any) => {
        seen.metadata.labels.for = "me";
        return [];
      },
      between(Deployment, Pod),
    );
    expect(() => mapped.wakes(pod({ labels: { for: "web" } }))).toThrow(TypeError);
  });
});
