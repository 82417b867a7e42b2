import { APPLY, type Ground, MERGE, requests, type Step, widget } from "../step.ts";

export function subresources({ widgets, configMaps }: Ground): readonly Step[] {
  const at = `${widgets}/s`;
  const changed = (title: string, path: string, change: (live: any) => unknown): Step => [
    title,
    async (target) => target.send("PUT", path, change((await target.send("GET", path)).body)),
  ];
  return [
    ...requests(["a widget", "POST", widgets, widget("s", { spec: { size: 2 } })]),
    changed("replace status", `${at}/status`, (live) => ({
      ...live,
      metadata: { ...live.metadata, labels: { l: "2" } },
      spec: { size: 99 },
      status: { phase: "Up", replicas: 1 },
    })),
    ...requests(
      ["get status", "GET", `${at}/status`],
      ["create status", "POST", `${at}/status`, widget("s")],
      ["delete status", "DELETE", `${at}/status`],
      ["patch status and spec", "PATCH", `${at}/status`, { status: { phase: "P" }, spec: { size: 77 } }, MERGE],
      ["patch status of the wrong type", "PATCH", `${at}/status`, { status: { phase: 1 } }, MERGE],
      ["patch status beside it", "PATCH", at, { status: { phase: "ignored" } }, MERGE],
      ["an unknown subresource", "GET", `${at}/foo`],
      ["an unknown subresource of a built-in kind", "GET", `${configMaps}/a/foo`],
      ["status of a kind that has none", "GET", `${configMaps}/a/status`],
      ["scale without replicas", "GET", `${at}/scale`],
      ["scale up", "PATCH", `${at}/scale`, { spec: { replicas: 3 } }, MERGE],
      ["get scale", "GET", `${at}/scale`],
      ["get what was scaled", "GET", at],
    ),
    changed("scale to none", `${at}/scale`, (live) => ({ ...live, spec: { replicas: 0 } })),
    changed("scale below none", `${at}/scale`, (live) => ({ ...live, spec: { replicas: -1 } })),
    changed("scale what is stale", `${at}/scale`, (live) => ({
      ...live,
      metadata: { ...live.metadata, resourceVersion: "1" },
      spec: { replicas: 5 },
    })),
    ...requests(
      ["replace scale by the object", "PUT", `${at}/scale`, widget("s")],
      [
        "apply scale",
        "PATCH",
        `${at}/scale?fieldManager=sc`,
        { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "s" }, spec: { replicas: 7 } },
        APPLY,
      ],
      ["remove status", "PATCH", `${at}/status`, { status: null }, MERGE],
    ),
  ];
}
