import type { KindInfo } from "../../kinds/index.ts";
import { errorFromStatus, formatRequestLine } from "../errors/error-from-response.ts";
import { ServerError } from "../errors/request-errors.ts";
import { isStatus } from "../errors/status.ts";
import { decodeObject } from "../verbs/decode-object.ts";
import type { WatchEvent } from "../verbs/objects.ts";
import type { WatchOptions } from "../verbs/options.ts";
import { formatPath, formatSubject } from "../verbs/path.ts";
import { buildWatchQuery } from "../verbs/query.ts";
import { sendVerb, type VerbContext } from "../verbs/request.ts";

/** API servers send a bookmark about once a minute; two missing in a row mean that the connection is dead. */
const BOOKMARK_IDLE_TIMEOUT_MS = 150_000;
/** How long the server may take to end the watch after its timeout. */
const SERVER_TIMEOUT_GRACE_MS = 15_000;

interface RawEvent {
  readonly type: string;
  readonly object: unknown;
}

export function createWatchVerb(context: VerbContext) {
  return async function* watch(kind: KindInfo, options: WatchOptions = {}): AsyncGenerator<WatchEvent<unknown>> {
    const timeoutSeconds = options.timeoutSeconds ?? 300 + Math.floor(context.random() * 300);
    const maxIdle = timeoutSeconds * 1000 + SERVER_TIMEOUT_GRACE_MS;
    const idleTimeout = options.idleTimeout ?? (options.bookmarks === false ? maxIdle : Math.min(maxIdle, BOOKMARK_IDLE_TIMEOUT_MS));
    const target = { namespace: options.namespace };
    const response = await sendVerb(
      context,
      "GET",
      kind,
      target,
      { query: buildWatchQuery(options, timeoutSeconds), stream: { idleTimeout } },
      options,
    );
    options.onOpen?.();
    for await (const line of response.lines()) {
      const event = line as RawEvent;
      switch (event.type) {
        case "ADDED":
        case "MODIFIED":
        case "DELETED":
          yield { type: event.type, object: decodeObject(kind, event.object) };
          break;
        case "BOOKMARK":
          yield event as WatchEvent<unknown>;
          break;
        default:
          throw createWatchError(kind, options.namespace, event);
      }
    }
  };
}

function createWatchError(kind: KindInfo, namespace: string | undefined, event: RawEvent): Error {
  const errorContext = {
    request: `${formatRequestLine({ method: "GET", path: formatPath(kind, { namespace }) })}?watch=true`,
    subject: formatSubject(kind, { namespace }),
  };
  if (isStatus(event.object)) return errorFromStatus(event.object.code ?? 500, event.object, errorContext);
  return new ServerError({
    message: `${errorContext.subject}: the watch sent an event of the unknown type ${JSON.stringify(event.type)} (${errorContext.request})`,
    request: errorContext.request,
    statusCode: 200,
  });
}
