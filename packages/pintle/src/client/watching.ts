import type { KindFacts } from "../kinds/index.ts";
import { type Core, send } from "./core.ts";
import { ServerError } from "./errors.ts";
import { failure, requestLine } from "./failure.ts";
import type { WatchEvent } from "./objects.ts";
import type { WatchOptions } from "./options.ts";
import { pathOf, subjectOf } from "./path.ts";
import { presented } from "./presented.ts";
import { watchQuery } from "./query.ts";
import { isStatus } from "./status.ts";

/** Bookmarks come about once a minute; two missing in a row mean that nobody is there any more. */
const SILENCE_WITH_BOOKMARKS = 150_000;
/** After its own timeout the server gets this long to end the watch. */
const GRACE = 15_000;

interface RawEvent {
  readonly type: string;
  readonly object: unknown;
}

export function watching(core: Core) {
  return async function* watch(kind: KindFacts, options: WatchOptions = {}): AsyncGenerator<WatchEvent<unknown>> {
    const timeoutSeconds = options.timeoutSeconds ?? 300 + Math.floor(core.random() * 300);
    const longest = timeoutSeconds * 1000 + GRACE;
    const silence = options.bookmarks === false ? longest : Math.min(longest, SILENCE_WITH_BOOKMARKS);
    const place = { namespace: options.namespace };
    const response = await send(core, "GET", kind, place, { query: watchQuery(options, timeoutSeconds), stream: { silence } }, options);
    options.opened?.();
    for await (const line of response.lines()) {
      const event = line as RawEvent;
      switch (event.type) {
        case "ADDED":
        case "MODIFIED":
        case "DELETED":
          yield { type: event.type, object: presented(kind, event.object) };
          break;
        case "BOOKMARK":
          yield event as WatchEvent<unknown>;
          break;
        default:
          throw broken(kind, options.namespace, event);
      }
    }
  };
}

function broken(kind: KindFacts, namespace: string | undefined, event: RawEvent): Error {
  const about = {
    request: `${requestLine({ method: "GET", path: pathOf(kind, { namespace }) })}?watch=true`,
    subject: subjectOf(kind, { namespace }),
  };
  if (isStatus(event.object)) return failure(event.object.code ?? 500, event.object, about);
  return new ServerError({
    message: `${about.subject}: the watch sent an event of type ${JSON.stringify(event.type)}, which is none (${about.request})`,
    request: about.request,
    code: 200,
  });
}
