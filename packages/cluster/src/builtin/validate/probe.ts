import type { Lifecycle, LifecycleHandler, Probe } from "pintle/kinds/core/v1";
import { type FieldError, fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { headerNameProblems } from "../text/names.ts";
import { invalidFor, nonnegative, type Problems, portNumberOrName } from "./problems.ts";

type Handler = Loose<LifecycleHandler> & Pick<Loose<Probe>, "grpc">;

export function* probe(field: string, of: Loose<Probe> | null | undefined, grace: number | null | undefined): Problems {
  if (!of) return;
  yield* handler(field, of as Handler, grace);
  for (const name of ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"] as const) {
    yield* nonnegative(`${field}.${name}`, of[name]);
  }
  const { terminationGracePeriodSeconds } = of;
  if (terminationGracePeriodSeconds != null && terminationGracePeriodSeconds <= 0) {
    yield fieldError.invalid(`${field}.terminationGracePeriodSeconds`, terminationGracePeriodSeconds, "must be greater than 0");
  }
}

/** All probes of a container. One success makes a container live or started, so nothing else can be asked for. */
export function* probes(
  field: string,
  container: { readonly [K in "livenessProbe" | "readinessProbe" | "startupProbe"]?: Loose<Probe> | null | undefined },
  grace: number | null | undefined,
): Problems {
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"] as const) {
    const of = container[name];
    if (!of) continue;
    yield* probe(`${field}.${name}`, of, grace);
    if (name === "readinessProbe") {
      if (of.terminationGracePeriodSeconds != null) {
        const why = "must not be set for readinessProbes";
        yield fieldError.invalid(`${field}.${name}.terminationGracePeriodSeconds`, of.terminationGracePeriodSeconds, why);
      }
    } else if (of.successThreshold !== 1)
      yield fieldError.invalid(`${field}.${name}.successThreshold`, of.successThreshold ?? 0, "must be 1");
  }
}

export function* lifecycle(field: string, of: Loose<Lifecycle> | null | undefined, grace: number | null | undefined, os: string): Problems {
  if (of?.postStart) yield* handler(`${field}.postStart`, of.postStart, grace);
  if (of?.preStop) yield* handler(`${field}.preStop`, of.preStop, grace);
  if (of?.stopSignal && os === "") {
    yield fieldError.forbidden(`${field}.stopSignal`, "may not be set for containers with empty `spec.os.name`");
  }
}

function* handler(field: string, of: Handler, grace: number | null | undefined): Problems {
  const checks: Readonly<Record<string, Problems>> = {
    ...(of.exec ? { exec: exec(`${field}.exec`, of.exec) } : {}),
    ...(of.httpGet ? { httpGet: httpGet(`${field}.httpGet`, of.httpGet) } : {}),
    ...(of.tcpSocket ? { tcpSocket: portNumberOrName(`${field}.tcpSocket.port`, of.tcpSocket.port) } : {}),
    ...(of.grpc ? { grpc: portNumberOrName(`${field}.grpc.port`, of.grpc.port) } : {}),
    ...(of.sleep ? { sleep: sleep(`${field}.sleep`, of.sleep.seconds ?? 0, grace) } : {}),
  };
  for (const [i, [name, problems]] of Object.entries(checks).entries()) {
    if (i === 0) yield* problems;
    else yield fieldError.forbidden(`${field}.${name}`, "may not specify more than 1 handler type");
  }
  if (Object.keys(checks).length === 0) yield fieldError.required(field, "must specify a handler type");
}

function* exec(field: string, { command }: NonNullable<Handler["exec"]>): Problems {
  if (!command?.length) yield fieldError.required(`${field}.command`);
}

function* httpGet(field: string, { path, port, scheme, httpHeaders }: NonNullable<Handler["httpGet"]>): Problems {
  if (!path) yield fieldError.required(`${field}.path`);
  yield* portNumberOrName(`${field}.port`, port);
  if (scheme !== "HTTP" && scheme !== "HTTPS") yield fieldError.notSupported(`${field}.scheme`, scheme ?? "", ["HTTP", "HTTPS"]);
  for (const { name } of httpHeaders ?? []) yield* invalidFor(`${field}.httpHeaders`, name ?? "", headerNameProblems(name ?? ""));
}

function* sleep(field: string, seconds: number, grace: number | null | undefined): Generator<FieldError> {
  if (grace == null || (seconds >= 0 && seconds <= grace)) return;
  yield fieldError.invalid(field, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${grace})`);
}
