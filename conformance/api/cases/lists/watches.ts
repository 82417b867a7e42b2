import { type ApiCase, type CaseContext, MERGE, PARTIAL, requestCases, TABLE, widget } from "../../case.ts";
import type { Target } from "../../target.ts";

/** Watch events of the same writes. */
export function watches({ widgets, configMaps, namespace }: CaseContext): readonly ApiCase[] {
  const create = (target: Target, name: string, labels = {}) => target.send("POST", configMaps, { metadata: { name, labels } });
  const patch = (target: Target, name: string, body: unknown) => target.send("PATCH", `${configMaps}/${name}`, body, MERGE);
  const remove = (target: Target, name: string) => target.send("DELETE", `${configMaps}/${name}`);
  const watchByName = (name: string) => `${configMaps}?watch=1&fieldSelector=metadata.name%3D${name}`;
  return [
    [
      "D3 from any version on",
      async (target) => {
        await create(target, "w0");
        const watch = await target.watch(`${watchByName("w0")}&resourceVersion=0`);
        const first = await watch.events(1);
        await patch(target, "w0", { data: { k: "v" } });
        await patch(target, "w0", { data: { k: "v" } });
        await remove(target, "w0");
        const rest = await watch.events(2);
        watch.stop();
        return [watch.status, first, rest];
      },
    ],
    [
      "D4 through a selector",
      async (target) => {
        await create(target, "w1", { watched: "1" });
        const watch = await target.watch(`${configMaps}?watch=1&labelSelector=watched%3D1`);
        const first = await watch.events(1);
        await patch(target, "w1", { metadata: { labels: { watched: "2" } } });
        await patch(target, "w1", { data: { x: "unseen" } });
        await patch(target, "w1", { metadata: { labels: { watched: "1" } } });
        await remove(target, "w1");
        const rest = await watch.events(3);
        watch.stop();
        return [first, rest];
      },
    ],
    [
      "D3 from a version on",
      async (target) => {
        const { body } = await target.send("GET", configMaps);
        await create(target, "w2");
        const watch = await target.watch(`${configMaps}?watch=1&resourceVersion=${body.metadata.resourceVersion}`);
        const events = await watch.events(1);
        watch.stop();
        return events;
      },
    ],
    [
      "D6 the state first, and its end",
      async (target) => {
        const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=nothing";
        const watch = await target.watch(`${widgets}?${query}`);
        const events = await watch.events(1);
        watch.stop();
        return events;
      },
    ],
    [
      "D3 until its time is over",
      async (target) => (await target.watch(`${configMaps}?watch=1&timeoutSeconds=1&labelSelector=nothing`)).events(1),
    ],
    [
      "W5 as tables",
      async (target) => {
        const watch = await target.watch(watchByName("wt"), TABLE);
        await create(target, "wt");
        await patch(target, "wt", { data: { a: "b" } });
        await remove(target, "wt");
        const events = (await watch.events(3)) as readonly { type: string; object: any }[];
        watch.stop();
        return events.map(({ type, object }) => [
          type,
          object.kind,
          object.columnDefinitions?.map((column: any) => column.name),
          object.rows[0].cells,
        ]);
      },
    ],
    [
      "W7 as metadata",
      async (target) => {
        const watch = await target.watch(watchByName("wp"), PARTIAL);
        await create(target, "wp");
        const events = await watch.events(1);
        watch.stop();
        return events;
      },
    ],
    [
      "D3 by the old path",
      async (target) => {
        const watch = await target.watch(`/api/v1/watch/namespaces/${namespace}/configmaps/w2`);
        const events = await watch.events(1);
        watch.stop();
        return events;
      },
    ],
    [
      "C1 the last finalizer going",
      async (target) => {
        await target.send("POST", widgets, widget("held", { metadata: { finalizers: ["example.com/x"] } }));
        const watch = await target.watch(`${widgets}?watch=1&fieldSelector=metadata.name%3Dheld`);
        await watch.events(1);
        await target.send("DELETE", `${widgets}/held`);
        await target.send("PATCH", `${widgets}/held`, { metadata: { finalizers: null } }, MERGE);
        const events = await watch.events(2);
        watch.stop();
        return events;
      },
    ],
    ...requestCases(
      ["D6 the state first, without a match", "GET", `${widgets}?watch=true&sendInitialEvents=true`],
      ["D6 a match without the state", "GET", `${widgets}?watch=true&resourceVersionMatch=NotOlderThan`],
      ["D3 a resourceVersion that is none", "GET", `${widgets}?watch=true&resourceVersion=abc`],
      ["D7 an unknown field", "GET", `${widgets}?watch=true&fieldSelector=a.b%3Dc`],
    ),
  ];
}
