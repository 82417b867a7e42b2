import type { Json } from "pintle/kinds";
import { admit, validate } from "../admission.ts";
import type { Call } from "../call.ts";
import type { ApiAnswer } from "../request.ts";
import { isTrue } from "../request-info.ts";
import type { ConnectSubresource } from "../resource.ts";
import { admissionFor } from "./admission-request.ts";
import { liveObject } from "./get.ts";

type Asked = Pick<Call, "kernel" | "resource" | "info" | "request" | "warn">;

/** The subresource that this request wants a stream of, if it is one. */
export function connection({ resource, info }: Pick<Asked, "resource" | "info">): ConnectSubresource | undefined {
  const found = resource.subresources.find(({ name }) => name === info.subresource);
  return found?.type === "connect" && found.verbs.includes(info.verb) ? found : undefined;
}

/** Leads to whatever runs the object. What comes of it has a form of its own: nothing is negotiated. */
export async function connect(asked: Asked, { kind, nameOf, connect }: ConnectSubresource): Promise<ApiAnswer> {
  const { kernel, resource, info, request } = asked;
  const { name, namespace } = info;
  if (kind.endsWith("Options")) await admitted(asked, kind);
  const object = await liveObject({
    kernel,
    resource,
    info: nameOf === undefined ? info : { ...info, name: nameOf(name) },
    // Behind a proxy the query is somebody else's.
    request: { ...request, query: new Map() },
  });
  // "", api, v1, namespaces, its name, pods, its name, proxy; of a node without the namespace.
  const rest = request.path.split("/").slice(namespace === "" ? 6 : 8);
  return connect(object, { ...request, name, rest: rest.map((part) => `/${part}`).join("") });
}

/** Options that are numbers, switches or lists; all others are texts. */
const SWITCHES = new Set(["stdin", "stdout", "stderr", "tty"]);
const LISTS: Readonly<Record<string, (text: string) => Json>> = { command: (text) => text, ports: Number };

/** Whether somebody may connect at all is for admission to say, which sees the options. */
async function admitted(asked: Asked, kind: string): Promise<void> {
  const { kernel, request, info } = asked;
  const given = [...request.query].flatMap(([name, values]): readonly [string, Json][] => {
    const list = LISTS[name];
    if (list !== undefined) return [[name, values.map(list)]];
    if (!SWITCHES.has(name)) return [[name, values[0] ?? ""]];
    return isTrue(values) ? [[name, true]] : [];
  });
  const options = kind.endsWith("ProxyOptions") ? { path: `/${info.rest.join("/")}` } : Object.fromEntries(given);
  const object = { kind, apiVersion: "v1", ...options };
  const admission = { ...admissionFor(asked, "CONNECT", false, { group: "", version: "v1", kind }), object };
  await admit(kernel.admission, admission);
  await validate(kernel.admission, admission);
}
