import { metadataOf } from "../metadata/metadata.ts";
import type { ApiAnswer, ApiRequest } from "../request.ts";
import { apiVersionOf } from "../resource.ts";
import { APISERVER } from "../user.ts";
import { CRD_GROUP, CRD_PLURAL } from "./definition.ts";
import type { RegistrarOptions } from "./registrar.ts";

/** The server's own writes go the way of all requests, so that they are checked, tracked and seen like any other. */
export function crdWrites(handle: (request: ApiRequest) => Promise<ApiAnswer>): Pick<RegistrarOptions, "updateStatus" | "deleteAll"> {
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
      const { status } = await send("PUT", `/apis/${CRD_GROUP}/v1/${CRD_PLURAL}/${metadataOf(crd).name}/status`, crd);
      return status === 200;
    },
    async deleteAll(resource, namespace) {
      const place = namespace === "" ? "" : `namespaces/${namespace}/`;
      await send("DELETE", `/apis/${apiVersionOf(resource)}/${place}${resource.plural}`);
    },
  };
}
