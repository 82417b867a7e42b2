import { type ApiCase, type CaseContext, requestCases } from "../../case.ts";

/** Non-resource paths, and paths that do not exist. */
export function paths({ namespace }: CaseContext): readonly ApiCase[] {
  return [
    ...requestCases(
      ["A2 a kind that a custom group does not have", "GET", "/apis/example.com/v1/nopes"],
      ["A2 a group that is not there", "GET", "/apis/nope.com/v1/nopes"],
      ["A2 a path that is not there", "GET", "/foo"],
      ["A2 a kind that the core group does not have", "GET", "/api/v1/foos"],
      ["A2 a version that the core group does not have", "GET", "/api/v2"],
      ["A2 a version that a built-in group does not have", "GET", "/apis/apps/v9"],
      ["A2 a version that a custom group does not have", "GET", "/apis/example.com/v9"],
      ["A2 a group", "GET", "/apis/nope.example.com"],
      ["A2 a cluster-scoped kind in a namespace", "GET", `/api/v1/namespaces/${namespace}/nodes`],
      ["A2 namespaces in a namespace", "GET", `/api/v1/namespaces/${namespace}/namespaces`],
      ["A3 an object without its namespace", "GET", "/api/v1/configmaps/foo"],
      ["A2 a custom resource without its namespace", "GET", "/apis/example.com/v1/widgets/foo"],
      ["W2 /api", "GET", "/api"],
      ["W2 /apis/example.com", "GET", "/apis/example.com"],
      ["W2 /apis/example.com/v1", "GET", "/apis/example.com/v1"],
      ["W2 /livez", "GET", "/livez"],
      ["W2 /livez/ping", "GET", "/livez/ping"],
      ["A3 POST /version", "POST", "/version", {}],
    ),
    ["W2 /version", async (target) => Object.keys((await target.send("GET", "/version")).body).sort()],
  ];
}
