import { setTimeout as delay } from "node:timers/promises";
import { APPLY, type ApiCase, type CaseContext, MERGE, requestCases, widget } from "../../case.ts";
import type { Target } from "../../target.ts";

/** Lists and watches at resourceVersions; runs last, because it compacts the history. */
export function revisions({ widgets, configMaps, namespace }: CaseContext): readonly ApiCase[] {
  const names = (body: any) => body.items?.map((item: any) => item.metadata.name) ?? body;
  const version = (body: any) => Number(body.metadata.resourceVersion);
  const watchCase = (title: string, path: string, count: number): ApiCase => [
    title,
    async (target) => {
      const watch = await target.watch(path);
      const events = await watch.events(count);
      watch.stop();
      return [watch.status, events];
    },
  ];
  const map = (name: string) => `${configMaps}/${name}`;
  const seeded = "labelSelector=rev";
  const listCase = (title: string, query: string): ApiCase => [
    title,
    async (target) => {
      const before = (await target.send("GET", `${configMaps}?${seeded}`)).body.metadata.resourceVersion;
      await target.send("POST", configMaps, { metadata: { generateName: "gen-", labels: { rev: "new" } } });
      const { status, body } = await target.send("GET", `${configMaps}?${seeded}&${query.replace("RV", before)}`);
      await target.send("DELETE", `${configMaps}?labelSelector=rev%3Dnew`);
      return [
        status,
        body.items?.length,
        body.metadata.resourceVersion === before,
        body.metadata.continue !== undefined,
        body.metadata.remainingItemCount,
        body.message,
      ];
    },
  ];
  const token = (text: string) => Buffer.from(text).toString("base64url");
  return [
    [
      "A14 every write counts one, a deletion too",
      async (target) => {
        const versions: number[] = [];
        for (let n = 0; n < 6; n++)
          versions.push(
            version((await target.send("POST", configMaps, { metadata: { name: `rev${n}`, labels: { rev: String(n) } } })).body),
          );
        const growing = versions.every((each, index) => index === 0 || each > (versions[index - 1] as number));
        const before = version((await target.send("GET", configMaps)).body);
        await target.send("DELETE", map("rev5"));
        return [growing, version((await target.send("GET", configMaps)).body) > before];
      },
    ],
    [
      "A14 a deletion shows its own revision",
      async (target) => {
        const created = await target.send("POST", configMaps, { metadata: { name: "last" } });
        const watch = await target.watch(`${configMaps}?watch=1&fieldSelector=metadata.name%3Dlast`);
        await watch.events(1);
        await target.send("DELETE", map("last"));
        const [event] = (await watch.events(1)) as any[];
        watch.stop();
        return [event.type, version(event.object) > version(created.body)];
      },
    ],
    [
      "A14 one count for all kinds",
      async (target) => {
        const one = await target.send("POST", configMaps, { metadata: { name: "kinds" } });
        const two = await target.send("POST", widgets, widget("kinds"));
        const three = await target.send("PATCH", map("kinds"), { data: { a: "b" } }, MERGE);
        return version(one.body) < version(two.body) && version(two.body) < version(three.body);
      },
    ],
    ...unchangedWrites({ configMaps, widgets }),
    [
      "A11 patches at once are all done",
      async (target) => {
        await target.send("POST", configMaps, { metadata: { name: "race" } });
        const patches = Array.from({ length: 8 }, (_, n) => target.send("PATCH", map("race"), { data: { [`k${n}`]: "v" } }, MERGE));
        const codes = (await Promise.all(patches)).map(({ status }) => status);
        return [codes, Object.keys((await target.send("GET", map("race"))).body.data).sort()];
      },
    ],
    ...requestCases(
      ["A11 a patch with an old resourceVersion", "PATCH", map("race"), { metadata: { resourceVersion: "1" }, data: { x: "y" } }, MERGE],
      ["A11 a patch with a resourceVersion that is none", "PATCH", map("race"), { metadata: { resourceVersion: "x" } }, MERGE],
      ["A5 a widget with a resourceVersion", "POST", widgets, widget("rv", { metadata: { resourceVersion: "7" } })],
      [
        "A5 a namespace with a resourceVersion",
        "POST",
        "/api/v1/namespaces",
        { metadata: { name: `${namespace}-rv`, resourceVersion: "7" } },
      ],
      ["A5 a resourceVersion of nothing", "POST", configMaps, { metadata: { name: "rv0", resourceVersion: "0" } }],
    ),
    [
      "A11 a patch with the resourceVersion of now",
      async (target) => {
        const { resourceVersion } = (await target.send("GET", map("race"))).body.metadata;
        return target.send("PATCH", map("race"), { metadata: { resourceVersion }, data: { x: "y" } }, MERGE);
      },
    ],
    listCase("D1 at least a version", "resourceVersion=RV"),
    listCase("D1 at least a version, with resourceVersionMatch", "resourceVersion=RV&resourceVersionMatch=NotOlderThan"),
    listCase("D1 exactly a version", "resourceVersion=RV&resourceVersionMatch=Exact"),
    listCase("D1 exactly a version, in pages", "resourceVersion=RV&resourceVersionMatch=Exact&limit=2"),
    listCase("D1 a page of a version", "resourceVersion=RV&limit=2"),
    listCase("D1 a page of at least a version", "resourceVersion=RV&limit=2&resourceVersionMatch=NotOlderThan"),
    listCase("D1 any version", "resourceVersion=0"),
    listCase("D1 a page of any version", "resourceVersion=0&limit=2"),
    listCase("D2 a page", "limit=2"),
    listCase("D2 a page of less than nothing", "limit=-1"),
    ...requestCases(
      ["D1 at least a version of the future", "GET", `${configMaps}?resourceVersion=99999999&resourceVersionMatch=NotOlderThan`],
      ["D1 a match and a token", "GET", `${configMaps}?resourceVersionMatch=Exact&continue=abc`],
      ["D1 a match of nothing", "GET", `${configMaps}?resourceVersionMatch=NotOlderThan`],
      ["D1 a match, a version and a token", "GET", `${configMaps}?resourceVersionMatch=NotOlderThan&resourceVersion=1&continue=abc`],
      ["D2 a token that is no text", "GET", `${configMaps}?continue=!!!`],
      ["D2 a token with nothing in it", "GET", `${configMaps}?continue=${token("{}")}`],
      ["D2 a token of another version", "GET", `${configMaps}?continue=${token('{"v":"meta.k8s.io/v2","rv":1,"start":"a"}')}`],
      ["D2 a token without a start key", "GET", `${configMaps}?continue=${token('{"v":"meta.k8s.io/v1","rv":1}')}`],
      ["D2 a token of no version", "GET", `${configMaps}?continue=${token('{"v":"meta.k8s.io/v1","rv":0,"start":"a"}')}`],
      ["D2 a token with a path traversal", "GET", `${configMaps}?continue=${token('{"v":"meta.k8s.io/v1","rv":5,"start":"../a"}')}`],
      ["D2 a limit with a fraction", "GET", `${configMaps}?limit=1.5`],
      ["D2 a limit beyond all", "GET", `${configMaps}?limit=99999999999999999999`],
      ["D3 a time that is none", "GET", `${configMaps}?watch=1&timeoutSeconds=x`],
      ["D3 a watch with a token", "GET", `${configMaps}?watch=1&continue=abc&timeoutSeconds=1&labelSelector=none`],
      ["D3 a watch with a limit", "GET", `${configMaps}?watch=1&limit=1&timeoutSeconds=1&labelSelector=none`],
      ["D3 A2 a watch of no kind", "GET", "/api/v1/watch/foos"],
      ["D3 A2 a watch of what cannot be watched", "GET", `/api/v1/watch/namespaces/${namespace}/bindings`],
      ["D6 a list with the state first", "GET", `${configMaps}?sendInitialEvents=false`],
      ["D6 the state first, of config maps, without a match", "GET", `${configMaps}?watch=1&sendInitialEvents=true`],
      ["D6 not the state first, without a match", "GET", `${configMaps}?watch=1&sendInitialEvents=false`],
      ["D6 the state first, exactly", "GET", `${configMaps}?watch=1&sendInitialEvents=true&resourceVersionMatch=Exact`],
    ),
    watchCase("D3 from nothing", `${configMaps}?watch=1&labelSelector=rev%3D1`, 1),
    watchCase(
      "D3 across namespaces",
      `/api/v1/configmaps?watch=1&fieldSelector=metadata.namespace%3D${namespace}%2Cmetadata.name%3Drev1`,
      1,
    ),
    watchCase(
      "D3 all by the old path",
      `/api/v1/watch/configmaps?fieldSelector=metadata.namespace%3D${namespace}%2Cmetadata.name%3Drev1`,
      1,
    ),
    watchCase("D3 widgets by the old path", `/apis/example.com/v1/watch/namespaces/${namespace}/widgets/kinds`, 1),
    watchCase(
      "D6 the state, then a bookmark",
      `${configMaps}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=rev%3D1`,
      2,
    ),
    watchCase(
      "D6 no state, and no bookmark yet",
      `${configMaps}?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1`,
      1,
    ),
    watchCase(
      "D6 the state without bookmarks",
      `${configMaps}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1&labelSelector=rev%3D1`,
      2,
    ),
    watchCase("D5 a bookmark before the end", `${configMaps}?watch=1&allowWatchBookmarks=true&timeoutSeconds=3&labelSelector=none`, 1),
    watchCase(
      "D5 a bookmark of widgets before the end",
      `${widgets}?watch=1&allowWatchBookmarks=true&timeoutSeconds=3&labelSelector=none`,
      1,
    ),
    watchCase("D5 no bookmark unless requested", `${configMaps}?watch=1&timeoutSeconds=3&labelSelector=none`, 1),
    transitionCase("D4 fields that come to be chosen", async (target, see) => {
      await target.send("POST", widgets, widget("chosen", { metadata: { labels: { on: "0" } } }));
      const events = see(`${widgets}?watch=1&labelSelector=on%3D1&timeoutSeconds=2`, 2);
      await delay(300);
      await target.send("PATCH", `${widgets}/chosen`, { metadata: { labels: { on: "1" } } }, MERGE);
      await target.send("PATCH", `${widgets}/chosen`, { metadata: { labels: { on: null } } }, MERGE);
      return events;
    }),
    transitionCase("D4 what is deleted while it is not chosen", async (target, see) => {
      await target.send("POST", configMaps, { metadata: { name: "unchosen", labels: { on: "0" } } });
      const events = see(`${configMaps}?watch=1&labelSelector=on%3D1&timeoutSeconds=1`, 1);
      await delay(300);
      await target.send("DELETE", map("unchosen"));
      return events;
    }),
    [
      "D2 A14 pages show one moment",
      async (target) => {
        const one = await target.send("GET", `${configMaps}?limit=3&${seeded}`);
        await target.send("POST", configMaps, { metadata: { name: "rev2a", labels: { rev: "2" } } });
        await target.send("DELETE", map("rev4"));
        const two = await target.send("GET", `${configMaps}?limit=30&${seeded}&continue=${one.body.metadata.continue}`);
        return [names(one.body), names(two.body), version(one.body) === version(two.body)];
      },
    ],
    [
      "D2 what a token holds",
      async (target) => {
        const { body } = await target.send("GET", `${configMaps}?limit=1`);
        const held = JSON.parse(Buffer.from(body.metadata.continue, "base64url").toString());
        return [Object.keys(held), held.v, held.rv === version(body), typeof held.start];
      },
    ],
    [
      "D2 a token that is too old",
      async (target) => {
        for (let n = 0; n < 6; n++) await target.send("POST", widgets, widget(`page${n}`, { metadata: { labels: { page: "1" } } }));
        const path = `${widgets}?limit=2&labelSelector=page`;
        const one = await target.send("GET", path);
        await target.send("DELETE", `${widgets}/page3`);
        await target.compact();
        const two = await target.send("GET", `${path}&continue=${one.body.metadata.continue}`);
        const onward = two.body.metadata.continue;
        const three = await target.send("GET", `${path}&continue=${onward}`);
        return [names(one.body), two, JSON.parse(Buffer.from(onward, "base64url").toString()).rv, names(three.body)];
      },
    ],
    [
      "D1 a version that is too old",
      async (target) => {
        const old = version((await target.send("GET", widgets)).body);
        await target.send("POST", widgets, widget("newer"));
        await target.compact();
        return [
          await target.send("GET", `${widgets}?resourceVersion=${old}&resourceVersionMatch=Exact`),
          await target.send("GET", `${widgets}?resourceVersion=1&limit=1`),
        ];
      },
    ],
    watchCase("D3 from a version that is too old", `${widgets}?watch=1&resourceVersion=1`, 2),
  ];
}

