import { backgroundClock } from "pintle/internal/clock";
import type { JsonObject } from "pintle/kinds";
import { type ApiRequest, type ApiResponse, formatTimestamp, type QueryParameters } from "../../api/index.ts";
import type { ContainerSessionOptions, NodeStreams, ResourceUsage } from "../../node/index.ts";
import { ApiError } from "../../status/index.ts";
import { waitForFirstChunk } from "../pods/first-chunk.ts";
import { parseLogOptions } from "../pods/log-request.ts";
import { handlePortForward } from "../port-forward/port-forward.ts";
import { parseQueryFlag } from "../query-flag.ts";
import { handleRemoteCommand } from "../remote-command/remote-command.ts";
import { buildTextResponse } from "../text-response.ts";

type KubeletRequest = Pick<ApiRequest, "method" | "path" | "query" | "headers" | "signal">;

/** Creates the request handler of a kubelet's port. Refusals are plain text. */
export function createKubeletHandler(streams: NodeStreams, node = ""): (request: KubeletRequest) => Promise<ApiResponse> {
  const handle = async (request: KubeletRequest): Promise<ApiResponse> => {
    const [endpoint = "", ...parts] = request.path.split("/").slice(1).map(decodeURIComponent);
    const [namespace = "", pod = ""] = parts;
    // The path contains the uid only if the client requests it.
    const uid = parts.length > (endpoint === "portForward" ? 2 : 3) ? parts[2]! : "";
    const container = parts.at(-1) ?? "";
    const target = { namespace, pod, uid, container };
    switch (endpoint) {
      case "healthz":
        return buildTextResponse(200, "ok");
      case "stats": {
        const bytes = Buffer.from(JSON.stringify(buildStatsSummary(node, await streams.usage(), backgroundClock.now())));
        return { status: 200, headers: { "content-type": "application/json" }, body: { type: "bytes", bytes } };
      }
      case "containerLogs": {
        const options = parseLogOptions(pod, request.query, backgroundClock.now());
        const chunks = await waitForFirstChunk(streams.logs(target, options, request.signal()));
        return { status: 200, headers: { "content-type": "text/plain" }, body: { type: "stream", chunks } };
      }
      case "exec": {
        const options = parseSessionOptions(request.query);
        const command = request.query.get("command") ?? [];
        return handleRemoteCommand(request, options, "executing command in", () => streams.exec(target, command, options));
      }
      case "attach": {
        const options = parseSessionOptions(request.query);
        return handleRemoteCommand(request, options, "attaching to", () => streams.attach(target, options));
      }
      case "portForward":
        return handlePortForward(request, request.query.get("port") ?? [], { pod, uid }, (port) =>
          streams.connect({ namespace, pod, uid }, port),
        );
      default:
        return buildTextResponse(404, "404 page not found\n");
    }
  };
  return async (request) => {
    try {
      return await handle(request);
    } catch (error) {
      if (error instanceof ApiError) return buildTextResponse(error.code, error.message);
      throw error;
    }
  };
}

function parseSessionOptions(query: QueryParameters): ContainerSessionOptions {
  const tty = parseQueryFlag(query, "tty");
  const options = {
    stdin: parseQueryFlag(query, "input"),
    stdout: parseQueryFlag(query, "output"),
    stderr: parseQueryFlag(query, "error") && !tty,
    tty,
  };
  if (options.stdin || options.stdout || options.stderr) return options;
  throw new ApiError(400, "BadRequest", "you must specify at least 1 of stdin, stdout, stderr");
}

/** Builds the stats summary of a kubelet. */
function buildStatsSummary(nodeName: string, { node, pods }: Awaited<ReturnType<NodeStreams["usage"]>>, now: number): JsonObject {
  const time = formatTimestamp(now);
  const formatUsage = ({ cpuNanoCores, memoryBytes }: ResourceUsage) => ({
    cpu: { time, usageNanoCores: cpuNanoCores },
    memory: { time, usageBytes: memoryBytes, workingSetBytes: memoryBytes },
  });
  return {
    node: { nodeName, startTime: time, ...formatUsage(node) },
    pods: pods.map(({ namespace, pod, containers }) => ({
      podRef: { name: pod, namespace, uid: "" },
      startTime: time,
      containers: Object.entries(containers).map(([name, usage]) => ({ name, startTime: time, ...formatUsage(usage) })),
    })),
  };
}
