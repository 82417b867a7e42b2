import { getMetadata } from "../metadata/object-meta.ts";
import type { ApiRequest, ApiResponse } from "../request/api-request.ts";
import { APISERVER } from "../request/user.ts";
import type { CrdControllerOptions } from "./crd-controller.ts";
import { CRD_GROUP, CRD_PLURAL } from "./crd-resource.ts";

/** Creates the writes of the CRD controller. They are requests like any other: validated, with managed fields, and audited. */
export function createLoopbackWrites(handle: (request: ApiRequest) => Promise<ApiResponse>): Pick<CrdControllerOptions, "updateStatus"> {
  const send = (method: string, path: string, json?: unknown) =>
    handle({
      method,
      path,
      query: new Map(),
      headers: { "user-agent": "kube-apiserver" },
      user: APISERVER,
      body: json === undefined ? undefined : { json },
      signal: () => new AbortController().signal,
    });
  return {
    async updateStatus(crd) {
      const { status } = await send("PUT", `/apis/${CRD_GROUP}/v1/${CRD_PLURAL}/${getMetadata(crd).name}/status`, crd);
      return status === 200;
    },
  };
}
