import type { Service } from "pintle/kinds/core/v1";

/** The variables that tell a container where services are. */
export function serviceLinks(services: readonly Service[]): Readonly<Record<string, string>> {
  return Object.assign({}, ...services.map(linksOf));
}

function linksOf({ metadata, spec }: Service): Record<string, string> {
  const { clusterIP, ports = [] } = spec;
  const [first] = ports;
  if (first === undefined || clusterIP === undefined || clusterIP === "" || clusterIP === "None") return {};
  const name = variable(metadata.name);
  const links: Record<string, string> = {
    [`${name}_SERVICE_HOST`]: clusterIP,
    [`${name}_SERVICE_PORT`]: String(first.port),
    [`${name}_PORT`]: urlOf(clusterIP, first),
  };
  for (const port of ports) {
    if (port.name !== undefined && port.name !== "") links[`${name}_SERVICE_PORT_${variable(port.name)}`] = String(port.port);
    const prefix = `${name}_PORT_${port.port}_${port.protocol ?? "TCP"}`;
    links[prefix] = urlOf(clusterIP, port);
    links[`${prefix}_PROTO`] = (port.protocol ?? "TCP").toLowerCase();
    links[`${prefix}_PORT`] = String(port.port);
    links[`${prefix}_ADDR`] = clusterIP;
  }
  return links;
}

const variable = (name: string) => name.toUpperCase().replaceAll("-", "_");
const urlOf = (address: string, { protocol = "TCP", port }: { readonly protocol?: string | undefined; readonly port: number }) =>
  `${protocol.toLowerCase()}://${address}:${port}`;
