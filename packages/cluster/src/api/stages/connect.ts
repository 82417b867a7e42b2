import type { Json } from "pintle/kinds";
import { forbidden } from "../../status/index.ts";
import { runMutatingAdmission, runValidatingAdmission } from "../admission/admission-chain.ts";
import { buildAdmissionRequest } from "../admission/admission-request.ts";
import type { ConnectSubresource } from "../registry/served-resource.ts";
import type { ApiResponse } from "../request/api-request.ts";
import { isTrueParameter } from "../request/request-info.ts";
import type { RequestContext } from "../request-context.ts";
import { readCurrentObject } from "./read.ts";

/**
 * Opens a stream to the node of the object: log, exec, attach, port-forward, proxy. The response has a form of its own, so nothing is
 * negotiated. Reads `info`, `resource`, `subresource`, `user`; returns the response.
 */
export async function connect(context: RequestContext): Promise<ApiResponse> {
  const { info, request, user } = context;
  const { kind, parseObjectName, connect: open } = context.subresource as ConnectSubresource;
  if (kind.endsWith("Options")) await admitConnect(context, kind);
  await authorizeUpgrade(context);
  const name = parseObjectName === undefined ? info.name : parseObjectName(info.name);
  // The query of a proxy request belongs to the proxied server: it has no resource version.
  const object = await readCurrentObject(context, { namespace: info.namespace, name });
  // "", api, v1, namespaces, its name, pods, its name, proxy; of a node without the namespace.
  const segments = request.path.split("/").slice(info.namespace === "" ? 6 : 8);
  return open(object, { ...request, user, name: info.name, subpath: segments.map((segment) => `/${segment}`).join("") });
}

const COMMAND_SUBRESOURCES: readonly string[] = ["exec", "attach", "portforward"];

/**
 * A WebSocket starts with GET, whose verb is "get", but runs commands: as in kube-apiserver since 1.35 (the feature gate
 * AuthorizePodWebsocketUpgradeCreatePermission), these subresources of pods require the verb "create" as well.
 */
async function authorizeUpgrade({ server, user, info }: RequestContext): Promise<void> {
  if (info.group !== "" || info.resource !== "pods" || !COMMAND_SUBRESOURCES.includes(info.subresource)) return;
  if (info.verb === "create") return;
  const { allowed, reason = "" } = server.authorizer.authorize({ user, info: { ...info, verb: "create" } });
  if (!allowed) throw forbidden({ group: info.group, resource: info.resource }, info.name, reason);
}

const BOOLEAN_OPTIONS = new Set(["stdin", "stdout", "stderr", "tty"]);
const LIST_OPTIONS: Readonly<Record<string, (text: string) => Json>> = { command: (text) => text, ports: Number };

/** Runs admission on the options of a CONNECT request. */
async function admitConnect(context: RequestContext, kind: string): Promise<void> {
  const { server, request, info } = context;
  const given = [...request.query].flatMap(([name, values]): readonly [string, Json][] => {
    const parseItem = LIST_OPTIONS[name];
    if (parseItem !== undefined) return [[name, values.map(parseItem)]];
    if (!BOOLEAN_OPTIONS.has(name)) return [[name, values[0] ?? ""]];
    return isTrueParameter(values) ? [[name, true]] : [];
  });
  const options = kind.endsWith("ProxyOptions") ? { path: `/${info.subpath.join("/")}` } : Object.fromEntries(given);
  const object = { kind, apiVersion: "v1", ...options };
  const admission = { ...buildAdmissionRequest(context, "CONNECT", false, { group: "", version: "v1", kind }), object };
  await runMutatingAdmission(server.admissionChain, admission);
  await runValidatingAdmission(server.admissionChain, admission);
}
