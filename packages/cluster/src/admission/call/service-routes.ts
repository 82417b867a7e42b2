/** A Service, as a webhook's clientConfig names it. */
export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
  /** Default: whichever port is asked for. */
  readonly port?: number | undefined;
}

/** Where a Service really is: a URL (https, or http inside one's own machine), or a function in this process. */
export type ServiceTarget = string | URL | ((request: Request) => Response | Promise<Response>);

/** Which Services are somewhere else than their endpoints say. */
export interface ServiceRoutes {
  /** Whatever is sent to the Service goes to the target, until the returned function is called. The last word counts. */
  add(service: ServiceName, target: ServiceTarget): () => void;
  find(namespace: string, name: string, port: number): ServiceTarget | undefined;
}

/** `before` are those that count where nothing is said here. */
export function serviceRoutes(before?: ServiceRoutes): ServiceRoutes {
  const routes: { readonly service: ServiceName; readonly target: ServiceTarget }[] = [];
  return {
    add(service, target) {
      const route = { service, target: typeof target === "string" ? new URL(target) : target };
      routes.unshift(route);
      return () => {
        const at = routes.indexOf(route);
        if (at >= 0) routes.splice(at, 1);
      };
    },
    find: (namespace, name, port) =>
      routes.find(({ service }) => service.namespace === namespace && service.name === name && (service.port ?? port) === port)?.target ??
      before?.find(namespace, name, port),
  };
}
