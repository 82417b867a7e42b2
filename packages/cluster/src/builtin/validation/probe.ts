import type { Lifecycle, LifecycleHandler, Probe } from "pintle/kinds/core/v1";
import { type FieldError, fieldError } from "../../status/index.ts";
import type { Unvalidated } from "../draft.ts";
import { validateHeaderName } from "./names.ts";
import { createInvalidErrors, type FieldErrors, validateNonnegative, validatePortNumberOrName } from "./validators.ts";

type ProbeHandler = Unvalidated<LifecycleHandler> & Pick<Unvalidated<Probe>, "grpc">;

export function* validateProbe(field: string, of: Unvalidated<Probe> | null | undefined, grace: number | null | undefined): FieldErrors {
  if (!of) return;
  yield* validateHandler(field, of as ProbeHandler, grace);
  for (const name of ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"] as const) {
    yield* validateNonnegative(`${field}.${name}`, of[name]);
  }
  const { terminationGracePeriodSeconds } = of;
  if (terminationGracePeriodSeconds != null && terminationGracePeriodSeconds <= 0) {
    yield fieldError.invalid(`${field}.terminationGracePeriodSeconds`, terminationGracePeriodSeconds, "must be greater than 0");
  }
}

/** Validates all probes of a container. Liveness and startup probes require successThreshold=1. */
export function* validateProbes(
  field: string,
  container: { readonly [K in "livenessProbe" | "readinessProbe" | "startupProbe"]?: Unvalidated<Probe> | null | undefined },
  grace: number | null | undefined,
): FieldErrors {
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"] as const) {
    const of = container[name];
    if (!of) continue;
    yield* validateProbe(`${field}.${name}`, of, grace);
    if (name === "readinessProbe") {
      if (of.terminationGracePeriodSeconds != null) {
        const why = "must not be set for readinessProbes";
        yield fieldError.invalid(`${field}.${name}.terminationGracePeriodSeconds`, of.terminationGracePeriodSeconds, why);
      }
    } else if (of.successThreshold !== 1)
      yield fieldError.invalid(`${field}.${name}.successThreshold`, of.successThreshold ?? 0, "must be 1");
  }
}

export function* validateLifecycle(
  field: string,
  of: Unvalidated<Lifecycle> | null | undefined,
  grace: number | null | undefined,
  os: string,
): FieldErrors {
  if (of?.postStart) yield* validateHandler(`${field}.postStart`, of.postStart, grace);
  if (of?.preStop) yield* validateHandler(`${field}.preStop`, of.preStop, grace);
  if (of?.stopSignal && os === "") {
    yield fieldError.forbidden(`${field}.stopSignal`, "may not be set for containers with empty `spec.os.name`");
  }
}

function* validateHandler(field: string, of: ProbeHandler, grace: number | null | undefined): FieldErrors {
  const checks: Readonly<Record<string, FieldErrors>> = {
    ...(of.exec ? { exec: validateExec(`${field}.exec`, of.exec) } : {}),
    ...(of.httpGet ? { httpGet: validateHttpGet(`${field}.httpGet`, of.httpGet) } : {}),
    ...(of.tcpSocket ? { tcpSocket: validatePortNumberOrName(`${field}.tcpSocket.port`, of.tcpSocket.port) } : {}),
    ...(of.grpc ? { grpc: validatePortNumberOrName(`${field}.grpc.port`, of.grpc.port) } : {}),
    ...(of.sleep ? { sleep: validateSleep(`${field}.sleep`, of.sleep.seconds ?? 0, grace) } : {}),
  };
  for (const [i, [name, problems]] of Object.entries(checks).entries()) {
    if (i === 0) yield* problems;
    else yield fieldError.forbidden(`${field}.${name}`, "may not specify more than 1 handler type");
  }
  if (Object.keys(checks).length === 0) yield fieldError.required(field, "must specify a handler type");
}

function* validateExec(field: string, { command }: NonNullable<ProbeHandler["exec"]>): FieldErrors {
  if (!command?.length) yield fieldError.required(`${field}.command`);
}

function* validateHttpGet(field: string, { path, port, scheme, httpHeaders }: NonNullable<ProbeHandler["httpGet"]>): FieldErrors {
  if (!path) yield fieldError.required(`${field}.path`);
  yield* validatePortNumberOrName(`${field}.port`, port);
  if (scheme !== "HTTP" && scheme !== "HTTPS") yield fieldError.notSupported(`${field}.scheme`, scheme ?? "", ["HTTP", "HTTPS"]);
  for (const { name } of httpHeaders ?? []) yield* createInvalidErrors(`${field}.httpHeaders`, name ?? "", validateHeaderName(name ?? ""));
}

function* validateSleep(field: string, seconds: number, grace: number | null | undefined): Generator<FieldError> {
  if (grace == null || (seconds >= 0 && seconds <= grace)) return;
  yield fieldError.invalid(field, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${grace})`);
}
