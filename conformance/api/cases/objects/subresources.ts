import { APPLY, type ApiCase, type CaseContext, MERGE, requestCases, widget } from "../../case.ts";

export function subresources({ widgets, configMaps }: CaseContext): readonly ApiCase[] {
  const at = `${widgets}/s`;
  const updateCase = (title: string, path: string, change: (live: any) => unknown): ApiCase => [
    title,
    async (target) => target.send("PUT", path, change((await target.send("GET", path)).body)),
  ];
  return [
    ...requestCases(["B1 a widget", "POST", widgets, widget("s", { spec: { size: 2 } })]),
    updateCase("B1 replace status", `${at}/status`, (live) => ({
      ...live,
      metadata: { ...live.metadata, labels: { l: "2" } },
      spec: { size: 99 },
      status: { phase: "Up", replicas: 1 },
    })),
    ...requestCases(
      ["B1 get status", "GET", `${at}/status`],
      ["B1 create status", "POST", `${at}/status`, widget("s")],
      ["B1 delete status", "DELETE", `${at}/status`],
      ["B1 patch status and spec", "PATCH", `${at}/status`, { status: { phase: "P" }, spec: { size: 77 } }, MERGE],
      ["B1 patch status of the wrong type", "PATCH", `${at}/status`, { status: { phase: 1 } }, MERGE],
      ["B1 patch status beside it", "PATCH", at, { status: { phase: "ignored" } }, MERGE],
      ["B1 an unknown subresource", "GET", `${at}/foo`],
      ["B1 an unknown subresource of a built-in kind", "GET", `${configMaps}/a/foo`],
      ["B1 status of a kind that has none", "GET", `${configMaps}/a/status`],
      ["B2 scale without replicas", "GET", `${at}/scale`],
      ["B2 scale up", "PATCH", `${at}/scale`, { spec: { replicas: 3 } }, MERGE],
      ["B2 get scale", "GET", `${at}/scale`],
      ["B2 get what was scaled", "GET", at],
    ),
    updateCase("B2 scale to none", `${at}/scale`, (live) => ({ ...live, spec: { replicas: 0 } })),
    updateCase("B2 scale below none", `${at}/scale`, (live) => ({ ...live, spec: { replicas: -1 } })),
    updateCase("B2 scale what is stale", `${at}/scale`, (live) => ({
      ...live,
      metadata: { ...live.metadata, resourceVersion: "1" },
      spec: { replicas: 5 },
    })),
    ...requestCases(
      ["B2 replace scale by the object", "PUT", `${at}/scale`, widget("s")],
      [
        "B2 apply scale",
        "PATCH",
        `${at}/scale?fieldManager=sc`,
        { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "s" }, spec: { replicas: 7 } },
        APPLY,
      ],
      ["B1 remove status", "PATCH", `${at}/status`, { status: null }, MERGE],
    ),
  ];
}
