import type { Service } from "pintle/kinds/core/v1";

/** An address and port at which a service is reached. */
export interface Entrance {
  /** The same for the same port of the same service. */
  readonly key: string;
  readonly service: Service;
  readonly protocol: "TCP" | "UDP";
  readonly address: string;
  readonly port: number;
  readonly portName: string | undefined;
  /** The address is the service's own: the machine has to be told that it is here. */
  readonly isOwn: boolean;
}

const MACHINE = "127.0.0.1";

const isServed = (protocol: string): protocol is Entrance["protocol"] => protocol === "TCP" || protocol === "UDP";

/** Where a service is reached: at its own address, and at its node ports on this machine. */
export function entrancesOf(service: Service): readonly Entrance[] {
  const { clusterIP, ports = [] } = service.spec;
  if (clusterIP === undefined || clusterIP === "" || clusterIP === "None") return [];
  return ports.flatMap(({ port, name, nodePort, protocol = "TCP" }) => {
    if (!isServed(protocol)) return [];
    const at = (address: string, number: number, isOwn: boolean): Entrance => ({
      key: `${protocol} ${address}:${number}/${service.metadata.uid}/${name ?? ""}`,
      service,
      protocol,
      address,
      port: number,
      portName: name,
      isOwn,
    });
    return [at(clusterIP, port, true), ...(nodePort === undefined || nodePort === 0 ? [] : [at(MACHINE, nodePort, false)])];
  });
}

/** Ports that nothing listens at, in words; empty where there are none. */
export function unserved({ spec }: Service): string {
  const others = (spec.ports ?? []).filter(({ protocol = "TCP" }) => !isServed(protocol));
  if (others.length === 0 || spec.clusterIP === "None") return "";
  return `${others.map(({ port, protocol }) => `${port}/${protocol}`).join(", ")} not served: the proxy of process nodes knows TCP and UDP; reach the pods themselves`;
}
