import { type Ground, requests, type Step } from "../step.ts";

/** What is not a resource, and what is nothing at all. */
export function paths({ namespace }: Ground): readonly Step[] {
  return [
    ...requests(
      ["a kind that a custom group does not have", "GET", "/apis/example.com/v1/nopes"],
      ["a group that is not there", "GET", "/apis/nope.com/v1/nopes"],
      ["a path that is not there", "GET", "/foo"],
      ["a kind that the core group does not have", "GET", "/api/v1/foos"],
      ["a version that the core group does not have", "GET", "/api/v2"],
      ["a version that a built-in group does not have", "GET", "/apis/apps/v9"],
      ["a version that a custom group does not have", "GET", "/apis/example.com/v9"],
      ["a group", "GET", "/apis/nope.example.com"],
      ["a cluster-scoped kind in a namespace", "GET", `/api/v1/namespaces/${namespace}/nodes`],
      ["namespaces in a namespace", "GET", `/api/v1/namespaces/${namespace}/namespaces`],
      ["an object without its namespace", "GET", "/api/v1/configmaps/foo"],
      ["a custom resource without its namespace", "GET", "/apis/example.com/v1/widgets/foo"],
      ["/api", "GET", "/api"],
      ["/apis/example.com", "GET", "/apis/example.com"],
      ["/apis/example.com/v1", "GET", "/apis/example.com/v1"],
      ["/livez", "GET", "/livez"],
      ["/livez/ping", "GET", "/livez/ping"],
      ["POST /version", "POST", "/version", {}],
    ),
    ["/version", async (target) => Object.keys((await target.send("GET", "/version")).body).sort()],
  ];
}
