import { type ApiCase, type CaseContext, PARTIAL, PARTIAL_LIST, requestCases, TABLE } from "../../case.ts";

/** Lists: selectors, pages and response formats. */
export function lists({ widgets, configMaps }: CaseContext): readonly ApiCase[] {
  const selectors = ["a b", "a===b", "a in (b", "a,,b", "x_/a=b", "a>b", "!x", "x in (y,z)", "x!=y"];
  const names = (body: any) => body.items.map((item: any) => item.metadata.name);
  return [
    ...requestCases(
      ...selectors.map((text) => [`D7 labelSelector ${text}`, "GET", `${configMaps}?labelSelector=${encodeURIComponent(text)}`] as const),
      ["D7 fieldSelector of a name", "GET", `${configMaps}?fieldSelector=metadata.name%3Da`],
      ["D7 fieldSelector of an unknown field", "GET", `${widgets}?fieldSelector=spec.foo%3Da`],
      ["D7 fieldSelector of an unknown field of a built-in kind", "GET", `${configMaps}?fieldSelector=data.foo%3Da`],
      ["D7 fieldSelector of nonsense", "GET", `${configMaps}?fieldSelector=nonsense`],
      ["D2 a limit that is none", "GET", `${widgets}?limit=abc`],
      ["D1 a resourceVersion that is none", "GET", `${widgets}?resourceVersion=abc`],
      ["D1 a resourceVersion of the future", "GET", `${widgets}?resourceVersion=99999999`],
      ["D1 a match without resourceVersion", "GET", `${widgets}?resourceVersionMatch=Exact`],
      ["D1 an unknown match", "GET", `${widgets}?resourceVersion=1&resourceVersionMatch=Foo`],
      ["D1 exactly 0", "GET", `${widgets}?resourceVersion=0&resourceVersionMatch=Exact`],
      ["D6 sendInitialEvents without watch", "GET", `${widgets}?sendInitialEvents=true`],
      ["D2 a token that is none", "GET", `${widgets}?continue=abc`],
      ["D1 config maps", "GET", configMaps],
      ["W7 metadata of an object", "GET", `${widgets}/a`, undefined, PARTIAL],
      ["W7 metadata of a list as of an object", "GET", widgets, undefined, PARTIAL],
      ["W7 metadata of an object as of a list", "GET", `${widgets}/a`, undefined, PARTIAL_LIST],
      ["W7 metadata of a page", "GET", `${widgets}?limit=1`, undefined, PARTIAL_LIST],
      ["W5 a table with an unknown includeObject", "GET", `${widgets}?includeObject=Foo`, undefined, TABLE],
      ["A3 HEAD of a collection", "HEAD", configMaps],
    ),
    [
      "W5 a table",
      async (target) => {
        const { status, type, body } = await target.send("GET", widgets, undefined, TABLE);
        const columns = body.columnDefinitions.map(({ description: _, ...column }: any) => column);
        return [status, type, body.kind, body.apiVersion, columns, body.rows.map((row: any) => [row.cells[0], row.object.kind])];
      },
    ],
    [
      "D2 pages",
      async (target) => {
        const pages: unknown[] = [];
        let token = "";
        do {
          const { body } = await target.send("GET", `${widgets}?limit=3&continue=${token}`);
          pages.push([names(body), body.metadata.remainingItemCount, Object.keys(body.metadata).sort()]);
          token = body.metadata.continue ?? "";
        } while (token !== "");
        return pages;
      },
    ],
    [
      "D2 pages of a selection",
      async (target) => {
        const { body } = await target.send("GET", `${widgets}?limit=2&labelSelector=!foo`);
        return [names(body), Object.keys(body.metadata).sort()];
      },
    ],
    [
      "D2 a token and a resourceVersion",
      async (target) => {
        const { body } = await target.send("GET", `${widgets}?limit=1`);
        return target.send("GET", `${widgets}?limit=1&continue=${body.metadata.continue}&resourceVersion=5`);
      },
    ],
    [
      "W5 what cannot be shown",
      async (target) => {
        const { status, body } = await target.send("GET", widgets, undefined, { accept: "text/html" });
        return [status, body.reason];
      },
    ],
  ];
}