/** Writes that change nothing. */
function unchangedWrites({ configMaps, widgets }: Pick<CaseContext, "configMaps" | "widgets">): readonly ApiCase[] {
  const unchangedCase = (
    title: string,
    write: (target: Target, live: any) => Promise<{ readonly status: number; readonly body: any }>,
  ): ApiCase => [
    title,
    async (target) => {
      const path = title.includes("widget") ? `${widgets}/same` : `${configMaps}/same`;
      const live = (await target.send("GET", path)).body;
      const { status, body } = await write(target, live);
      return [
        status,
        body.metadata.resourceVersion === live.metadata.resourceVersion,
        JSON.stringify(body.metadata.managedFields) === JSON.stringify(live.metadata.managedFields),
      ];
    },
  ];
  return [
    [
      "A12 a config map and a widget",
      async (target) => [
        (await target.send("POST", configMaps, { metadata: { name: "same" }, data: { a: "b" } })).status,
        (await target.send("POST", widgets, widget("same", { spec: { size: 1, replicas: 1 } }))).status,
      ],
    ],
    unchangedCase("A12 replace the config map by itself", (target, live) => target.send("PUT", `${configMaps}/same`, live)),
    unchangedCase("A12 replace the config map by the same data", (target) =>
      target.send("PUT", `${configMaps}/same`, { metadata: { name: "same" }, data: { a: "b" } }),
    ),
    unchangedCase("A12 patch the config map with what it has", (target) =>
      target.send("PATCH", `${configMaps}/same`, { data: { a: "b" } }, MERGE),
    ),
    unchangedCase("A12 patch the widget with what it has", (target) =>
      target.send("PATCH", `${widgets}/same`, { spec: { size: 1 } }, MERGE),
    ),
    unchangedCase("A12 patch the widget with what it does not know", (target) =>
      target.send("PATCH", `${widgets}/same`, { spec: { zzz: 1 } }, MERGE),
    ),
    unchangedCase("A12 status of the widget beside it", (target) =>
      target.send("PATCH", `${widgets}/same`, { status: { phase: "X" } }, MERGE),
    ),
    unchangedCase("A12 E3 apply to the widget what it has", (target) =>
      target.send("PATCH", `${widgets}/same?fieldManager=new`, widget("same", { spec: { size: 1 } }), APPLY),
    ),
  ];
}

/** A case that compares the watch events of some writes. */
function transitionCase(
  title: string,
  run: (target: Target, see: (path: string, count: number) => Promise<unknown>) => Promise<unknown>,
): ApiCase {
  return [
    title,
    (target) =>
      run(target, async (path, count) => {
        const watch = await target.watch(path);
        const events = await watch.events(count);
        watch.stop();
        return events;
      }),
  ];
}
