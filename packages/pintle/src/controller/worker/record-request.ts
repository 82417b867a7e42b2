import { RequestError } from "../../client/index.ts";
import { runInBackground } from "../../errors/index.ts";
import type { KindInfo } from "../../kinds/index.ts";
import type { RecordedRun } from "../../recorder/index.ts";

interface WrittenObject {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly metadata?:
    | {
        readonly name?: string | undefined;
        readonly namespace?: string | undefined;
        readonly uid?: string | undefined;
        readonly resourceVersion?: string | undefined;
      }
    | undefined;
}

/**
 * Sends a write of a run: puts the audit id of the caller, else the run's next one, into its options, at `place` of the arguments, and records its
 * response.
 */
export function recordRequest<T>(run: RecordedRun, verb: string, args: unknown[], place: number, send: () => T): T {
  const options = args[place] as { readonly auditId?: string | undefined } | undefined;
  const [kind, object] = args as [KindInfo, WrittenObject | undefined];
  const { name = "", namespace } = object?.metadata ?? object ?? {};
  // A refusal may quote what was sent.
  for (const arg of args.slice(1, place)) if (typeof arg === "object" && arg !== null) run.recorder.learn(kind, arg);
  const request = run.beginRequest(verb, { kind: kind.kind, namespace, name }, options?.auditId);
  args[place] = { ...options, auditId: request.id };
  let result: T;
  try {
    result = send();
  } catch (error) {
    request.end({ code: 0 });
    throw error;
  }
  if (result instanceof Promise)
    runInBackground(
      result.then(
        (written: WrittenObject | undefined) => {
          const { uid, resourceVersion, name: createdName = name } = written?.metadata ?? {};
          request.end({ code: 200, name: createdName, uid, resourceVersion });
        },
        (error: unknown) => {
          const { code = 0, reason, message } = (error instanceof RequestError ? error.status : undefined) ?? {};
          request.end({ code, reason, message });
        },
      ),
    );
  else request.end({ code: 200 });
  return result;
}
