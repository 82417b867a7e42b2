import { isObject } from "pintle/kinds";
import { decodeBody } from "../body.ts";
import { type Call, contextOf } from "../call.ts";
import { writeOptions } from "../options/write-options.ts";
import { type ActionSubresource, apiVersionOf } from "../resource.ts";
import type { Answered } from "./answered.ts";

/** A subresource that is a verb of its own: eviction, binding, token. */
export async function action(call: Call, subresource: ActionSubresource): Promise<Answered> {
  const { request, info } = call;
  const { accepts } = subresource;
  const { verb, namespace, name } = info;
  const body = (await decodeBody(request, { ...accepts, apiVersion: apiVersionOf(accepts) }))?.value;
  const { dryRun } = writeOptions(verb === "create" ? "CreateOptions" : "UpdateOptions", request.query, request.headers);
  const value = await subresource.act({ verb, namespace, name, body: isObject(body) ? body : undefined, dryRun, context: contextOf(call) });
  return { status: verb === "create" ? 201 : 200, value };
}
