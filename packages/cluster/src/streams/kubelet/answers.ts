import { type ApiAnswer, type ApiRequest, backgroundClock, type Query } from "../../api/index.ts";
import type { NodeStreams, SessionOptions } from "../../node/index.ts";
import { ApiError } from "../../status/index.ts";
import { flag } from "../flag.ts";
import { begun } from "../pods/begun.ts";
import { logOptions } from "../pods/log-options.ts";
import { portForward } from "../port-forward/port-forward.ts";
import { remoteCommand } from "../remote-command/remote-command.ts";
import { textAnswer } from "../text-answer.ts";
import { statsSummary } from "./stats-summary.ts";

type Asked = Pick<ApiRequest, "method" | "path" | "query" | "headers" | "signal">;

/** What a kubelet's port answers, of a node whose containers are reached through `streams`. Refusals are plain text there. */
export function kubeletAnswers(streams: NodeStreams, node = ""): (request: Asked) => Promise<ApiAnswer> {
  const answer = async (request: Asked): Promise<ApiAnswer> => {
    const [page = "", ...parts] = request.path.split("/").slice(1).map(decodeURIComponent);
    const [namespace = "", pod = ""] = parts;
    // The uid is there only where somebody insists on it.
    const uid = parts.length > (page === "portForward" ? 2 : 3) ? parts[2]! : "";
    const container = parts.at(-1) ?? "";
    const target = { namespace, pod, uid, container };
    switch (page) {
      case "healthz":
        return textAnswer(200, "ok");
      case "stats": {
        const bytes = Buffer.from(JSON.stringify(statsSummary(node, await streams.usage(), backgroundClock.now())));
        return { status: 200, headers: { "content-type": "application/json" }, body: { type: "bytes", bytes } };
      }
      case "containerLogs": {
        const options = logOptions(pod, request.query, backgroundClock.now());
        const chunks = await begun(streams.logs(target, options, request.signal()));
        return { status: 200, headers: { "content-type": "text/plain" }, body: { type: "stream", chunks } };
      }
      case "exec": {
        const options = sessionOptions(request.query);
        const command = request.query.get("command") ?? [];
        return remoteCommand(request, options, "executing command in", () => streams.exec(target, command, options));
      }
      case "attach": {
        const options = sessionOptions(request.query);
        return remoteCommand(request, options, "attaching to", () => streams.attach(target, options));
      }
      case "portForward":
        return portForward(request, request.query.get("port") ?? [], { pod, uid }, (port) =>
          streams.connect({ namespace, pod, uid }, port),
        );
      default:
        return textAnswer(404, "404 page not found\n");
    }
  };
  return async (request) => {
    try {
      return await answer(request);
    } catch (error) {
      if (error instanceof ApiError) return textAnswer(error.code, error.message);
      throw error;
    }
  };
}

function sessionOptions(query: Query): SessionOptions {
  const tty = flag(query, "tty");
  const options = { stdin: flag(query, "input"), stdout: flag(query, "output"), stderr: flag(query, "error") && !tty, tty };
  if (options.stdin || options.stdout || options.stderr) return options;
  throw new ApiError(400, "BadRequest", "you must specify at least 1 of stdin, stdout, stderr");
}
