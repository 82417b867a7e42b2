import * as z from "zod";
import { defineKind, type Kind, type Metadata, metadataOnly, type NamespacedMetadata } from "../kinds/index.ts";
import { allow, type Client, type DynamicObject, type ObjectList, type Permission } from "./index.ts";

interface Box {
  readonly apiVersion: "x.io/v1";
  readonly kind: "Box";
  readonly metadata: NamespacedMetadata;
  readonly spec: { readonly size: number; readonly color?: string | undefined };
  readonly status: { readonly ready: number };
}
interface BoxKind
  extends Kind<"x.io/v1/Box", Box, { readonly metadata: { readonly name: string }; readonly spec: Box["spec"] }, "Namespaced"> {}
const Box = defineKind("x.io/v1/Box", "boxes", "Namespaced") as unknown as BoxKind;
interface Zone {
  readonly apiVersion: "x.io/v1";
  readonly kind: "Zone";
  readonly metadata: Metadata;
}
interface ZoneKind extends Kind<"x.io/v1/Zone", Zone, { readonly metadata: { readonly name: string } }, "Cluster"> {}
const Zone = defineKind("x.io/v1/Zone", "zones", "Cluster") as unknown as ZoneKind;

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function is<A, B>(ok: Equal<A, B>): void;
declare const client: Client;

/** Compiled, never run: what must and must not type-check. */
export async function everyone(): Promise<void> {
  const box = await client.get(Box, { name: "a", namespace: "b" });
  is<typeof box, Box>(true);
  const boxes = await client.list(Box);
  is<typeof boxes, ObjectList<Box>>(true);
  // @ts-expect-error a Box is namespaced
  await client.get(Box, { name: "a" });
  // @ts-expect-error a Zone does not
  await client.get(Zone, { name: "a", namespace: "b" });
  const bare = await client.get(metadataOnly(Box), { name: "a", namespace: "b" });
  is<typeof bare.metadata, NamespacedMetadata>(true);
  // @ts-expect-error only metadata was requested
  bare.spec;

  await client.create(Box, { metadata: { generateName: "a-", namespace: "b" }, spec: { size: 1 } });
  // @ts-expect-error the namespace is missing
  await client.create(Box, { metadata: { name: "a" }, spec: { size: 1 } });
  // @ts-expect-error no such field
  await client.create(Box, { metadata: { name: "a", namespace: "b" }, spec: { size: 1, colour: "red" } });
  // @ts-expect-error metadata-only kinds cannot be written whole
  await client.create(metadataOnly(Box), { metadata: { name: "a", namespace: "b" }, spec: { size: 1 } });
  await client.create(Zone, { metadata: { name: "a" } });
  await client.apply(Box, { metadata: { name: "a", namespace: "b" }, spec: { size: 1, color: undefined } }, { force: true });
  await client.replace(Box, { ...box, spec: { ...box.spec, size: 2 } });
  await client.status.replace(Box, { ...box, status: { ready: 2 } });
  await client.status.apply(Box, { metadata: { name: "a", namespace: "b" }, status: {} });
  await client.patch(Box, { name: "a", namespace: "b" }, { merge: { spec: box.spec } });
  await client.patch(Box, { name: "a", namespace: "b" }, { json: [{ op: "remove", path: "/spec/color" }] });
  // @ts-expect-error which patch is it?
  await client.patch(Box, { name: "a", namespace: "b" }, { merge: {}, json: [] });
  await client.deleteCollection(Box, { namespace: "b", labels: { a: "b" } });
  await client.deleteCollection(Zone, { labels: "a" });
  // @ts-expect-error one namespace at a time
  await client.deleteCollection(Box, { labels: "a" });
  for await (const event of client.watch(Box)) {
    if (event.type === "BOOKMARK") is<typeof event.object.metadata.resourceVersion, string>(true);
    else is<typeof event.object, Box>(true);
  }
  is<Awaited<ReturnType<typeof client.waitFor<BoxKind>>>, Box>(true);
}

export async function dynamic(): Promise<void> {
  const Widget = await client.discoverKind("x.io/v1", "Widget");
  const widget = await client.get(Widget, { name: "perhaps cluster-scoped" });
  is<typeof widget, DynamicObject>(true);
  is<(typeof widget)["spec"], unknown>(true);
  await client.create(Widget, { metadata: { name: "a", namespace: "b" }, spec: { anything: 1 } });
  const Typed = await client.discoverKind("x.io/v1", "Widget", z.object({ spec: z.object({ n: z.int32(), m: z.string().default("x") }) }));
  const typed = await client.get(Typed, { name: "a" });
  is<typeof typed.spec.n, number>(true);
  is<typeof typed.spec.m, string | undefined>(true);
  is<typeof typed.metadata.name, string>(true);
}

const needs = [allow(Box, "get", "status/patch"), allow(Zone, "list", "patch").named("main")] as const;
export async function declared(mine: Client<(typeof needs)[number]>): Promise<void> {
  is<(typeof needs)[0], Permission<"x.io/v1/Box", "get" | "status/patch">>(true);
  const ref = { name: "a", namespace: "b" };
  is<Awaited<ReturnType<typeof mine.get<BoxKind>>>, Box>(true);
  await mine.find(Box, ref);
  await mine.list(Zone);
  await mine.status.patch(Box, ref, { merge: {} });
  // @ts-expect-error Box was declared for get, not delete
  await mine.delete(Box, ref);
  // @ts-expect-error only the status of Box may be patched
  await mine.patch(Box, ref, { merge: {} });
  // @ts-expect-error Zone was not declared for get
  await mine.get(Zone, { name: "a" });
  const everything: Client = client;
  const narrowed: Client<(typeof needs)[number]> = everything;
  await narrowed.get(Box, ref);
}
