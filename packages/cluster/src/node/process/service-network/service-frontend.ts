import type { Service } from "pintle/kinds/core/v1";

/** An address and port at which a Service is reachable. */
export interface ServiceFrontend {
  /** Identifies the port of the Service. */
  readonly key: string;
  readonly service: Service;
  readonly protocol: "TCP" | "UDP";
  readonly address: string;
  readonly port: number;
  readonly portName: string | undefined;
  /** Whether the address is the cluster IP, which must be assigned to this machine. */
  readonly isClusterIp: boolean;
}

const HOST_ADDRESS = "127.0.0.1";

const isSupportedProtocol = (protocol: string): protocol is ServiceFrontend["protocol"] => protocol === "TCP" || protocol === "UDP";

/** Lists the frontends of a Service: its cluster IP, and its node ports on this machine. */
export function listServiceFrontends(service: Service): readonly ServiceFrontend[] {
  const { clusterIP, ports = [] } = service.spec;
  if (clusterIP === undefined || clusterIP === "" || clusterIP === "None") return [];
  return ports.flatMap(({ port, name, nodePort, protocol = "TCP" }) => {
    if (!isSupportedProtocol(protocol)) return [];
    const createFrontend = (address: string, number: number, isClusterIp: boolean): ServiceFrontend => ({
      key: `${protocol} ${address}:${number}/${service.metadata.uid}/${name ?? ""}`,
      service,
      protocol,
      address,
      port: number,
      portName: name,
      isClusterIp,
    });
    return [
      createFrontend(clusterIP, port, true),
      ...(nodePort === undefined || nodePort === 0 ? [] : [createFrontend(HOST_ADDRESS, nodePort, false)]),
    ];
  });
}

/** Describes the ports that are not served; empty if there are none. */
export function describeUnservedPorts({ spec }: Service): string {
  const others = (spec.ports ?? []).filter(({ protocol = "TCP" }) => !isSupportedProtocol(protocol));
  if (others.length === 0 || spec.clusterIP === "None") return "";
  return `${others.map(({ port, protocol }) => `${port}/${protocol}`).join(", ")} not served: the proxy of process nodes supports TCP and UDP; connect to the pods directly`;
}
