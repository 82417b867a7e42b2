import { getMetadata } from "../metadata/object-meta.ts";
import type { ApiRequest, ApiResponse } from "../request/api-request.ts";
import { APISERVER } from "../request/user.ts";
import type { RequestCommit } from "../request-context.ts";
import type { CrdControllerOptions } from "./crd-controller.ts";
import { CRD_GROUP, CRD_PLURAL } from "./crd-resource.ts";

/** Executes a request inside the server, and returns its commits too. */
type ExecuteRequest = (request: ApiRequest) => Promise<{ readonly response: ApiResponse; readonly commits: readonly RequestCommit[] }>;

/** Creates the writes of the CRD controller. They are requests like any other: validated, with managed fields. Their commits belong to its run. */
export function createLoopbackWrites(execute: ExecuteRequest): Pick<CrdControllerOptions, "updateStatus"> {
  const send = (method: string, path: string, json?: unknown) =>
    execute({
      method,
      path,
      query: new Map(),
      headers: { "user-agent": "kube-apiserver" },
      user: APISERVER,
      body: json === undefined ? undefined : { json },
      signal: () => new AbortController().signal,
    });
  return {
    async updateStatus(crd, run) {
      const { response, commits } = await send("PUT", `/apis/${CRD_GROUP}/v1/${CRD_PLURAL}/${getMetadata(crd).name}/status`, crd);
      for (const { type, key, revision, uid } of commits) run?.recordCommit({ operation: type, key, revision, uid });
      return response.status === 200;
    },
  };
}
