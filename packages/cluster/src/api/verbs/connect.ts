import type { Call } from "../call.ts";
import type { ApiAnswer } from "../request.ts";
import type { ConnectSubresource } from "../resource.ts";
import { liveObject } from "./get.ts";

/** The subresource that this request wants a stream of, if it is one. */
export function connection({ resource, info }: Call): ConnectSubresource | undefined {
  const found = resource.subresources.find(({ name }) => name === info.subresource);
  return found?.type === "connect" && found.verbs.includes(info.verb) ? found : undefined;
}

/** Leads to whatever runs the object. */
export async function connect(call: Call, { connect }: ConnectSubresource): Promise<ApiAnswer> {
  return connect(await liveObject(call), call.request.query);
}
