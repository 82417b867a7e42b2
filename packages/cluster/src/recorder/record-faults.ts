import type { FlightRecorder } from "pintle/internal/recorder";
import type { FaultInjector } from "../interceptors/index.ts";

/** Returns a fault injector that also records the faults of watch events and webhook calls; those of requests are recorded with the request. */
export function recordFaults(injector: FaultInjector, recorder: FlightRecorder | undefined): FaultInjector {
  if (recorder === undefined) return injector;
  return Object.create(injector, {
    getEventFault: {
      value(...[watch, event]: Parameters<FaultInjector["getEventFault"]>) {
        const fault = injector.getEventFault(watch, event);
        const { name, namespace } = ((event.object as { readonly metadata?: object }).metadata ?? {}) as Readonly<
          Record<string, string | undefined>
        >;
        const subject = [watch.resource, namespace, name].filter(Boolean).join("/");
        if (fault !== undefined)
          recorder.record({ type: "fault", target: "event", fault: JSON.stringify(fault), subject: `${event.type} ${subject}` });
        return fault;
      },
    },
    getWebhookFaults: {
      value(name: string) {
        const faults = injector.getWebhookFaults(name);
        for (const fault of faults) recorder.record({ type: "fault", target: "webhook", fault: JSON.stringify(fault), subject: name });
        return faults;
      },
    },
  });
}
