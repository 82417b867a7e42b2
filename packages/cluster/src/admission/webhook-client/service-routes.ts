/** A Service as a webhook's clientConfig names it. */
export interface ServiceName {
  /** The namespace of the Service. */
  readonly namespace: string;
  /** The name of the Service. */
  readonly name: string;
  /** Default: any port. */
  readonly port?: number | undefined;
}

/** Target of a Service: a URL (https, or http on this machine), or a function in this process. */
export type ServiceTarget = string | URL | ((request: Request) => Response | Promise<Response>);

/** Overrides of the endpoints of Services. */
export interface ServiceRoutes {
  /** Routes calls of a Service to a target until the returned function is called. The last route wins. */
  add(service: ServiceName, target: ServiceTarget): () => void;
  /** Returns the target of a Service; undefined if its endpoints are used. */
  find(namespace: string, name: string, port: number): ServiceTarget | undefined;
}

/** Creates routes; `before` are used for Services without a route here. */
export function createServiceRoutes(before?: ServiceRoutes): ServiceRoutes {
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
