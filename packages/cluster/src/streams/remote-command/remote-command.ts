import type { ApiRequest, ApiResponse } from "../../api/index.ts";
import type { ContainerSession, ContainerSessionEnd, ContainerSessionOptions } from "../../node/index.ts";
import { ApiError, internalError } from "../../status/index.ts";
import { createSpdyConnection } from "../spdy/spdy-connection.ts";
import { buildTextResponse } from "../text-response.ts";
import { buildSpdyResponse, buildWebSocketResponse, negotiateProtocol, parseUpgradeRequest } from "../upgrade.ts";
import { buildFinalStatus, type RemoteOperation } from "./final-status.ts";
import type { OutputStream, RemoteClient } from "./remote-client.ts";
import { createSpdyClient, SPDY_PROTOCOLS } from "./spdy-client.ts";
import { createWebSocketClient, V5, WEB_SOCKET_PROTOCOLS } from "./web-socket-client.ts";

/** Serves a session over the protocol that the client requests. The session starts before the response, so that the node can refuse it. */
export async function handleRemoteCommand(
  request: Pick<ApiRequest, "headers">,
  options: ContainerSessionOptions,
  operation: RemoteOperation,
  startSession: () => Promise<ContainerSession>,
): Promise<ApiResponse> {
  const upgrade = parseUpgradeRequest(request);
  const protocol = negotiateProtocol(upgrade, upgrade.type === "spdy" ? SPDY_PROTOCOLS : WEB_SOCKET_PROTOCOLS);
  const session = await startSession().catch((reason: unknown) => {
    if (reason instanceof ApiError) return reason;
    throw reason;
  });
  // A command that cannot be started is reported over the upgraded connection; with v5, so is every other refusal.
  if (session instanceof ApiError && session.reason !== "InternalError" && protocol !== V5)
    return buildTextResponse(session.code, session.message);
  const serve = (remote: RemoteClient) =>
    session instanceof ApiError ? refuseSession(remote, session) : serveSession(remote, session, options, operation);
  if (upgrade.type === "spdy")
    return buildSpdyResponse(protocol, (wire) => serve(createSpdyClient(createSpdyConnection(wire), protocol, options)));
  return buildWebSocketResponse(protocol, (channel) => serve(createWebSocketClient(channel, options)));
}

/** Reports a refusal over a connection that is already upgraded. */
async function refuseSession(remote: RemoteClient, error: ApiError): Promise<void> {
  const received = remote.receive({ input: async () => {}, endInput() {}, resize() {} });
  const { status } = error.reason === "InternalError" ? error : internalError(`unable to upgrade connection: ${error.message}`);
  await remote.finish(status).catch(() => {});
  await received;
}

/** Connects a session with its client until either side ends. Never rejects. */
async function serveSession(
  remote: RemoteClient,
  session: ContainerSession,
  options: ContainerSessionOptions,
  doing: RemoteOperation,
): Promise<void> {
  const copyOutput = async (output: OutputStream, from: AsyncIterable<Uint8Array>) => {
    try {
      for await (const chunk of from) await remote.write(output, chunk);
    } catch {
      session.close();
    }
  };
  const received = remote
    .receive({
      input: (chunk) => (options.stdin ? session.write(chunk) : Promise.resolve()),
      endInput: () => session.endInput(),
      resize: (size) => session.resize(size),
    })
    .finally(() => session.close());
  const outputs = [
    ...(options.stdout ? [copyOutput("stdout", session.stdout)] : []),
    ...(options.stderr && !options.tty ? [copyOutput("stderr", session.stderr)] : []),
  ];
  const end = await session.end.catch(
    (reason: unknown): ContainerSessionEnd => ({ error: reason instanceof Error ? reason.message : String(reason) }),
  );
  await Promise.all(outputs);
  await remote.finish(buildFinalStatus(end, doing)).catch(() => {});
  await received;
}
