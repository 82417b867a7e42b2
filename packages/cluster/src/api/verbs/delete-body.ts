import { BodyError } from "../../codec/index.ts";
import { badRequest } from "../../status/index.ts";
import { decodeBody } from "../body.ts";
import type { ApiRequest } from "../request.ts";

/** The DeleteOptions a delete may carry; undefined when it carries none. Throws 400. */
export async function deleteBody(request: ApiRequest): Promise<unknown> {
  try {
    return (await decodeBody(request, { apiVersion: "meta.k8s.io/v1", kind: "DeleteOptions" }))?.value;
  } catch (error) {
    if (error instanceof BodyError) throw badRequest(`couldn't get version/kind; json parse error: ${error.message}`);
    throw error;
  }
}
